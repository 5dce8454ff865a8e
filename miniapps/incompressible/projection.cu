#include "miniapps/incompressible/projection.hpp"

#include "miniapps/structured/case.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

template <class Space, int dim>
void minus_divergence_of(const Flow<Space>& flow, const Metrics& m, double* b) {
  const Layout& l = flow.layout;
  const Extents cells = l.cells();
  const double* u = flow.component(0).at(0, 0, 0);
  const double* v = flow.component(1).at(0, 0, 0);
  const double* w = dim == 3 ? flow.component(dim - 1).at(0, 0, 0) : nullptr;
  const double *hx = m.line[0].h, *hy = m.line[1].h, *hz = m.line[2].h;
  const int sy = l.stride(1), sz = l.stride(2);
  for_each<Space>(cells, [=] WEIR_HD(int i, int j, int k) {
    const int c = i + j * sy + k * sz;
    double out = (u[c + 1] - u[c]) * (hy[j] * hz[k]) + hx[i] * ((v[c + sy] - v[c]) * hz[k]);
    if (dim == 3) out += hx[i] * ((w[c + sz] - w[c]) * hy[j]);
    b[cells.index(i, j, k)] = -out;
  });
}

// The faces inside the box, then those of a periodic direction, which take psi from the other end. `below` is the last
// layer of psi of the rank below.
template <class Space, int d>
void correct_component(const Metrics& m, const double* psi, const double* below, Flow<Space>& flow) {
  const Layout& l = flow.layout;
  const Extents cells = l.cells();
  Extents box = cells;
  (d == 0 ? box.nx : d == 1 ? box.ny : box.nz) -= 1;
  const int step = d == 0 ? 1 : d == 1 ? cells.nx : cells.nx * cells.ny, n = l.n[d];
  const int sy = l.stride(1), sz = l.stride(2);
  double* first = flow.component(d).at(0, 0, 0);
  double* u = first + l.stride(d);
  const double* inv_m = m.line[d].inv_m + 1;
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int q = cells.index(i, j, k) + step;
    u[i + j * sy + k * sz] -= (psi[q] - psi[q - step]) * inv_m[d == 0 ? i : d == 1 ? j : k];
  });
  const bool cut = l.cut[2 * d];
  if (!l.periodic[d] && !cut) return;
  Extents plane = cells;
  (d == 0 ? plane.nx : d == 1 ? plane.ny : plane.nz) = 1;
  for_each<Space>(plane, [=] WEIR_HD(int i, int j, int k) {
    const int q = cells.index(i, j, k);
    const double other = cut ? below[plane.index(i, j, k)] : psi[q + (n - 1) * step];
    first[i + j * sy + k * sz] -= (psi[q] - other) * inv_m[-1];
  });
}

}  // namespace

template <class Space>
MinusDivergence minus_divergence(const Flow<Space>& flow, const Metrics& m, View<double> b) {
  if (flow.layout.dim == 2)
    minus_divergence_of<Space, 2>(flow, m, b.data());
  else
    minus_divergence_of<Space, 3>(flow, m, b.data());
  return {b};
}

template <class Space>
void correct_velocity(const Metrics& m, View<const double> psi, Flow<Space>& flow, const PsiBelow& below) {
  correct_component<Space, 0>(m, psi.data(), below.plane[0], flow);
  correct_component<Space, 1>(m, psi.data(), below.plane[1], flow);
  if (flow.layout.dim == 3) correct_component<Space, 2>(m, psi.data(), below.plane[2], flow);
}

template <class Space>
void update_pressure(const Metrics& m, double dt, double viscosity, View<const double> psi, const MinusDivergence& div,
                     Flow<Space>& flow) {
  const Extents cells = flow.layout.cells();
  const int sy = flow.layout.stride(1), sz = flow.layout.stride(2);
  double* p = flow.pressure().at(0, 0, 0);
  const double *x = psi.data(), *minus_div = div.values.data();
  const double *rx = m.line[0].inv_h, *ry = m.line[1].inv_h, *rz = m.line[2].inv_h;
  const double inv_dt = 1 / dt, half_nu = 0.5 * viscosity;
  for_each<Space>(cells, [=] WEIR_HD(int i, int j, int k) {
    const int q = cells.index(i, j, k);
    p[i + j * sy + k * sz] += x[q] * inv_dt + minus_div[q] * rx[i] * (half_nu * ry[j] * rz[k]);
  });
}

SeparableOperator pressure_operator(const IncompressibleCase& c) {
  SeparableOperator a;
  for (int d = 0; d < 3; ++d) {
    const EndCondition end = d < c.dim() && c.is_periodic(d) ? EndCondition::periodic : EndCondition::neumann;
    a.direction[d] = cell_centred_direction(c.grid.line[d].faces, end, end);
  }
  return a;
}

#define WEIR_PROJECTION(S)                                                                                     \
  template MinusDivergence minus_divergence<S>(const Flow<S>&, const Metrics&, View<double>);                  \
  template void correct_velocity<S>(const Metrics&, View<const double>, Flow<S>&, const PsiBelow&);            \
  template void update_pressure<S>(const Metrics&, double, double, View<const double>, const MinusDivergence&, \
                                   Flow<S>&);
WEIR_PROJECTION(Host)
WEIR_PROJECTION(Device)
#undef WEIR_PROJECTION

}  // namespace weir
