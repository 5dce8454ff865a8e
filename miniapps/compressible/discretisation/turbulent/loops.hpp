// Loops of turbulent flow in both spaces: one thread per face or cell.
#pragma once
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/turbulent/sources.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space, class M>
void turbulent_states(const SpatialView& v, View<const double> U) {
  const double* all = U.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) {
    const double* u = all + std::int64_t{4 + M::count} * i;
    const Primitive<double> w = primitive(v.gas, u[0], u[1], u[2], u[3]);
    const double out[4] = {w.p, w.u, w.v, w.t};
    store4(out, v.w + std::int64_t{4} * i);
    for (int k = 0; k < M::count; ++k) v.turbulence.value[std::int64_t{M::count} * i + k] = u[4 + k] / u[0];
  });
}

template <class Space, class M>
void turbulent_gradients(const SpatialView& v) {
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { turbulent::gradient<M>(v, i); });
  for_each<Space>(v.cells.at_boundary, [=] WEIR_HD(int n) { turbulent::boundary_gradient<M>(v, n); });
  if constexpr (M::auxiliary > 0)
    for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { turbulent::auxiliary_of_cell(v, i); });
}

template <class Space, class M, class Scheme>
void turbulent_fluxes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.faces.count, [=] WEIR_HD(int f) { turbulent::flux_of_face<M>(v, scheme, f); });
  for_each<Space>(v.boundary.count, [=] WEIR_HD(int f) { turbulent::flux_of_boundary_face<M>(v, scheme, f); });
}

template <class Space, class M>
void turbulent_residual(const SpatialView& v, View<double> R) {
  constexpr int n = 4 + M::count;
  with_scheme(v, [&](const auto& scheme) { turbulent_fluxes<Space, M>(v, scheme); });
  double* r = R.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) {
    double source[M::count];
    turbulent::source_of_cell<M>(v, i, source);
    cell::residual<n>(v, r, i, source[0], source[M::count - 1]);
  });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int k) { cell::add_boundary<n>(v, r, k); });
}

template <class Space, class M>
void turbulent_scales(const SpatialView& v, View<double> scale) {
  constexpr int n = 4 + M::count;
  double* s = scale.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { cell::time_step_scale<n>(v, s, i); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int k) { cell::add_boundary_scale<n>(v, s, k); });
}

// Columns of a block per index.
template <class Space, class M>
constexpr int columns = std::is_same_v<Space, Host> ? 4 + M::count : 1;

template <class Space, class M, class Scheme>
void turbulent_blocks(const SpatialView& v, const Scheme& scheme, int first, int count) {
  constexpr int m = columns<Space, M>, parts = 2 * (4 + M::count) / m;
  for_each<Space>(parts * count, [=] WEIR_HD(int i) {
    const int part = i % parts;
    turbulent::jacobian_of_face<M, m>(v, scheme, first + i / parts, part % 2, part / 2 * m);
  });
}
template <class Space, class M, class Scheme>
void turbulent_boundary_blocks(const SpatialView& v, const Scheme& scheme) {
  constexpr int m = columns<Space, M>, parts = (4 + M::count) / m;
  for_each<Space>(parts * v.boundary.count, [=] WEIR_HD(int i) {
    turbulent::jacobian_of_boundary_face<M, m>(v, scheme, i / parts, i % parts * m);
  });
}

template <class Space, class M>
void turbulent_border_jacobian(const SpatialView& v) {
  SpatialView border = v;
  border.values = v.border;
  const int first = v.faces.inner, count = v.faces.count - first;
  with_scheme(v, [&](const auto& scheme) { turbulent_blocks<Space, M>(border, scheme, first, count); });
}

template <class Space, class M, turbulent::Blocks of, class V>
void subtract_sources(const SpatialView& v, V* values) {
  constexpr int m = columns<Space, M>;
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { turbulent::subtract_source<M, m, of>(v, values, i); });
}

// Fluxes out of a cell enter its neighbours: the diagonal block is minus the sum of the others of its column, plus
// the boundary's. Sources are added after that.
template <class Space, class M, class V>
void turbulent_diagonals(const SpatialView& v, V* values) {
  constexpr int n = 4 + M::count;
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { cell::diagonal_block<n>(v, values, i); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int k) { cell::add_boundary_block<n>(v, values, k); });
  using turbulent::Blocks;
  if constexpr (std::is_same_v<Space, Host>) {
    subtract_sources<Space, M, Blocks::all>(v, values);
  } else {
    for_each<Space>(n * v.cells.count,
                    [=] WEIR_HD(int i) { turbulent::subtract_own_source<M>(v, values, i / n, i % n); });
    subtract_sources<Space, M, Blocks::others>(v, values);
  }
}

template <class Space, class M>
void turbulent_jacobian(const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) {
    turbulent_blocks<Space, M>(v, scheme, 0, v.faces.count);
    turbulent_boundary_blocks<Space, M>(v, scheme);
  });
  v.values ? turbulent_diagonals<Space, M>(v, v.values) : turbulent_diagonals<Space, M>(v, v.floats);
}

#define WEIR_TURBULENT_LOOPS(S, M)                                              \
  template void turbulent_states<S, M>(const SpatialView&, View<const double>); \
  template void turbulent_gradients<S, M>(const SpatialView&);                  \
  template void turbulent_residual<S, M>(const SpatialView&, View<double>);     \
  template void turbulent_scales<S, M>(const SpatialView&, View<double>);       \
  template void turbulent_border_jacobian<S, M>(const SpatialView&);            \
  template void turbulent_jacobian<S, M>(const SpatialView&);

}  // namespace weir
