#include "miniapps/compressible/discretisation/turbulent/slope_loops.hpp"

namespace weir {

WEIR_TURBULENT_SLOPE_LOOPS(SpalartAllmaras)

}  // namespace weir
