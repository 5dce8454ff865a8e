// Solvers of hypre and PETSc as their own users call them, measured. Each library is a plugin next to the program.
#pragma once
#include <string>

#include "tests/benchmarks/peers/measured.hpp"
#include "tests/benchmarks/peers/problems.hpp"

namespace weir::bench {

// hypre:  preconditioners of CG: "pfmg relax=1 symmetric=1 rap=0 skip=1 pre=1 post=1", "boomeramg coarsen=10
//         threshold=0.5 aggressive=1 relax=8". "diagonal symmetric=1": CG + diagonal on the structured matrix, a fixed
//         number of iterations.
// PETSc:  "mg OPTIONS" geometric multigrid on a DMDA, rediscretised; "ksp OPTIONS" on an assembled matrix; "ilu
//         OPTIONS" the kernels of block ILU(0); OPTIONS are PETSc's own.
// iterations > 0: this many, whatever the residual; the work is then called "iteration".
struct PeerTask {
  std::string settings;
  int repeats = 5, iterations = 0;
};
using MeasurePeer = void(const PeerProblem& problem, const PeerTask& task, Measured& m);
extern "C" MeasurePeer weir_measure_peer;

// By weir_peers_LIBRARY.so next to the program. Throws Error(usage) where it is missing.
Measured measure_peer(const std::string& library, const PeerProblem& problem, const PeerTask& task);

}  // namespace weir::bench
