#include "miniapps/compressible/discretisation/turbulent/loops.hpp"

namespace weir {

WEIR_TURBULENT_LOOPS(Host, MenterSst)
WEIR_TURBULENT_LOOPS(Device, MenterSst)

}  // namespace weir
