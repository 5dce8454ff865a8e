// Aggregates of block rows: what an aggregation multigrid keeps of a level. On the host, once a pattern.
//
// Pairs are matched along the strongest couplings, and pairs of pairs again, `passes` times (Notay 2010, section 3): up to
// 2^passes rows join. The coupling of two rows is the larger Frobenius norm of their two blocks, that of two aggregates
// the sum over their rows. A row is matched only along a coupling of at least `strength` times its strongest one, so that
// stretched cells join across their long faces alone (semi-coarsening).
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::aggregation {

// The members of aggregate I are member[start[I]] .. member[start[I + 1] - 1], ascending; aggregates are numbered in
// the order of their first members, so that an order good for ILU stays one.
struct Aggregates {
  std::vector<int> of_row, start, member;
  int count() const { return static_cast<int>(start.size()) - 1; }
};

// The block pattern of a level.
struct Pattern {
  std::vector<std::int64_t> row_start;
  std::vector<int> column;
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

// size: the norm of each block.
Aggregates find_aggregates(const Pattern& A, const std::vector<double>& size, int passes, double strength);

// From the aggregate of each row, as `from` has told it.
Aggregates aggregates_of(int rows, const std::vector<int>& of_row, const Archive& from);

// P^T A P, P being 1 from an aggregate to each of its rows. Block e of A stands in column[e] of A P, and is part of block
// into[e] of its aggregate's row of P^T A P.
struct CoarsePattern {
  Pattern coarse;
  std::vector<int> column, into;
};

// full: P^T A P with every block, zero or not.
CoarsePattern coarse_pattern(const Pattern& A, const Aggregates& aggregates, bool full);

// Lines of the coarse level: the aggregates whose first members lie on a line.
std::vector<RowRange> coarse_lines(const std::vector<RowRange>& lines, const Aggregates& aggregates);

// What P^T A P is summed from. V, T: what the blocks of A and of P^T A P are stored in; floats lie as those of RoundedCsr, doubles as those of BlockCsr.
template <class V, class T>
struct Sums {
  const std::int64_t* row_start;  // of A
  const V* A;
  int aggregates;
  const int *start, *member, *of_row, *into;
  const std::int64_t* coarse_start;  // rows of P^T A P
  T* coarse;
};

// On Host, aggregates are summed by the chunk: its rows in ascending order, which follow each other in runs (the rows of one
// aggregate do not), into blocks that stay in the second cache.
inline constexpr int aggregates_a_chunk = 256;

}  // namespace weir::aggregation

namespace weir::aggregation_host {

// member: sorted within the chunks.
template <class V, class T>
void sum_blocks(int B, const aggregation::Sums<V, T>& s);

}  // namespace weir::aggregation_host
