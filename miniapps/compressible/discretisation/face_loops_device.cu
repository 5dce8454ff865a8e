// One thread per face or cell. Faces are sorted by owner, so neighbouring threads read neighbouring cells.
#include "miniapps/compressible/discretisation/cell_kernels.hpp"
#include "miniapps/compressible/discretisation/face_kernels.hpp"
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space, class Scheme>
void interior_fluxes(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.faces.count, [=] WEIR_HD(int f) { face::flux<double>(v, scheme, f); });
}
template <class Space, class Scheme>
void off_diagonal_blocks(const SpatialView& v, const Scheme& scheme) {
  for_each<Space>(v.faces.count, [=] WEIR_HD(int f) { face::jacobian<double>(v, scheme, f); });
}

void primitive_states(Device, const SpatialView& v, View<const double> U) {
  const double* u = U.data();
  for_each<Device>(v.cells.count, [=] WEIR_HD(int i) { face::primitive_of<double>(v, u, i); });
}
void interior_residual(Device, const SpatialView& v, View<double> R) {
  with_scheme(v, [&](const auto& scheme) { interior_fluxes<Device>(v, scheme); });
  double* r = R.data();
  for_each<Device>(v.cells.count, [=] WEIR_HD(int i) { cell::residual<4>(v, r, i); });
}
void interior_jacobian(Device, const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) { off_diagonal_blocks<Device>(v, scheme); });
  for_each<Device>(v.cells.count, [=] WEIR_HD(int i) { cell::diagonal_block<4>(v, i); });
}

}  // namespace weir
