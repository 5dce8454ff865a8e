// FGMRES with block ILU(0) on the same matrix in PETSc's block format, where PETSc is installed (csr_ilu_petsc.cpp),
// else nothing (csr_ilu_none.cpp).
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::bench {

struct PeerSolve {
  bool found = false;
  int iterations = 0;
  double residual = 0;                        // |b - A x| / |b| as the method knows it
  double factor = 0, apply = 0, product = 0;  // seconds: MatLUFactorNumeric, MatSolve, MatMult
  double solve = 0;                           // of a whole solve without the factorisation
};
PeerSolve peer_fgmres(const BlockCsrData& A, const std::vector<double>& b, int restart, int iterations,
                      double tolerance);

}  // namespace weir::bench
