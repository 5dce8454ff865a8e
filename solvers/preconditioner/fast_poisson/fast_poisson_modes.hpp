// Generalised eigenproblem of one direction, K q = lambda M q with Q^T M Q = 1, and the change to its basis.
#pragma once
#include <vector>

#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

// Basis of a direction. The trigonometric ones need equal widths; each includes the division by (mass * length of the
// transform), Modes::norm.
enum class ModeBasis {
  single,      // one unknown
  cosine,      // Neumann at both ends (DCT-II)
  sine,        // Dirichlet at both end faces of cells (DST-II)
  mixed_low,   // Neumann at the low end, Dirichlet at the high one
  mixed_high,  // Dirichlet at the low end, Neumann at the high one
  sine_I,      // Dirichlet one spacing beyond the first and the last unknown: face-centred (DST-I)
  fourier,     // periodic (Hartley's real form)
  dense,       // eigenvectors, n^2 multiplications per line
  symmetric    // eigenvectors of a symmetric line: even and odd halves, n^2 / 2 multiplications
};
const char* to_string(ModeBasis basis);

// The trigonometric basis of a uniform direction, or ModeBasis::dense.
ModeBasis trigonometric_basis(const SeparableDirection& d);
// symmetric or dense. Symmetry is accepted to 1e-11 of each width and coupling, the accuracy of a computed grid line.
ModeBasis eigenvector_basis(const SeparableDirection& d);

struct Modes {
  ModeBasis basis = ModeBasis::single;
  int n = 1;
  std::vector<double> lambda;  // in the order of the modes after the transform; exactly 0 first if singular
  double norm = 1;             // factor of the whole change of basis and back
  // symmetric: (n + 1) / 2 and n / 2 square blocks; entry (i, m): weight of x_i +- x_{n-1-i} (or of the middle) in mode
  // m. dense: `even` is Q, `odd` is empty. Column-major; Q and Q^T are both stored, so that all products are plain.
  std::vector<double> even, even_transposed, odd, odd_transposed;

  int even_size() const { return basis == ModeBasis::symmetric ? (n + 1) / 2 : n; }
  int odd_size() const { return n - even_size(); }
};

Modes make_modes(const SeparableDirection& d, ModeBasis basis);

// Q as one n x n matrix, column-major, whatever the (eigenvector) basis.
std::vector<double> full_matrix(const Modes& modes);
std::vector<double> transposed(const std::vector<double>& Q, int n);

// Eigenvalues (ascending) and orthonormal eigenvectors of small symmetric matrices, to round-off of the largest
// eigenvalue.
struct Eigen1D {
  std::vector<double> value;   // n, ascending
  std::vector<double> vector;  // n x n; eigenvector m at vector[m * n .. m * n + n - 1]
};

// Tridiagonal: diagonal (n) and off-diagonal (n - 1). Implicit QR steps with Wilkinson's shift (Golub & Van Loan, 8.3);
// about 3 n^3 operations.
Eigen1D tridiagonal_eigen(std::vector<double> diagonal, std::vector<double> off);

// Dense (n x n, both triangles): the same after Householder reduction to tridiagonal form (8.3.1); about 9 n^3
// operations. Used for periodic, stretched lines without symmetry.
Eigen1D dense_eigen(std::vector<double> matrix, int n);

}  // namespace weir
