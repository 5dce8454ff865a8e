// -DWEIR_REGIONS=caliper: regions of LLNL's Caliper, configured by CALI_CONFIG.
#include <caliper/cali.h>

#include "base/region/region.hpp"

void weir::region::begin(const char* name) { cali_begin_region(name); }
void weir::region::end(const char* name) { cali_end_region(name); }
