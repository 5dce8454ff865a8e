// Figs. 6 to 10 of Liu, Seo & Mittal 2013 for this machine, on the ranks the program was started with:
//   for P in 1 2 4 8; do mpirun -n $P weir bench halo -o DIR; mpirun -n $P weir bench scaling -o DIR; done
// Rows are added to the tables in DIR, a run on the same number of ranks replacing its own.
#pragma once
#include <string>

#include "solvers/parallel/communicator.hpp"

namespace weir::bench {

struct ScalingOptions {
  std::string folder;
  bool quick = false;
};

// Vector and scalar communication, each way it travels (Fig. 6).
int bench_halo(Communicator& ranks, const ScalingOptions& options);

// Iterations of cg and bicgstab, naive against optimised, three sizes, three tolerances (Figs. 7 to 10), and the model:
// compared with the paper's own statements, and for hundreds of today's GPUs.
int bench_scaling(Communicator& ranks, const ScalingOptions& options);

}  // namespace weir::bench
