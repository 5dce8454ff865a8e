// What headers for both sides need of device code. Its other words (dialect.hpp) are for sources of device code alone.
#pragma once
#include <cmath>  // as CUDA's header has
#include <cstddef>

#define WEIR_HD
