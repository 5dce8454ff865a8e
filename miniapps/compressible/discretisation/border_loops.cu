// Work of one rank beyond its own cells; one thread per cell or face. Separate from the loops over inner faces, so
// that the compiler optimises those as on one rank.
#include "miniapps/compressible/discretisation/face_kernels.hpp"
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space>
void ghost_states(const SpatialView& v, View<const double> U) {
  const double* u = U.data();
  SpatialView ghosts = v;
  ghosts.w = v.w + std::int64_t{4} * v.cells.count;
  if (v.equations > 4) {
    ghosts.turbulence.value = v.turbulence.value + (v.equations - 4) * std::int64_t{v.cells.count};
    ghosts.cells.count = v.cells.all - v.cells.count;
    return with_model(v, [&]<class M>(M) { turbulent_states<Space, M>(ghosts, U); });
  }
  for_each<Space>(v.cells.all - v.cells.count, [=] WEIR_HD(int i) { face::primitive_of<double>(ghosts, u, i); });
}

template <class Space, class Scheme>
void border_blocks(const SpatialView& v, const Scheme& scheme) {
  SpatialView border = v;
  border.values = v.border;  // doubles, regardless of J
  const int first = v.faces.inner;
  for_each<Space>(v.faces.count - first, [=] WEIR_HD(int f) { face::jacobian<double>(border, scheme, first + f); });
}
template <class Space>
void border_jacobian(const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) { border_blocks<Space>(v, scheme); });
}

template void ghost_states<Host>(const SpatialView&, View<const double>);
template void ghost_states<Device>(const SpatialView&, View<const double>);
template void border_jacobian<Host>(const SpatialView&);
template void border_jacobian<Device>(const SpatialView&);

}  // namespace weir
