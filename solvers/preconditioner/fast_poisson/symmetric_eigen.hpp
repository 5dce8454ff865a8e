// Eigenvalues and orthonormal eigenvectors of small symmetric matrices, ascending, to round-off of the largest
// eigenvalue.
#pragma once
#include <vector>

namespace weir {

struct Eigen1D {
  std::vector<double> value;   // n, ascending
  std::vector<double> vector;  // n x n; eigenvector m at vector[m * n .. m * n + n - 1]
};

// Tridiagonal: diagonal (n) and off-diagonal (n - 1). Implicit QR steps with Wilkinson's shift (Golub & Van Loan, 8.3);
// about 3 n^3 operations.
Eigen1D tridiagonal_eigen(std::vector<double> diagonal, std::vector<double> off);

// Dense (n x n, both triangles): the same after Householder's reduction to tridiagonal form (8.3.1); about 9 n^3
// operations. For the rare lines that nothing simpler diagonalises: periodic, stretched and without symmetry.
Eigen1D dense_eigen(std::vector<double> matrix, int n);

}  // namespace weir
