// Time on a GPU, predicted from counts. For the launches of one shape, with B blocks of w warps, r of them at a time on
// an SM:
//   memory        bytes past L2 / (bandwidth x what a copy reaches of it)
//   L2            sectors x 32 / bandwidth of L2, at most 64 bytes a clock of each SM that works
//   issue, FP64   warp instructions / (issues a clock x SMs that work); those of the FP64 units likewise
//   latency       mean chain of a warp x latency x ceil(B / (r SMs)): what is in flight, by Little's law
//   chain         the longest chain of a launch x latency: rows that wait for rows, levels
//   shared        passes through shared memory, conflicts included, one a clock of an SM
// A launch takes the largest of these and the cost of a launch (in a graph, of a node). A chain counts what a warp
// waits for in order, branch by branch, in units of the latency of memory (tests/ptx/machine/counts.hpp).
#pragma once
#include <string>
#include <vector>

#include "tests/gpu_model/counts.hpp"
#include "tests/gpu_model/device.hpp"

namespace weir::gpu {

struct Residency {
  int blocks = 0;  // of an SM at a time; 0: it does not fit
  double occupancy = 0, waves = 0, last_wave = 0;
};
Residency residency_of(const KernelCounts& kernel, const GpuDevice& device);

struct Prediction {
  KernelCounts counts;
  Residency residency;
  double seconds = 0;  // of all launches, their cost included
  double busy = 0;     // the largest term alone
  std::string term;    // "launch" where the cost of the launches is more than the largest term
};
Prediction predict(const KernelCounts& kernel, const GpuDevice& device);

struct ProgramPrediction {
  std::vector<Prediction> kernels;                       // one for each kernel: its shapes added up; the slowest first
  double seconds = 0, synchronisations = 0, copies = 0;  // seconds; those of the host included in the first
  std::string term;                                      // that most of the time goes to
};
ProgramPrediction predict(const Counts& counts, const GpuDevice& device);

}  // namespace weir::gpu
