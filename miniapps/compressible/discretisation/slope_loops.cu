// Loops of products with dR/dU in both spaces; those over interior faces are in the files of the residual.
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/slope_kernels.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space>
void state_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x) {
  const double *own = x.data(), *ghosts = ghost_x.data();
  const int count = v.cells.count;
  for_each<Space>(count, [=] WEIR_HD(int i) { slope::of_state<double>(v, own + std::int64_t{4} * i, i); });
  for_each<Space>(v.cells.all - count,
                  [=] WEIR_HD(int i) { slope::of_state<double>(v, ghosts + std::int64_t{4} * i, count + i); });
}

// A gradient is linear in W except for the boundary's part.
template <class Space>
void gradient_slopes(const SpatialView& v) {
  SpatialView linear = v;
  linear.w = v.dw, linear.wx = v.dwx, linear.wy = v.dwy;
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { cell::gradient(linear, i); });
  for_each<Space>(v.cells.at_boundary, [=] WEIR_HD(int n) { slope::of_boundary_gradient(v, n); });
  if (v.limiter == Limiter::none || v.is_limiter_frozen) return;
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { slope::of_limiter(v, i); });
}

template <class Space, class Scheme>
void boundary_flux_slopes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.boundary.count, [=] WEIR_HD(int f) { slope::of_boundary_flux(v, scheme, f); });
}
template <class Space>
void boundary_slopes(const SpatialView& v, View<double> y) {
  with_scheme(v, [&](const auto& scheme) { boundary_flux_slopes<Space>(v, scheme); });
  double* r = y.data();
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary<4>(v, r, n); });
}

template <class Space, class Scheme>
void interior_flux_slopes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.faces.count, [=] WEIR_HD(int f) { slope::of_flux<double>(v, scheme, f); });
}
void interior_slopes(Device, const SpatialView& v, View<double> y) {
  with_scheme(v, [&](const auto& scheme) { interior_flux_slopes<Device>(v, scheme); });
  double* r = y.data();
  for_each<Device>(v.cells.count, [=] WEIR_HD(int i) { cell::residual<4>(v, r, i); });
}

#define WEIR_SLOPE_LOOPS(S)                                                                  \
  template void state_slopes<S>(const SpatialView&, View<const double>, View<const double>); \
  template void gradient_slopes<S>(const SpatialView&);                                      \
  template void boundary_slopes<S>(const SpatialView&, View<double>);
WEIR_SLOPE_LOOPS(Host)
WEIR_SLOPE_LOOPS(Device)
#undef WEIR_SLOPE_LOOPS

}  // namespace weir
