// Loops of products with dR/dU of turbulent flow, in both spaces.
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/turbulent_slopes.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space>
void turbulent_state_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x) {
  const double *own = x.data(), *ghosts = ghost_x.data();
  const int count = v.cells.count;
  for_each<Space>(count, [=] WEIR_HD(int i) { turbulent::slope_of_state(v, own + std::int64_t{5} * i, i); });
  for_each<Space>(v.cells.all - count,
                  [=] WEIR_HD(int i) { turbulent::slope_of_state(v, ghosts + std::int64_t{5} * i, count + i); });
}

// The gradient of nu~ is linear in nu~, at walls too.
template <class Space>
void turbulent_gradient_slopes(const SpatialView& v) {
  SpatialView linear = v;
  linear.turbulence.nu = v.turbulence.dnu, linear.turbulence.x = v.turbulence.dx, linear.turbulence.y = v.turbulence.dy;
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { turbulent::gradient(linear, i); });
  for_each<Space>(v.cells.at_boundary, [=] WEIR_HD(int n) { turbulent::boundary_gradient(linear, n); });
}

template <class Space, class Scheme>
void turbulent_boundary_slopes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.boundary.count, [=] WEIR_HD(int f) { turbulent::slope_of_boundary_flux(v, scheme, f); });
}

template <class Scheme>
void turbulent_face_slopes(const SpatialView& v, const Scheme& scheme) {
  for_each<Device>(v.faces.count, [=] WEIR_HD(int f) { turbulent::slope_of_flux<double>(v, scheme, f); });
}
void turbulent_interior_slopes(Device, const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) { turbulent_face_slopes(v, scheme); });
}

template <class Space>
void turbulent_linearise(const SpatialView& v) {
  constexpr int m = std::is_same_v<Space, Host> ? source_inputs : 1;
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { turbulent::linearise_source<m>(v, i); });
}

template <class Space>
void turbulent_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x, View<double> y) {
  turbulent_state_slopes<Space>(v, x, ghost_x);
  gradient_slopes<Space>(v);
  turbulent_gradient_slopes<Space>(v);
  turbulent_interior_slopes(Space{}, v);
  with_scheme(v, [&](const auto& scheme) { turbulent_boundary_slopes<Space>(v, scheme); });
  double* r = y.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { cell::residual<5>(v, r, i, turbulent::slope_of_source(v, i)); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary<5>(v, r, n); });
}

template void turbulent_linearise<Host>(const SpatialView&);
template void turbulent_linearise<Device>(const SpatialView&);
template void turbulent_slopes<Host>(const SpatialView&, View<const double>, View<const double>, View<double>);
template void turbulent_slopes<Device>(const SpatialView&, View<const double>, View<const double>, View<double>);

}  // namespace weir
