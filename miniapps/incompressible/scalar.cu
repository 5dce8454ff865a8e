#include "miniapps/incompressible/scalar.hpp"

#include <algorithm>

#include "miniapps/structured/boundary.hpp"
#include "miniapps/structured/sides/patch_values.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/distributed/sum_over_ranks.hpp"

namespace weir {
namespace {

struct TransportView {
  const double *T, *velocity[3];
  MetricLine line[3];
  int stride[3];
  double diffusivity, now, before, dt;
  bool advective;
};

struct Transport {
  double advection, diffusion;
};

template <int dim>
WEIR_HD inline Transport transport(const TransportView& v, int i, int j, int k, int c) {
  const int at[3] = {i, j, k};
  Transport sum{0, 0};
  for (int d = 0; d < dim; ++d) {
    const MetricLine& own = v.line[d];
    const int s = v.stride[d], n = at[d];
    double area = 1;
    for (int t = 0; t < 3; ++t)
      if (t != d) area *= v.line[t].h[at[t]];
    const double *T = v.T + c, *u = v.velocity[d] + c;
    sum.advection += area * 0.5 * (u[s] * (T[0] + T[s]) - u[0] * (T[-s] + T[0]));
    if (v.advective) sum.advection -= area * T[0] * (u[s] - u[0]);
    sum.diffusion += area * ((T[s] - T[0]) * own.inv_m[n + 1] - (T[0] - T[-s]) * own.inv_m[n]);
  }
  return sum;
}

template <class Space, int dim>
void transport_rhs(const Layout& l, const TransportView& v, double* advection, double* b) {
  const Extents box = l.cells();
  const int sy = l.stride(1), sz = l.stride(2);
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int q = box.index(i, j, k);
    const Transport f = transport<dim>(v, i, j, k, i + j * sy + k * sz);
    b[q] = v.dt * (v.diffusivity * f.diffusion - v.now * f.advection - v.before * advection[q]);
    advection[q] = f.advection;
  });
}

// b += dt V source
template <class Space>
void source_rhs(const Layout& l, const Metrics& m, double dt, const double* source, double* b) {
  const Extents box = l.cells();
  const double *hx = m.line[0].h, *hy = m.line[1].h, *hz = m.line[2].h;
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int q = box.index(i, j, k);
    b[q] += dt * (hx[i] * hy[j] * hz[k]) * source[q];
  });
}

// Contribution of the change of the side values over the step: kappa/2 of the value at half a cell, or half of the
// flux.
template <class Space>
void add_change(const Layout& l, const Metrics& m, int side, bool is_fixed, double factor, const double* old,
                const double* coming, double* b) {
  const Plane p = make_plane(l, side / 2);
  const Extents box = l.cells();
  const int step[3] = {1, box.nx, box.nx * box.ny}, step1 = step[p.t1], step2 = step[p.t2];
  const bool high = side % 2 == 1;
  const int n = l.n[p.d], row = high ? (n - 1) * step[p.d] : 0;
  const double* inv_h = m.line[p.d].inv_h + (high ? n - 1 : 0);
  const double *h1 = m.line[p.t1].h, *h2 = m.line[p.t2].h;
  for_each<Space>(Extents{p.n1, p.n2, 1}, [=] WEIR_HD(int a, int i2, int) {
    const int q = p.index(a, i2);
    b[row + a * step1 + i2 * step2] += factor * (is_fixed ? inv_h[0] : 1.0) * h1[a] * h2[i2] * (coming[q] - old[q]);
  });
}

// T_ghost = 2 b - T, or T + h q / kappa.
template <class Space>
void fill_side(const Layout& l, const Metrics& m, int side, bool is_fixed, double diffusivity, const double* b,
               double* T) {
  const Plane p = make_plane(l, side / 2);
  const bool high = side % 2 == 1;
  const int n = l.n[p.d], s = l.stride(p.d), s1 = l.stride(p.t1), s2 = l.stride(p.t2);
  const int inner = l.origin() + (high ? (n - 1) * s : 0), out = high ? s : -s;
  const double* h = m.line[p.d].h + (high ? n - 1 : 0);
  for_each<Space>(p.padded(), [=] WEIR_HD(int ia, int ib, int) {
    const int a = ia - p.pad1, i2 = ib - p.pad2, at = inner + a * s1 + i2 * s2;
    const double given = b[p.index(a, i2)];
    T[at + out] = is_fixed ? 2 * given - T[at] : T[at] + h[0] * given / diffusivity;
  });
}

}  // namespace

template <class Space>
Scalar<Space>::Scalar(const IncompressibleCase& c, std::size_t index, const Metrics& metrics, const FlowRanks& ranks,
                      FlowHalo<Space>& halo)
    : c_(c), index_(index), m_(metrics), l_(ranks.local()), halo_(halo), planes_(l_) {
  owner_ = patches_of_points(c, l_);
  host_.resize(static_cast<std::size_t>(planes_.total), 0.0);
  now_ = Array<double, Space>(planes_.total);
  next_ = Array<double, Space>(planes_.total);
  const int cells = l_.cells().count();
  delta_ = Array<double, Space>(cells);
  advection_ = Array<double, Space>(cells);
  mean_ = Array<double, Space>(l_.padded_count());
  for (Array<double, Space>* a : {&now_, &next_, &delta_, &advection_, &mean_}) fill<Space>(0, *a);
}

// At the centres of the cells next to each side.
template <class Space>
void Scalar<Space>::evaluate_sides(double t, Array<double, Space>& into) {
  for (int side = 0; side < 2 * l_.dim; ++side) {
    if (!l_.is_side(side)) continue;
    const Plane p = make_plane(l_, side / 2);
    const GridLine &line1 = c_.grid.line[p.t1], &line2 = c_.grid.line[p.t2];
    double x[3] = {};
    x[p.d] = side % 2 ? c_.grid.line[p.d].faces.back() : c_.grid.line[p.d].faces.front();
    for (int b = -p.pad2; b < p.n2 + p.pad2; ++b)
      for (int a = -p.pad1; a < p.n1 + p.pad1; ++a) {
        const auto place = static_cast<std::size_t>(planes_.offset(side, p.d) + p.index(a, b));
        x[p.t1] = coordinate(line1, false, a + l_.low[p.t1]);
        x[p.t2] = coordinate(line2, false, b + l_.low[p.t2]);
        host_[place] = c_.patches[owner_[place]].scalars[index_].value.at(x, t);
      }
  }
  into.upload(host_);
}

template <class Space>
void Scalar<Space>::set_ghosts(Flow<Space>& flow) {
  Array<double, Space>& T = flow.scalars[index_];
  halo_.scalar(T);
  for (int side = 0; side < 2 * l_.dim; ++side)
    if (l_.is_side(side))
      fill_side<Space>(l_, m_, side, c_.side(side / 2, side % 2).fixes(index_), given().diffusivity,
                       now_.data() + planes_.offset(side, side / 2), T.data());
  periodic_ghosts<Space>(l_, T.data());
}

template <class Space>
void Scalar<Space>::initialise(Flow<Space>& flow, double t) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(l_.padded_count()));
  std::vector<double> at[3];
  for (int d = 0; d < 3; ++d) at[d] = coordinates(c_.grid.line[d], false);
  l_.for_padded([&](int i, int j, int k) {
    const double x[3] = {at[0][i + 1 + l_.low[0]], at[1][j + 1 + l_.low[1]], at[2][k + 1 + l_.low[2]]};
    values.push_back(given().initial.at(x, 0));
  });
  flow.scalars[index_].upload(values);
  evaluate_sides(t, now_);
  evaluate_sides(t, next_);
  set_ghosts(flow);
}

template <class Space>
void Scalar<Space>::after_loading(Flow<Space>& flow, double t) {
  evaluate_sides(t, now_);
  evaluate_sides(t, next_);
  set_ghosts(flow);
}

template <class Space>
void Scalar<Space>::rhs(const Flow<Space>& flow, double t, double dt, double dt_before, View<double> b) {
  const double r = dt_before > 0 ? dt / dt_before : 0, kappa = given().diffusivity;
  TransportView v{};
  v.T = flow.scalars[index_].data() + l_.origin();
  for (int e = 0; e < 3; ++e) {
    v.velocity[e] = e < l_.dim ? flow.component(e).at(0, 0, 0) : nullptr;
    v.line[e] = m_.line[e];
    v.stride[e] = l_.stride(e);
  }
  v.diffusivity = kappa;
  v.now = 1 + r / 2;
  v.before = -r / 2;
  v.dt = dt;
  v.advective = advective_;
  if (l_.dim == 2)
    transport_rhs<Space, 2>(l_, v, advection_.data(), b.data());
  else
    transport_rhs<Space, 3>(l_, v, advection_.data(), b.data());
  if (given().has_source()) add_source(t + dt / 2, dt, b);
  const auto changes = [this](const SidePatch& p) {
    return index_ < p.scalars.size() && p.scalars[index_].value.depends_on_time();
  };
  if (std::ranges::none_of(c_.patches, changes)) return;
  evaluate_sides(t + dt, next_);
  for (int side = 0; side < 2 * l_.dim; ++side) {
    if (!l_.is_side(side)) continue;
    const bool is_fixed = c_.side(side / 2, side % 2).fixes(index_);
    const std::int64_t at = planes_.offset(side, side / 2);
    add_change<Space>(l_, m_, side, is_fixed, dt * (is_fixed ? kappa : 0.5), now_.data() + at, next_.data() + at,
                      b.data());
  }
  std::swap(now_, next_);
}

// At the centres of the cells; one without t is evaluated once.
template <class Space>
void Scalar<Space>::add_source(double t, double dt, View<double> b) {
  const Formula& source = given().source;
  if (source_.size() == 0 || source.depends_on_time()) {
    source_values_.clear();
    source_values_.reserve(static_cast<std::size_t>(l_.cells().count()));
    const auto& line = c_.grid.line;
    l_.for_cells([&](int i, int j, int k) {
      const double x[3] = {line[0].centre[i + l_.low[0]], line[1].centre[j + l_.low[1]], line[2].centre[k + l_.low[2]]};
      source_values_.push_back(source.at(x, t));
    });
    if (source_.size() == 0) source_ = Array<double, Space>(l_.cells().count());
    source_.upload(source_values_);
  }
  source_rhs<Space>(l_, m_, dt, source_.data(), b.data());
}

template <class Space>
void Scalar<Space>::add_increment(Flow<Space>& flow) {
  const Extents box = l_.cells();
  const int sy = l_.stride(1), sz = l_.stride(2), origin = l_.origin();
  double *T = flow.scalars[index_].data() + origin, *mean = mean_.data() + origin;
  const double* x = delta_.data();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int q = i + j * sy + k * sz;
    const double change = x[box.index(i, j, k)];
    mean[q] = T[q] + 0.5 * change;
    T[q] += change;
  });
  set_ghosts(flow);
  if (!given().drives_flow()) return;
  halo_.scalar(mean_);
  periodic_ghosts<Space>(l_, mean_.data());
}

template <class Space>
double Scalar<Space>::relative_change(const Flow<Space>& flow, const Communicator& ranks) const {
  const double change = ranks.max(max_norm<Space>(delta_));
  return change > 0 ? change / largest_deviation(l_, flow.scalars[index_], ranks) : 0;
}

template <class Space>
void Scalar<Space>::add_buoyancy(int component, double dt, View<double> rhs) const {
  const double factor = -dt * given().expansion * given().gravity[component];
  if (factor == 0) return;
  const Extents box = l_.unknowns(component);
  const int i0 = component == 0 ? l_.first(0) : 0, j0 = component == 1 ? l_.first(1) : 0,
            k0 = component == 2 ? l_.first(2) : 0;
  const int sy = l_.stride(1), sz = l_.stride(2), s = l_.stride(component);
  const MetricLine own = m_.line[component], x = m_.line[0], y = m_.line[1], z = m_.line[2];
  const double *T = mean_.data() + l_.origin(), reference = given().reference;
  double* b = rhs.data();
  for_each<Space>(box, [=] WEIR_HD(int ii, int jj, int kk) {
    const int i = ii + i0, j = jj + j0, k = kk + k0, at[3] = {i, j, k}, n = at[component], q = i + j * sy + k * sz;
    // Linear between the two centres; times the face's control volume, of width m.
    const double moment = 0.5 * (own.h[n] * T[q - s] + own.h[n - 1] * T[q]) - own.m[n] * reference;
    const double area =
        (component == 0 ? 1.0 : x.h[i]) * (component == 1 ? 1.0 : y.h[j]) * (component == 2 ? 1.0 : z.h[k]);
    b[box.index(ii, jj, kk)] += factor * area * moment;
  });
}

template <class Space>
std::vector<Scalar<Space>> make_scalars(const IncompressibleCase& c, const Metrics& metrics, const FlowRanks& ranks,
                                        FlowHalo<Space>& halo, Flow<Space>& flow) {
  std::vector<Scalar<Space>> all;
  for (std::size_t s = 0; s < c.scalars.size(); ++s) {
    flow.scalars.emplace_back(flow.layout.padded_count());
    fill<Space>(0, flow.scalars.back());
    all.emplace_back(c, s, metrics, ranks, halo);
  }
  return all;
}

SeparableOperator scalar_operator(const IncompressibleCase& c, std::size_t index, double dt) {
  SeparableOperator a;
  for (int d = 0; d < 3; ++d) {
    const auto condition = [&](int end) {
      if (d >= c.dim()) return EndCondition::neumann;
      if (c.is_periodic(d)) return EndCondition::periodic;
      return c.side(d, end).fixes(index) ? EndCondition::dirichlet : EndCondition::neumann;
    };
    a.direction[d] = cell_centred_direction(c.grid.line[d].faces, condition(0), condition(1));
  }
  a.shift = 1;
  a.scale = 0.5 * dt * c.scalars[index].diffusivity;
  return a;
}

template class Scalar<Host>;
template class Scalar<Device>;
template std::vector<Scalar<Host>> make_scalars(const IncompressibleCase&, const Metrics&, const FlowRanks&,
                                                FlowHalo<Host>&, Flow<Host>&);
template std::vector<Scalar<Device>> make_scalars(const IncompressibleCase&, const Metrics&, const FlowRanks&,
                                                  FlowHalo<Device>&, Flow<Device>&);

}  // namespace weir
