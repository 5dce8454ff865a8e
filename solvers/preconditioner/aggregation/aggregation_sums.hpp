// What P^T A P is summed from (aggregates.hpp).
#pragma once
#include <cstdint>

namespace weir::aggregation {

// V, T: what the blocks of A and of P^T A P are stored in; floats lie as those of RoundedCsr, doubles as those of BlockCsr.
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
