// Macros for headers that host and device code share; the others (dialect.hpp) are for sources of device code only.
#pragma once
#include <cuda_runtime.h>

#define WEIR_HD __host__ __device__
