// The words of device code, which is read and never run: no kernel leaves its source.
#pragma once
#include "solvers/device/simt/backend/dialect.hpp"

#undef __global__
#define __global__ static
