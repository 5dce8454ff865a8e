// Aggregates of block rows, computed on the host once per pattern.
//
// Pairs are matched along the strongest couplings, and pairs of pairs again, `passes` times (Notay 2010, section 3): up
// to 2^passes rows per aggregate. The coupling of two rows is the larger Frobenius norm of their two blocks, that of
// two aggregates the sum over their rows. A row is matched only along a coupling of at least `strength` times its
// strongest one, so that stretched cells join across their long faces only (semi-coarsening).
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::aggregation {

// The members of aggregate I are member[start[I]] .. member[start[I + 1] - 1], ascending; aggregates are numbered in
// the order of their first members, which preserves an order good for ILU.
struct Aggregates {
  std::vector<int> of_row, start, member;
  int count() const { return static_cast<int>(start.size()) - 1; }
};

// Block pattern of a level.
struct Pattern {
  std::vector<std::int64_t> row_start;
  std::vector<int> column;
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

// size: the norm of each block.
Aggregates find_aggregates(const Pattern& A, const std::vector<double>& size, int passes, double strength);

// Aggregates from the aggregate of each row, checked for the archive `from`.
Aggregates aggregates_of(int rows, const std::vector<int>& of_row, const Archive& from);

// Pattern of P^T A P, P = 1 from an aggregate to each of its rows. Block e of A is in column[e] of A P and is added to
// block into[e] of the row of its aggregate.
struct CoarsePattern {
  Pattern coarse;
  std::vector<int> column, into;
};

// full: all blocks, zero or not.
CoarsePattern coarse_pattern(const Pattern& A, const Aggregates& aggregates, bool full);

// Lines of the coarse level: the aggregates whose first members lie on a line.
std::vector<RowRange> coarse_lines(const std::vector<RowRange>& lines, const Aggregates& aggregates);

// Arguments of the sum P^T A P. V, T: storage of the blocks of A and of P^T A P; floats as in RoundedCsr, doubles as in
// BlockCsr.
template <class V, class T>
struct Sums {
  const std::int64_t* row_start;  // of A
  const V* A;
  int aggregates;
  const int *start, *member, *of_row, *into;
  const std::int64_t* coarse_start;  // rows of P^T A P
  T* coarse;
};

// The host sums aggregates in chunks, with the rows of a chunk in ascending order (contiguous, unlike those of one
// aggregate), into blocks that stay in the second-level cache.
inline constexpr int aggregates_a_chunk = 256;

}  // namespace weir::aggregation

namespace weir::aggregation_host {

// member: sorted within the chunks.
template <class V, class T>
void sum_blocks(int B, const aggregation::Sums<V, T>& s);

}  // namespace weir::aggregation_host
