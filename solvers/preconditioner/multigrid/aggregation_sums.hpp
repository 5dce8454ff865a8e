// What A P and P^T A P are summed from (aggregates.hpp).
#pragma once
#include <cstdint>

namespace weir::aggregation {

// T: what the blocks of A P are stored in; floats lie column by column on Host, as those of RoundedCsr.
template <class T>
struct Sums {
  const std::int64_t* row_start;  // of A
  const double* A;
  int aggregates;
  const int *start, *member, *of_row;
  const std::int64_t* product_start;  // rows of A P
  const int *source, *end, *into;
  T* product;
  const std::int64_t* coarse_start;  // rows of P^T A P
  double* coarse;
};

// On Host, aggregates are summed by the chunk: its rows in ascending order, which follow each other in runs (the rows of one
// aggregate do not), into blocks that stay in the second cache.
inline constexpr int aggregates_a_chunk = 256;

}  // namespace weir::aggregation

namespace weir::aggregation_host {

// member: sorted within the chunks.
template <class T>
void sum_blocks(int B, const aggregation::Sums<T>& s);

}  // namespace weir::aggregation_host
