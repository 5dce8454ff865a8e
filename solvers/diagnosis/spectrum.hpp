// How far a matrix is from singular, estimated: products and solves are given as functions, x -> y.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// y = f(x); false where it could not be computed.
using VectorMap = std::function<bool(std::span<const double> x, std::span<double> y)>;

// The smallest and largest Ritz values of a symmetric operator after `steps` steps of Lanczos 1950 from a random vector:
// they lie within the spectrum, so that the true extremes are no less extreme.
struct RitzValues {
  double least = 0, most = 0;
  int steps = 0;
};
RitzValues lanczos(const VectorMap& product, int n, int steps);

double dot(std::span<const double> x, std::span<const double> y);
std::vector<double> random_vector(std::int64_t n, unsigned seed);  // of numbers in [-1, 1)

// Of scalar rows and their transpose: y = A x; the Ritz values of (A + A^T) / 2 and of A^T A.
void multiply(const BlockCsrData& A, std::span<const double> x, std::span<double> y);
RitzValues lanczos_of_symmetric_part(const BlockCsrData& A, const BlockCsrData& T, int steps);
RitzValues lanczos_of_squares(const BlockCsrData& A, const BlockCsrData& T, int steps);

// The smallest singular value of A by inverse iteration on A^T A, and its vector of norm 1: |A v| = sigma. Estimated from
// above. Not found where a solve fails.
struct SmallestSingular {
  bool found = false;
  double sigma = 0;
  std::vector<double> vector;
};
SmallestSingular smallest_singular(const VectorMap& product, const VectorMap& solve, const VectorMap& solve_transposed,
                                   int n, int steps);

}  // namespace weir
