// What headers for both sides need of device code. Its other words (dialect.hpp) are for sources of device code alone.
#pragma once
#include <cuda_runtime.h>

#define WEIR_HD __host__ __device__
