#include "miniapps/incompressible/momentum.hpp"

#include "miniapps/structured/case.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

struct MomentumView {
  const double* velocity[3];
  const double* p;
  MetricLine line[3];
  int stride[3];
  MomentumTerms terms;
};

struct Balance {
  double advection, rest;  // C, and -nu K u - V grad p + V f
};

// Component d at its face (i, j, k), c its index in the padded fields. Everything is divided by the area of the face
// first, which leaves products of 1D arrays that the compiler takes out of the inner loop.
template <int d, int dim>
WEIR_HD inline Balance balance(const MomentumView& v, int i, int j, int k, int c) {
  const int at[3] = {i, j, k};
  const double* q = v.velocity[d] + c;
  const MetricLine& own = v.line[d];
  const int s = v.stride[d], n = at[d];
  const double east = q[0] + q[s], west = q[-s] + q[0];
  double advection = 0.25 * (east * east - west * west);
  double diffusion = (q[s] - q[0]) * own.inv_h[n] - (q[0] - q[-s]) * own.inv_h[n - 1];
  const double m = own.m[n], h_low = own.h[n - 1], h_high = own.h[n];
  double area = 1;
  for (int t = 0; t < 3; ++t) {
    if (t == d) continue;
    const MetricLine& other = v.line[t];
    area *= other.h[at[t]];
    if (t >= dim) continue;
    const double* r = v.velocity[t] + c;
    const int st = v.stride[t], nt = at[t];
    const double inv_h = other.inv_h[nt], inv_high = other.inv_m[nt + 1], inv_low = other.inv_m[nt];
    const double high = r[st - s] * h_low + r[st] * h_high, low = r[-s] * h_low + r[0] * h_high;
    advection += 0.25 * inv_h * (high * (q[0] + q[st]) - low * (q[-st] + q[0]));
    diffusion += m * inv_h * ((q[st] - q[0]) * inv_high - (q[0] - q[-st]) * inv_low);
  }
  const double gradient = v.p[c] - v.p[c - s];
  return {area * advection, area * (v.terms.viscosity * diffusion - gradient + m * v.terms.force)};
}

template <class Space, int d, int dim>
void momentum_rhs_of(const Layout& l, const MomentumView& v, View<double> advection, View<double> rhs) {
  const Extents box = l.unknowns(d);
  const int i0 = d == 0 ? l.first(0) : 0, j0 = d == 1 ? l.first(1) : 0, k0 = d == 2 ? l.first(2) : 0;
  const int sy = l.stride(1), sz = l.stride(2);
  double *adv = advection.data(), *b = rhs.data();
  for_each<Space>(box, [=] WEIR_HD(int ii, int jj, int kk) {
    const int i = ii + i0, j = jj + j0, k = kk + k0, n = box.index(ii, jj, kk);
    const Balance f = balance<d, dim>(v, i, j, k, i + j * sy + k * sz);
    b[n] = v.terms.dt * (f.rest - v.terms.now * f.advection - v.terms.before * adv[n]);
    adv[n] = f.advection;
  });
}

}  // namespace

template <class Space>
void momentum_rhs(const Flow<Space>& flow, const Metrics& m, int component, const MomentumTerms& terms,
                  View<double> advection, View<double> rhs) {
  const Layout& l = flow.layout;
  MomentumView v{};
  for (int e = 0; e < 3; ++e) {
    v.velocity[e] = e < l.dim ? flow.component(e).at(0, 0, 0) : nullptr;
    v.line[e] = m.line[e];
    v.stride[e] = l.stride(e);
  }
  v.p = flow.pressure().at(0, 0, 0);
  v.terms = terms;
  if (l.dim == 2) {
    if (component == 0) momentum_rhs_of<Space, 0, 2>(l, v, advection, rhs);
    if (component == 1) momentum_rhs_of<Space, 1, 2>(l, v, advection, rhs);
  } else {
    if (component == 0) momentum_rhs_of<Space, 0, 3>(l, v, advection, rhs);
    if (component == 1) momentum_rhs_of<Space, 1, 3>(l, v, advection, rhs);
    if (component == 2) momentum_rhs_of<Space, 2, 3>(l, v, advection, rhs);
  }
}

template <class Space>
void add_increment(Flow<Space>& flow, int component, View<const double> delta) {
  const Layout& l = flow.layout;
  const Extents box = l.unknowns(component);
  const int c0[3] = {component == 0 ? l.first(0) : 0, component == 1 ? l.first(1) : 0, component == 2 ? l.first(2) : 0};
  double* u = flow.component(component).at(c0[0], c0[1], c0[2]);
  const double* x = delta.data();
  const int sy = l.stride(1), sz = l.stride(2);
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) { u[i + j * sy + k * sz] += x[box.index(i, j, k)]; });
}

SeparableOperator momentum_operator(const IncompressibleCase& c, int component, double dt) {
  SeparableOperator a;
  for (int d = 0; d < 3; ++d) {
    const auto& faces = c.grid.line[d].faces;
    auto condition = [&](int end) {
      if (d >= c.dim()) return EndCondition::neumann;
      if (c.is_periodic(d)) return EndCondition::periodic;
      return c.side(d, end).has_velocity() || d == component ? EndCondition::dirichlet : EndCondition::neumann;
    };
    a.direction[d] = d == component ? face_centred_direction(faces, condition(0), condition(1))
                                    : cell_centred_direction(faces, condition(0), condition(1));
  }
  a.shift = 1;
  a.scale = 0.5 * dt * c.viscosity;
  return a;
}

#define WEIR_MOMENTUM(S)                                                                                 \
  template void momentum_rhs<S>(const Flow<S>&, const Metrics&, int, const MomentumTerms&, View<double>, \
                                View<double>);                                                           \
  template void add_increment<S>(Flow<S>&, int, View<const double>);
WEIR_MOMENTUM(Host)
WEIR_MOMENTUM(Device)
#undef WEIR_MOMENTUM

}  // namespace weir
