// Smoothed aggregation of a symmetric scalar matrix (Vanek, Mandel & Brezina 1996): transfers between two levels, on
// the host in near-linear time.
//  P = (I - omega D^-1 A_F) P_0,   A_c = P^T A P,   omega = 4 / (3 lambda)
// P_0: 1 from an aggregate to each of its rows. A_F: A with its weak couplings added to the diagonal, so that zero row
// sums, and with them constants, are preserved. D: the diagonal of A_F; lambda: Gershgorin bound of D^-1 A_F.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir::aggregation {

// Sparse rows of a rectangular matrix.
struct SparseRows {
  std::vector<std::int64_t> row_start{0};
  std::vector<int> column;
  std::vector<double> value;
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

struct SmoothedStep {
  SparseRows prolongation, restriction;  // P, P^T
  BlockCsrData coarse;                   // A_c
};

// One flag per entry: |a_ij| is at least `strength` times the largest coupling of row i or of row j; false on the
// diagonal.
std::vector<char> strong_couplings(const BlockCsrData& A, double strength);

// Aggregate of each row: a row with all its strong neighbours where these are free; remaining rows join the aggregate
// of their strongest coupling; -1: a row without strong couplings, which the smoother solves.
std::vector<int> neighbourhoods(const BlockCsrData& A, const std::vector<char>& strong, int& aggregates);

SmoothedStep smoothed_step(const BlockCsrData& A, double strength);

// Gershgorin bound of the eigenvalues of D^-1 A, D the diagonal: the largest sum of absolute values of a row.
double gershgorin_bound(const BlockCsrData& A);
std::vector<double> diagonal_of(const BlockCsrData& A);  // zero where the pattern has none

}  // namespace weir::aggregation
