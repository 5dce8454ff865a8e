// -DWEIR_REGIONS=nvtx: ranges of NVTX 3 (headers only), without effect if no profiler is attached.
#include <nvtx3/nvToolsExt.h>

#include "base/region/region.hpp"

void weir::region::begin(const char* name) { nvtxRangePushA(name); }
void weir::region::end(const char*) { nvtxRangePop(); }
