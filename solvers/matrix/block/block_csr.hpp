// Block sparse rows: block row i has the dense row-major B x B blocks row_start[i] .. row_start[i + 1] - 1 at block
// columns column[...], in ascending order.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/matrix/fused_products.hpp"

namespace weir {

// Upper bound of the block size B.
inline constexpr int largest_block = 64;

// A matrix on the host, as built by readers and assembly.
struct BlockCsrData {
  int block = 1;                        // B, 1 to 64
  std::vector<std::int64_t> row_start;  // block rows + 1
  std::vector<int> column;              // of each block
  std::vector<double> value;            // B * B of each block; empty: zeros
  bool symmetric = false;
  bool constant_null_space = false;

  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

// Block rows first .. first + count - 1.
struct RowRange {
  int first = 0, count = 0;
};

// Kernel view. T: type of the stored blocks. diagonal[i]: index of the diagonal block of row i; -1: none.
template <class T>
struct CsrView {
  int rows = 0, block = 1;
  View<const std::int64_t> row_start;
  View<const int> column;
  View<const std::int64_t> diagonal;
  View<const T> value;
};
using BlockCsrView = CsrView<double>;
using RoundedCsrView = CsrView<float>;

// A x for small matrices on the device: one thread per scalar row.
template <class T>
struct CsrRow {
  CsrView<T> A;
  const double* x;
  WEIR_HD double operator()(int row) const {
    const int B = A.block, i = row / B, r = row % B;
    double s = 0;
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const T* a = A.value.data() + (e * B + r) * B;
      const double* xc = x + static_cast<std::int64_t>(A.column[e]) * B;
      for (int c = 0; c < B; ++c) s += static_cast<double>(a[c]) * xc[c];
    }
    return s;
  }
};

template <class Space>
struct BlockPattern {
  int rows = 0, block = 1;
  bool symmetric = false, constant_null_space = false;
  Array<std::int64_t, Space> row_start, diagonal;
  Array<int, Space> column;
  std::vector<RowRange> lines;

  // Throws Error(usage) with the row if the pattern is invalid or the sizes disagree.
  explicit BlockPattern(const BlockCsrData& data);
  // Arrays that are valid as they are.
  BlockPattern(int block_size, Array<std::int64_t, Space> starts, Array<int, Space> columns, bool is_symmetric);
};

// Block CSR without its values, for any type of the stored values.
template <class Space>
class BlockSparse : public Matrix<Space> {
 public:
  int rows() const override { return pattern_->rows; }
  int block() const override { return pattern_->block; }
  bool is_symmetric() const override { return pattern_->symmetric; }
  bool has_constant_null_space() const override { return pattern_->constant_null_space; }
  // before the set-up of a solver
  void set_constant_null_space(bool singular) { pattern_->constant_null_space = singular; }

  // Runs of rows with strong coupling to the next row (lines through a boundary layer), for `line`. Throws
  // Error(usage) unless they ascend without overlap.
  void set_lines(std::vector<RowRange> lines);
  const std::vector<RowRange>& lines() const { return pattern_->lines; }

  std::int64_t blocks() const { return pattern_->column.size(); }
  const Array<std::int64_t, Space>& row_start() const { return pattern_->row_start; }
  const Array<std::int64_t, Space>& diagonal() const { return pattern_->diagonal; }  // as in CsrView
  const Array<int, Space>& column() const { return pattern_->column; }
  const std::shared_ptr<BlockPattern<Space>>& pattern() const { return pattern_; }

  virtual std::vector<double> to_values() const = 0;        // B * B of each block, row-major
  virtual void update(std::span<const double> values) = 0;  // same layout
  virtual std::int64_t bytes() const = 0;                   // of the values

 protected:
  explicit BlockSparse(std::shared_ptr<BlockPattern<Space>> pattern) : pattern_(std::move(pattern)) {}
  template <class T>
  CsrView<T> view_of(const Array<T, Space>& value) const {
    const BlockPattern<Space>& p = *pattern_;
    return {p.rows, p.block, p.row_start.view(), p.column.view(), p.diagonal.view(), value.view()};
  }

 private:
  std::shared_ptr<BlockPattern<Space>> pattern_;
};

// A need not be square: columns index x. A residual may overwrite b.
namespace csr_products {
Pair product(Host, const CsrView<double>& A, Product p, const double* b, const double* x, double* y);
Pair product(Host, const CsrView<float>& A, Product p, const double* b, const double* x, double* y);
template <class T>
Pair product(Device, const CsrView<T>& A, Product p, const double* b, const double* x, double* y);
template <class T>  // variant for many rows
Pair product_by_warps(const CsrView<T>& A, Product p, const double* b, const double* x, double* y);
}  // namespace csr_products

// Float values halve memory and bandwidth, for solves to a few digits; vectors and sums stay double. On the host,
// float blocks are column-major, as in the factors of block_ilu0; all others are row-major.
template <class Space, class T>
class CsrMatrix : public FusedProducts<CsrMatrix<Space, T>, BlockSparse<Space>> {
 public:
  static constexpr bool is_rounded = std::is_same_v<T, float>;
  static constexpr bool by_columns = is_rounded && std::is_same_v<Space, Host>;  // block layout
  using Other = CsrMatrix<Space, std::conditional_t<is_rounded, double, float>>;

  explicit CsrMatrix(const BlockCsrData& data);                                    // Error(usage): as BlockPattern
  explicit CsrMatrix(const Other& A);                                              // pattern and values of A
  CsrMatrix(std::shared_ptr<BlockPattern<Space>> pattern, Array<T, Space> values)  // values: in storage order
      : CsrMatrix::FusedProducts(std::move(pattern)), value_(std::move(values)) {}
  void round(View<const double> values);  // sets the values: B * B of each block, row-major
  void widen(View<double> values) const;  // copies the values out

  static constexpr bool fuses(Product p) { return p != (is_rounded ? Product::apply_dot : Product::apply_dots); }
  Pair product(Product p, const double* b, const double* x, double* y) const {
    return csr_products::product(Space{}, view(), p, b, x, y);
  }
  void block_diagonal(int first, View<double> d) const override;  // zeros if the pattern has no diagonal block
  Work apply_work() const override;

  CsrView<T> view() const { return this->view_of(value_); }
  View<T> values() { return value_.view(); }  // in storage order, to be written by kernels
  std::vector<double> to_values() const override;
  void update(std::span<const double> values) override;
  std::int64_t bytes() const override { return static_cast<std::int64_t>(sizeof(T)) * value_.size(); }

 private:
  Array<T, Space> value_;
};
template <class Space>
using BlockCsr = CsrMatrix<Space, double>;
template <class Space>
using RoundedCsr = CsrMatrix<Space, float>;

// f(A) with A as BlockCsr or RoundedCsr. A: a BlockSparse, const or not.
template <class A, class F>
decltype(auto) with_kind(A& sparse, const F& f) {
  using Space = typename A::SpaceOf;
  using Rounded = std::conditional_t<std::is_const_v<A>, const RoundedCsr<Space>, RoundedCsr<Space>>;
  using Full = std::conditional_t<std::is_const_v<A>, const BlockCsr<Space>, BlockCsr<Space>>;
  if (auto* rounded = dynamic_cast<Rounded*>(&sparse)) return f(*rounded);
  return f(static_cast<Full&>(sparse));
}
template <class Space, class F>
auto with_view(const BlockSparse<Space>& A, const F& f) {
  return with_kind(A, [&](const auto& kind) { return f(kind.view()); });
}

}  // namespace weir
