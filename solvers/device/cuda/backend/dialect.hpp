// The words of device code, as CUDA has them.
#pragma once
#include <cuda_runtime.h>
#define WEIR_HD __host__ __device__
