// Scalar rows for direct solvers with 64-bit indices. If constants are the null space, the last unknown is fixed at
// zero, which makes the matrix regular: its right-hand side must be zero too, and the caller subtracts the mean.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {

class HeldRows {
 public:
  void take(const BlockCsrData& blocks) {
    const BlockCsrData scalar = scalar_rows(blocks);
    n = scalar.rows();
    start.assign(scalar.row_start.begin(), scalar.row_start.end());
    column.assign(scalar.column.begin(), scalar.column.end());
    take_values(blocks, scalar);
  }
  void update(const BlockCsrData& blocks) { take_values(blocks, scalar_rows(blocks)); }

  bool holds_last = false;
  std::int64_t n = 0;
  std::vector<std::int64_t> start, column;
  std::vector<double> value;

 private:
  void take_values(const BlockCsrData& blocks, const BlockCsrData& scalar) {
    value = scalar.value;
    holds_last = blocks.constant_null_space;
    for (std::int64_t i = 0, last = n - 1; holds_last && i < n; ++i)
      for (std::int64_t e = start[i]; e < start[i + 1]; ++e)
        if (i == last || column[e] == last) value[e] = i == column[e] ? 1 : 0;
  }
};

}  // namespace weir
