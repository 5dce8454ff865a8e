#include "solvers/matrix/block/cut_blocks.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace weir {
namespace {

// Number of blocks of size B with an entry; stops counting above `most`.
std::int64_t count_blocks(const BlockCsrData& d, int B, std::int64_t most) {
  std::vector<int> seen(at(d.rows() / B), -1);  // last block row with a block in this block column
  std::int64_t count = 0;
  for (int i = 0; i < d.rows() / B && count <= most; ++i)
    for (auto e = d.row_start[i * B]; e < d.row_start[(i + 1) * B]; ++e) {
      int& last = seen[d.column[e] / B];
      count += last != i;
      last = i;
    }
  return count;
}

}  // namespace

int detect_block(const BlockCsrData& d) {
  for (int B = 8; B > 1; --B) {
    if (d.rows() % B != 0) continue;
    const auto most = static_cast<std::int64_t>(static_cast<double>(d.column.size()) / (0.9 * B * B));
    if (count_blocks(d, B, most) <= most) return B;
  }
  return 1;
}

BlockCsrData cut_into_blocks(BlockCsrData&& d, int B) {
  if (B == 1) return std::move(d);
  BlockCsrData b;
  b.block = B;
  b.symmetric = d.symmetric;
  b.row_start.assign(at(d.rows() / B) + 1, 0);
  std::vector<int> columns;
  for (int i = 0; i < d.rows() / B; ++i) {
    columns.clear();
    for (auto e = d.row_start[i * B]; e < d.row_start[(i + 1) * B]; ++e) columns.push_back(d.column[e] / B);
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    b.column.insert(b.column.end(), columns.begin(), columns.end());
    b.row_start[i + 1] = static_cast<std::int64_t>(b.column.size());
  }
  b.value.assign(b.column.size() * at(B) * at(B), 0);
  for (int row = 0; row < d.rows(); ++row) {
    const auto from = b.column.begin() + b.row_start[row / B], to = b.column.begin() + b.row_start[at(row / B) + 1];
    for (auto e = d.row_start[row]; e < d.row_start[row + 1]; ++e) {
      const int column = d.column[e];
      const auto k = std::lower_bound(from, to, column / B) - b.column.begin();
      b.value[(k * B + row % B) * B + column % B] = d.value[e];
    }
  }
  return b;
}

BlockCsrData scalar_rows(const BlockCsrData& b) {
  const int B = b.block;
  BlockCsrData d;
  d.symmetric = b.symmetric;
  d.constant_null_space = b.constant_null_space;
  d.row_start.assign(1, 0);
  d.row_start.reserve(at(b.rows()) * at(B) + 1);
  d.column.reserve(b.value.size());
  for (int i = 0; i < b.rows(); ++i)
    for (int u = 0; u < B; ++u) {
      for (auto e = b.row_start[i]; e < b.row_start[i + 1]; ++e)
        for (int v = 0; v < B; ++v) d.column.push_back(b.column[e] * B + v);
      d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
    }
  d.value.resize(b.value.size());
  update_scalar_rows(b, d);
  return d;
}

void update_scalar_rows(const BlockCsrData& b, BlockCsrData& scalar) {
  const int B = b.block;
  auto to = scalar.value.begin();
  for (int i = 0; i < b.rows(); ++i)
    for (int u = 0; u < B; ++u)
      for (auto e = b.row_start[i]; e < b.row_start[i + 1]; ++e)
        to = std::copy_n(b.value.begin() + (e * B + u) * B, B, to);
}

}  // namespace weir
