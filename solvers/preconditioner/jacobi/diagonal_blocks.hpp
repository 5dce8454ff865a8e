// The diagonal blocks of a matrix, a part of the rows at a time, so that they need little memory.
#pragma once
#include <algorithm>

#include "solvers/device/array.hpp"
#include "solvers/matrix/matrix.hpp"

namespace weir {

inline constexpr double diagonal_blocks_share = 1.0 / 16;  // rows of a part / all rows; small matrices are one part

// use(first, blocks) for each part of the block rows, with `blocks` in `part`.
template <class Space, class Use>
void for_diagonal_blocks(const Matrix<Space>& A, Array<double, Space>& part, const Use& use) {
  constexpr int least = 4096;
  const int most = std::min(A.rows(), std::max(least, static_cast<int>(diagonal_blocks_share * A.rows()) + 1));
  const std::int64_t entries = std::int64_t{A.block()} * A.block();
  if (part.size() != most * entries) part = Array<double, Space>(most * entries);
  for (int first = 0; first < A.rows(); first += most) {
    const View<double> blocks = part.view().part(0, std::min(most, A.rows() - first) * entries);
    A.block_diagonal(first, blocks);
    use(first, blocks);
  }
}

}  // namespace weir
