// The Poisson problem of bench_multigrid solved by the libraries that people use for it, called as their users would:
//   - div grad x = b on a box, Neumann all round, cell-centred finite volumes (rows multiplied by volumes)
//   hypre   CG + PFMG (structured, semi-coarsening, red-black Gauss-Seidel); CG + BoomerAMG (HMIS, ext+i, l1
//   Gauss-Seidel) PETSc   CG + geometric multigrid on a DMDA (rediscretised, Chebyshev with SOR)
// One process. peers_poisson_none.cpp stands in where they are not installed.
#pragma once
#include <array>
#include <string>
#include <vector>

namespace weir::bench {

struct PeerResult {
  std::string name;
  double setup_seconds = 0;
  double solve_seconds = 0;  // best of the repeats
  int iterations = 0;
  std::vector<double> x;
};

struct PoissonProblem {
  std::array<std::vector<double>, 3> faces;  // n + 1 of each direction
  std::vector<double> b;                     // sums to zero
  double tolerance = 1e-8;                   // of |r| / |b|
  int repeats = 3;
};

// Call once; later calls would find their library shut down.
class Peers {
 public:
  Peers();
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  std::vector<PeerResult> solve(const PoissonProblem& problem);  // empty where no library is installed
};

}  // namespace weir::bench
