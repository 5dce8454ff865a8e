#include "solvers/plugin/converted_rows.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/visit.hpp"

namespace weir {
namespace converted_rows {

// a slot outside the grid; a slot that coincides with an earlier one of its cell
constexpr signed char nowhere = -1, adds = 8;

// Destination: block p of block row i, whose rows are pitch(i) apart.
struct Target {
  BlockCsrView rows;
  double* value = nullptr;
  int B = 1;
  bool scalar = false;
  WEIR_HD double* block(int i, std::int64_t p) const {
    return scalar ? value + rows.row_start[std::int64_t{i} * B] + p * B : value + (rows.row_start[i] + p) * B * B;
  }
  WEIR_HD std::int64_t pitch(int i) const {
    return scalar ? rows.row_start[std::int64_t{i} * B + 1] - rows.row_start[std::int64_t{i} * B] : B;
  }
};

template <class Space>
Target target_of(BlockCsr<Space>& rows, int B, bool scalar) {
  return {rows.view(), rows.values().data(), B, scalar};
}

template <class Space>
void fill_from_blocks(const BlockCsrView& A, const Target& to) {
  for_each<Space>(A.rows, [=] WEIR_HD(int i) {
    const int B = A.block;
    const std::int64_t first = A.row_start[i], pitch = to.pitch(i);
    for (std::int64_t e = first; e < A.row_start[i + 1]; ++e) {
      double* block = to.block(i, e - first);
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c) block[r * pitch + c] = A.value[(e * B + r) * B + c];
    }
  });
}

// A mirrored slot is the opposite one of the neighbour, transposed; for matrices with one unknown per cell.
template <class Space>
void fill_from_stencil(const BlockStencilView& A, bool upper_only, View<const signed char> place, const Target& to) {
  for_each<Space>(A.cells.count(), [=] WEIR_HD(int cell) {
    const std::int64_t pitch = to.pitch(cell);
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const int p = place[std::int64_t{cell} * slot::count + s];
      if (p == nowhere) continue;
      double* block = to.block(cell, p % adds);
      const double* from = A.block(cell, s);
      if (upper_only && s < slot::delta) from = A.block(to.rows.column[to.rows.row_start[cell] + p % adds], 6 - s);
      for (int r = 0; r < A.n; ++r)
        for (int c = 0; c < A.n; ++c) {
          const double value = from[std::int64_t{c} * A.n + r];
          block[r * pitch + c] = p < adds ? value : block[r * pitch + c] + value;
        }
    }
  });
}

}  // namespace converted_rows

template <class Space>
const BlockCsr<Space>& ConvertedRows<Space>::of(const Matrix<Space>& A) {
  using Rows = const BlockCsr<Space>&;
  return visit(A, Overloaded{[&](const BlockCsr<Space>& blocks) -> Rows { return of_blocks(blocks); },
                             [&](const Banded<Space>& bands) -> Rows {
                               if (bands.remainder().rows > 0) return of_any(bands);
                               return of_stencil(bands, bands.banded().upper_only);
                             },
                             [&](const BlockStencil<Space>& stencil) -> Rows { return of_stencil(stencil, false); },
                             [&](const Matrix<Space>& other) -> Rows { return of_any(other); }});
}

template <class Space>
const BlockCsr<Space>& ConvertedRows<Space>::of_stencil(const BlockStencil<Space>& A, bool upper_only) {
  const Grid grid{A.cells(), A.periodic(), A.block()};
  if (!rows_ || !(grid == grid_)) {
    keep(block_rows(A));
    find_places(A);
    grid_ = grid;
  }
  converted_rows::fill_from_stencil<Space>(A.stencil(), upper_only, place_,
                                           converted_rows::target_of(*rows_, A.block(), scalar_));
  return *rows_;
}

template <class Space>
const BlockCsr<Space>& ConvertedRows<Space>::of_blocks(const BlockCsr<Space>& A) {
  if (!rows_ || blocks_ != A.pattern()) {
    keep(block_rows(A));
    blocks_ = A.pattern();
  }
  converted_rows::fill_from_blocks<Space>(A.view(), converted_rows::target_of(*rows_, A.block(), scalar_));
  return *rows_;
}

template <class Space>
const BlockCsr<Space>& ConvertedRows<Space>::of_any(const Matrix<Space>& A) {
  BlockCsrData data = block_rows(A);
  if (scalar_ && data.block > 1) data = scalar_rows(data);
  if (rows_ && data.row_start == row_start_ && data.column == column_ && rows_->block() == data.block) {
    rows_->update(data.value);
  } else {
    keep(data);
    row_start_ = std::move(data.row_start);
    column_ = std::move(data.column);
  }
  return *rows_;
}

template <class Space>
void ConvertedRows<Space>::keep(BlockCsrData data) {
  if (scalar_ && data.block > 1) data = scalar_rows(data);
  rows_.emplace(data);
  grid_ = {};
  blocks_.reset();
  row_start_.clear();
  column_.clear();
}

template <class Space>
void ConvertedRows<Space>::find_places(const BlockStencil<Space>& A) {
  const BlockStencilView v = A.stencil();
  std::vector<signed char> place(at(A.rows()) * slot::count, converted_rows::nowhere);
  std::vector<int> cells;  // of the row, ascending
  cells.reserve(slot::count);
  for (int cell = 0; cell < A.rows(); ++cell) {
    int to[slot::count];  // position of each slot
    cells.clear();
    for (int s = v.first; s < v.first + v.slots; ++s)
      if ((to[s] = v.neighbour(cell, s)) >= 0) cells.push_back(to[s]);
    std::ranges::sort(cells);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    unsigned taken = 0;
    for (int s = v.first; s < v.first + v.slots; ++s) {
      if (to[s] < 0) continue;
      const auto p = static_cast<int>(std::ranges::lower_bound(cells, to[s]) - cells.begin());
      place[at(cell) * slot::count + at(s)] = static_cast<signed char>(p + (taken >> p & 1 ? converted_rows::adds : 0));
      taken |= 1u << p;
    }
  }
  place_ = Array<signed char, Space>(place);
}

template <class Space>
std::int64_t ConvertedRows<Space>::bytes() const {
  if (!rows_) return 0;
  const std::int64_t host =
      8 * static_cast<std::int64_t>(row_start_.size()) + 4 * static_cast<std::int64_t>(column_.size());
  return rows_->bytes() + 4 * rows_->blocks() + 16 * rows_->rows() + place_.size() + host;
}

template class ConvertedRows<Host>;
template class ConvertedRows<Device>;

}  // namespace weir
