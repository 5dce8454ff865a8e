// Estimates of extreme eigenvalues and singular values. Products and solves are given as functions x -> y.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// y = f(x); false: failed.
using VectorMap = std::function<bool(std::span<const double> x, std::span<double> y)>;

// Extreme Ritz values of a symmetric operator after `steps` Lanczos steps (1950) from a random vector.
struct RitzValues {
  double least = 0, most = 0;
  int steps = 0;
};
RitzValues lanczos(const VectorMap& product, int n, int steps);

double dot(std::span<const double> x, std::span<const double> y);
std::vector<double> random_vector(std::int64_t n, unsigned seed);  // in [-1, 1)

// For scalar rows and their transpose: y = A x; the Ritz values of (A + A^T) / 2 and of A^T A.
void multiply(const BlockCsrData& A, std::span<const double> x, std::span<double> y);
RitzValues lanczos_of_symmetric_part(const BlockCsrData& A, const BlockCsrData& T, int steps);
RitzValues lanczos_of_squares(const BlockCsrData& A, const BlockCsrData& T, int steps);

// Smallest singular value of A by inverse iteration on A^T A (an upper bound), with its vector. Empty: failed.
struct SmallestSingular {
  bool found = false;
  double sigma = 0;
  std::vector<double> vector;
};
SmallestSingular smallest_singular(const VectorMap& product, const VectorMap& solve, const VectorMap& solve_transposed,
                                   int n, int steps);

}  // namespace weir
