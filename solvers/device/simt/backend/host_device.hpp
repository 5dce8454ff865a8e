// Macros for headers that host and device code share; the others (dialect.hpp) are for sources of device code only.
#pragma once
#include <cmath>  // as CUDA's header has
#include <cstddef>

#define WEIR_HD
