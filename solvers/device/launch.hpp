// Kernels by hand, for algorithms that need lanes, shared memory or waiting; independent loops use for_each.
//   __global__ void kernel(View<const double> x, ...);
//   launch({.grid = blocks, .block = 128, .name = "kernel"}, kernel, x.view(), ...);
// Launches are in order with loops, reductions and copies of Arrays. The words of device code: backend/dialect.hpp;
// reductions of warps and blocks: block.hpp; the whole grid: backend/grid_sync.hpp.
#pragma once
#include "backend/launch.hpp"
#include "solvers/device/space.hpp"
