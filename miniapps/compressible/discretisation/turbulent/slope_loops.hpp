// Loops of products with dR/dU of turbulent flow, in both spaces.
#pragma once
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/turbulent/slopes.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space, class M>
void turbulent_state_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x) {
  const double *own = x.data(), *ghosts = ghost_x.data();
  const int count = v.cells.count;
  for_each<Space>(count,
                  [=] WEIR_HD(int i) { turbulent::slope_of_state<M>(v, own + std::int64_t{4 + M::count} * i, i); });
  for_each<Space>(v.cells.all - count, [=] WEIR_HD(int i) {
    turbulent::slope_of_state<M>(v, ghosts + std::int64_t{4 + M::count} * i, count + i);
  });
}

// The gradients of the model's variables are linear in them, at walls too.
template <class Space, class M>
void turbulent_gradient_slopes(const SpatialView& v) {
  SpatialView linear = v;
  linear.turbulence.value = v.turbulence.dvalue;
  linear.turbulence.x = v.turbulence.dx, linear.turbulence.y = v.turbulence.dy;
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { turbulent::gradient<M>(linear, i); });
  for_each<Space>(v.cells.at_boundary, [=] WEIR_HD(int n) { turbulent::boundary_gradient<M>(linear, n); });
  if constexpr (M::auxiliary > 0)
    for_each<Space>(M::auxiliary * v.cells.reach, [=] WEIR_HD(int i) {
      v.turbulence.dauxiliary[i] = turbulent::slope_of_output<M>(v, i / M::auxiliary, M::count + i % M::auxiliary);
    });
}

template <class Space, class M, class Scheme>
void turbulent_boundary_slopes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.boundary.count, [=] WEIR_HD(int f) { turbulent::slope_of_boundary_flux<M>(v, scheme, f); });
}

template <class M, bool of_flow, bool of_model, class Scheme>
void turbulent_face_slopes(const SpatialView& v, const Scheme& scheme) {
  for_each<Device>(v.faces.count,
                   [=] WEIR_HD(int f) { turbulent::slope_of_flux<M, double, of_flow, of_model>(v, scheme, f); });
}
template <class M>
void turbulent_interior_slopes(Device, const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) {
    if constexpr (M::count == 1) {
      turbulent_face_slopes<M, true, true>(v, scheme);
    } else {  // both at once do not fit in the registers of a thread
      turbulent_face_slopes<M, true, false>(v, scheme);
      turbulent_face_slopes<M, false, true>(v, scheme);
    }
  });
}

template <class Space, class M>
void turbulent_linearise(const SpatialView& v) {
  constexpr int m = std::is_same_v<Space, Host> ? M::inputs : 1;
  const int cells = M::auxiliary > 0 ? v.cells.reach : v.cells.count;
  for_each<Space>(cells, [=] WEIR_HD(int i) { turbulent::linearise_source<M, m>(v, i); });
}

template <class Space, class M>
void turbulent_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x, View<double> y) {
  turbulent_state_slopes<Space, M>(v, x, ghost_x);
  gradient_slopes<Space>(v);
  turbulent_gradient_slopes<Space, M>(v);
  turbulent_interior_slopes<M>(Space{}, v);
  with_scheme(v, [&](const auto& scheme) { turbulent_boundary_slopes<Space, M>(v, scheme); });
  constexpr int n = 4 + M::count;
  double* r = y.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) {
    const double first = turbulent::slope_of_output<M>(v, i, 0);
    cell::residual<n>(v, r, i, first, M::count == 1 ? first : turbulent::slope_of_output<M>(v, i, M::count - 1));
  });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int k) { cell::add_boundary<n>(v, r, k); });
}

#define WEIR_TURBULENT_SLOPE_LOOPS(M)                                                                                \
  template void turbulent_linearise<Host, M>(const SpatialView&);                                                    \
  template void turbulent_linearise<Device, M>(const SpatialView&);                                                  \
  template void turbulent_slopes<Host, M>(const SpatialView&, View<const double>, View<const double>, View<double>); \
  template void turbulent_slopes<Device, M>(const SpatialView&, View<const double>, View<const double>, View<double>);

}  // namespace weir
