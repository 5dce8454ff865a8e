// Limits of a launch on an H100 (sm_90): registers, shared memory, grid; and how well a launch fills it.
#pragma once
#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {

inline constexpr int shared_default = 48 * 1024, shared_opt_in = 227 * 1024, shared_per_multiprocessor = 228 * 1024,
                     registers_per_multiprocessor = 65536;

int blocks_per_multiprocessor(Function& kernel, int threads, u64 dynamic_shared);

// cudaSuccess, or the error that CUDA gives; then it is reported. `dynamic_allowed` < 0: no opt-in.
int check_launch(const LaunchRequest& request, int dynamic_allowed);
void count_waves(const LaunchRequest& request);  // occupancy, waves and last_wave of its counts

}  // namespace weir::ptx
