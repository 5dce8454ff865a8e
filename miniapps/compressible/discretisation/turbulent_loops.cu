// Loops of turbulent flow in both spaces: one thread per face or cell.
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/turbulent_sources.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space>
void turbulent_states(const SpatialView& v, View<const double> U) {
  const double* all = U.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) {
    const double* u = all + std::int64_t{5} * i;
    const Primitive<double> w = primitive(v.gas, u[0], u[1], u[2], u[3]);
    const double out[4] = {w.p, w.u, w.v, w.t};
    store4(out, v.w + std::int64_t{4} * i);
    v.turbulence.nu[i] = u[4] / u[0];
  });
}

template <class Space>
void turbulent_gradients(const SpatialView& v) {
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { turbulent::gradient(v, i); });
  for_each<Space>(v.cells.at_boundary, [=] WEIR_HD(int n) { turbulent::boundary_gradient(v, n); });
}

template <class Space, class Scheme>
void turbulent_fluxes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.faces.count, [=] WEIR_HD(int f) { turbulent::flux_of_face(v, scheme, f); });
  for_each<Space>(v.boundary.count, [=] WEIR_HD(int f) { turbulent::flux_of_boundary_face(v, scheme, f); });
}

template <class Space>
void turbulent_residual(const SpatialView& v, View<double> R) {
  with_scheme(v, [&](const auto& scheme) { turbulent_fluxes<Space>(v, scheme); });
  double* r = R.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { cell::residual<5>(v, r, i, turbulent::source_of_cell(v, i)); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary<5>(v, r, n); });
}

template <class Space>
void turbulent_scales(const SpatialView& v, View<double> scale) {
  double* s = scale.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { cell::time_step_scale<5>(v, s, i); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary_scale<5>(v, s, n); });
}

// Columns of a block per index.
template <class Space>
constexpr int columns = std::is_same_v<Space, Host> ? 5 : 1;

template <class Space, class Scheme>
void turbulent_blocks(const SpatialView& v, const Scheme& scheme, int first, int count) {
  constexpr int m = columns<Space>, parts = 2 * 5 / m;
  for_each<Space>(parts * count, [=] WEIR_HD(int i) {
    const int part = i % parts;
    turbulent::jacobian_of_face<m>(v, scheme, first + i / parts, part % 2, part / 2 * m);
  });
}
template <class Space, class Scheme>
void turbulent_boundary_blocks(const SpatialView& v, const Scheme& scheme) {
  constexpr int m = columns<Space>, parts = 5 / m;
  for_each<Space>(parts * v.boundary.count,
                  [=] WEIR_HD(int i) { turbulent::jacobian_of_boundary_face<m>(v, scheme, i / parts, i % parts * m); });
}

template <class Space>
void turbulent_border_jacobian(const SpatialView& v) {
  SpatialView border = v;
  border.values = v.border;
  const int first = v.faces.inner, count = v.faces.count - first;
  with_scheme(v, [&](const auto& scheme) { turbulent_blocks<Space>(border, scheme, first, count); });
}

template <class Space, turbulent::Blocks of, class V>
void subtract_sources(const SpatialView& v, V* values) {
  constexpr int m = columns<Space>;
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { turbulent::subtract_source<m, of>(v, values, i); });
}

// Fluxes out of a cell enter its neighbours: the diagonal block is minus the sum of the others of its column, plus
// the boundary's. Sources are added after that.
template <class Space, class V>
void turbulent_diagonals(const SpatialView& v, V* values) {
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { cell::diagonal_block<5>(v, values, i); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary_block<5>(v, values, n); });
  using turbulent::Blocks;
  if constexpr (std::is_same_v<Space, Host>) {
    subtract_sources<Space, Blocks::all>(v, values);
  } else {
    for_each<Space>(5 * v.cells.count, [=] WEIR_HD(int i) { turbulent::subtract_own_source(v, values, i / 5, i % 5); });
    subtract_sources<Space, Blocks::others>(v, values);
  }
}

template <class Space>
void turbulent_jacobian(const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) {
    turbulent_blocks<Space>(v, scheme, 0, v.faces.count);
    turbulent_boundary_blocks<Space>(v, scheme);
  });
  v.values ? turbulent_diagonals<Space>(v, v.values) : turbulent_diagonals<Space>(v, v.floats);
}

#define WEIR_TURBULENT_LOOPS(S)                                              \
  template void turbulent_states<S>(const SpatialView&, View<const double>); \
  template void turbulent_gradients<S>(const SpatialView&);                  \
  template void turbulent_residual<S>(const SpatialView&, View<double>);     \
  template void turbulent_scales<S>(const SpatialView&, View<double>);       \
  template void turbulent_border_jacobian<S>(const SpatialView&);            \
  template void turbulent_jacobian<S>(const SpatialView&);
WEIR_TURBULENT_LOOPS(Host)
WEIR_TURBULENT_LOOPS(Device)
#undef WEIR_TURBULENT_LOOPS

}  // namespace weir
