#include "miniapps/compressible/discretisation/turbulent/face_slopes_host.hpp"

namespace weir {

template void turbulent_interior_slopes<SpalartAllmaras>(Host, const SpatialView&);

}  // namespace weir
