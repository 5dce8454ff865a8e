#include "miniapps/compressible/discretisation/turbulent/loops.hpp"

namespace weir {

WEIR_TURBULENT_LOOPS(Host, SpalartAllmaras)
WEIR_TURBULENT_LOOPS(Device, SpalartAllmaras)

}  // namespace weir
