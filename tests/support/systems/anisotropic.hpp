// Anisotropic diffusion on a triangulated square: what the ANI matrices of Anzt et al. 2019 are made of (their Table
// II).
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::test {

// Linear finite elements for -div(K grad u) with u = 0 on the sides, K with the eigenvalues 1 along `angle` and `ratio`
// across it. m x m inner nodes, moved by up to 0.2 of the spacing; each square is cut along one of its diagonals,
// chosen at random. Scaled symmetrically to unit diagonal, as the ANI matrices are; numbered by reverse Cuthill-McKee.
// m = 112: 12,544 rows, 86,914 entries; ANI5 has 12,561 and 86,227.
struct AnisotropicProblem {
  int m = 112;
  double ratio = 0.01, angle = 0.5;
  unsigned seed = 1;
};
BlockCsrData anisotropic(const AnisotropicProblem& problem);

}  // namespace weir::test
