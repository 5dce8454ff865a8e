#include "solvers/matrix/block/block_rows.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "solvers/matrix/visit.hpp"

namespace weir {
namespace {

// Builds rows in order; blocks at the same position are added.
class RowBuilder {
 public:
  explicit RowBuilder(int block) {
    data_.block = block;
    data_.row_start.push_back(0);
  }
  double* block(int column) {
    const auto size = static_cast<std::size_t>(data_.block * data_.block);
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (columns_[k].first == column) return values_.data() + columns_[k].second;
    columns_.emplace_back(column, values_.size());
    values_.resize(values_.size() + size, 0);
    return values_.data() + columns_.back().second;
  }
  void end_row() {
    std::ranges::sort(columns_);
    const auto size = static_cast<std::ptrdiff_t>(data_.block * data_.block);
    for (const auto& [column, at] : columns_) {
      data_.column.push_back(column);
      const auto from = values_.begin() + static_cast<std::ptrdiff_t>(at);
      data_.value.insert(data_.value.end(), from, from + size);
    }
    data_.row_start.push_back(static_cast<std::int64_t>(data_.column.size()));
    columns_.clear();
    values_.clear();
  }
  BlockCsrData take() { return std::move(data_); }

 private:
  BlockCsrData data_;
  std::vector<std::pair<int, std::size_t>> columns_;
  std::vector<double> values_;
};

template <class Space>
BlockCsrData rows_of(const BlockSparse<Space>& A) {
  return {A.block(), A.row_start().to_vector(), A.column().to_vector(), A.to_values()};
}

template <class Space>
BlockCsrData rows_of(const BlockStencil<Space>& A, bool upper_only = false, const RemainderData& beside = {}) {
  std::vector<double> values(static_cast<std::size_t>(A.entries()));
  A.download(values);
  const BlockStencilView v = A.stencil().on(values.data());
  RowBuilder rows(v.n);
  std::size_t q = 0;
  for (int cell = 0; cell < A.rows(); ++cell) {
    for (int s = v.first; s < v.first + v.slots; ++s) {
      const int to = v.neighbour(cell, s);
      if (to < 0) continue;
      const bool mirror = upper_only && s < slot::delta;
      double* block = rows.block(to);
      for (int r = 0; r < v.n; ++r)
        for (int c = 0; c < v.n; ++c) block[r * v.n + c] += mirror ? v.entry(to, 6 - s, c, r) : v.entry(cell, s, r, c);
    }
    if (q < beside.row.size() && beside.row[q] == cell) {
      for (int e = beside.start[q]; e < beside.start[q + 1]; ++e) *rows.block(beside.column[e]) += beside.value[e];
      ++q;
    }
    rows.end_row();
  }
  return rows.take();
}

template <class Space>
BlockCsrData rows_of(const Banded<Space>& A) {
  return rows_of(static_cast<const BlockStencil<Space>&>(A), A.banded().upper_only, A.remainder_on_host());
}

template <class Space>
BlockCsrData rows_of(const Matrix<Space>& A) {
  if (!A.separable())
    throw Error(Exit::usage, "this system has no stored entries (matrix-free) and cannot be passed to another library");
  const SeparableOperator& op = *A.separable();
  const Extents e = op.extents();
  const int n[] = {e.nx, e.ny, e.nz}, stride[] = {1, e.nx, e.nx * e.ny};
  RowBuilder rows(1);
  for (int cell = 0; cell < e.count(); ++cell) {
    const int at[] = {cell % e.nx, cell / e.nx % e.ny, cell / (e.nx * e.ny)};
    double mass[3], volume = 1;
    for (int d = 0; d < 3; ++d) {
      mass[d] = op.direction[d].mass[at[d]];
      volume *= mass[d];
    }
    *rows.block(cell) += op.shift * volume;
    for (int d = 0; d < 3; ++d) {
      const SeparableDirection& k = op.direction[d];
      const auto i = static_cast<std::size_t>(at[d]);
      const double area = op.scale * mass[(d + 1) % 3] * mass[(d + 2) % 3];
      *rows.block(cell) += area * (k.lower[i] + k.upper[i] + k.boundary[i]);
      const bool has_lower = at[d] > 0 || (k.periodic && n[d] > 1),
                 has_upper = at[d] + 1 < n[d] || (k.periodic && n[d] > 1);
      const int lower = cell + stride[d] * (at[d] > 0 ? -1 : n[d] - 1);
      const int upper = cell + stride[d] * (at[d] + 1 < n[d] ? 1 : 1 - n[d]);
      if (has_lower) *rows.block(lower) -= area * k.lower[i];
      if (has_upper) *rows.block(upper) -= area * k.upper[i];
    }
    rows.end_row();
  }
  return rows.take();
}

}  // namespace

template <class Space>
BlockCsrData block_rows(const Matrix<Space>& A) {
  BlockCsrData data = visit(A, [](const auto& kind) { return rows_of(kind); });
  data.symmetric = A.is_symmetric();
  data.constant_null_space = A.has_constant_null_space();
  return data;
}

template BlockCsrData block_rows(const Matrix<Host>&);
template BlockCsrData block_rows(const Matrix<Device>&);

}  // namespace weir
