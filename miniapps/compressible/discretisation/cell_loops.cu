// Loops over cells and boundary faces, in both spaces.
#include "miniapps/compressible/discretisation/cell_kernels.hpp"
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space>
void gradients(const SpatialView& v) {
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { cell::gradient(v, i); });
  for_each<Space>(v.cells.at_boundary, [=] WEIR_HD(int n) { cell::boundary_gradient(v, n); });
}
template <class Space>
void limiters(const SpatialView& v) {
  for_each<Space>(v.cells.reach, [=] WEIR_HD(int i) { cell::limiter(v, i); });
}

template <class Space, class Scheme>
void boundary_fluxes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.boundary.count, [=] WEIR_HD(int f) { boundary::flux_of_face(v, scheme, f); });
}
template <class Space>
void boundary_residual(const SpatialView& v, View<double> R) {
  with_scheme(v, [&](const auto& scheme) { boundary_fluxes<Space>(v, scheme); });
  double* r = R.data();
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary<4>(v, r, n); });
}

template <class Space, class Scheme>
void boundary_blocks(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.boundary.count, [=] WEIR_HD(int f) { boundary::jacobian_of_face(v, scheme, f); });
}
template <class Space>
void boundary_jacobian(const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) { boundary_blocks<Space>(v, scheme); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary_block<4>(v, n); });
}

template <class Space>
void time_step_scales(const SpatialView& v, View<double> scale) {
  double* s = scale.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) { cell::time_step_scale<4>(v, s, i); });
  for_each<Space>(v.cells.own_at_boundary, [=] WEIR_HD(int n) { cell::add_boundary_scale<4>(v, s, n); });
}

template <class Space>
void wall_stresses(const SpatialView& v, int first, int count, const WallStress<Space>& out) {
  double *pressure = out.pressure.data(), *shear = out.shear.data(), *heat = out.heat.data();
  double* unit = out.wall_unit.data();
  for_each<Space>(count, [=] WEIR_HD(int k) {
    const boundary::Stress s = boundary::stress(v, first + k);
    pressure[k] = s.pressure;
    shear[k] = s.shear;
    heat[k] = s.heat;
    if (unit) unit[k] = s.wall_unit;
  });
}

#define WEIR_CELL_LOOPS(S)                                              \
  template void gradients<S>(const SpatialView&);                       \
  template void limiters<S>(const SpatialView&);                        \
  template void boundary_residual<S>(const SpatialView&, View<double>); \
  template void boundary_jacobian<S>(const SpatialView&);               \
  template void time_step_scales<S>(const SpatialView&, View<double>);  \
  template void wall_stresses<S>(const SpatialView&, int, int, const WallStress<S>&);
WEIR_CELL_LOOPS(Host)
WEIR_CELL_LOOPS(Device)
#undef WEIR_CELL_LOOPS

}  // namespace weir
