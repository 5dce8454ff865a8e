#include "miniapps/compressible/discretisation/turbulent/face_slopes_host.hpp"

namespace weir {

template void turbulent_interior_slopes<MenterSst>(Host, const SpatialView&);

}  // namespace weir
