// Threshold ILU of other libraries on one core, each where it is installed (ilut_eigen.cpp, ilut_superlu.cpp), else
// nothing (ilut_none.cpp says which one it stands in for).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir::bench {

struct IlutPeer {
  std::string name;          // empty: not installed
  std::int64_t nnz = 0;      // of L and U together, one diagonal
  double analysis = 0;       // processor seconds: its ordering
  double factorisation = 0;  // processor seconds
  std::function<void(const double* r, double* z)> apply;
};

// fill: entries of the factors in units of those of A; tolerance: of what is dropped, as the library understands it.
// Eigen orders by minimum degree itself; SuperLU either does or takes the matrix as it is numbered.
IlutPeer eigen_ilut(const BlockCsrData& A, double fill, double tolerance);
IlutPeer superlu_ilut(const BlockCsrData& A, double fill, double tolerance, bool orders);

}  // namespace weir::bench
