// Block sparse rows: block row i holds the dense B x B blocks row_start[i] .. row_start[i + 1] - 1, each row-major, at
// block columns column[...] in ascending order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/matrix/matrix.hpp"

namespace weir {

inline constexpr int largest_block = 64;

// A matrix on the host, as readers and assemblies hand it over.
struct BlockCsrData {
  int block = 1;                        // B, 1..64
  std::vector<std::int64_t> row_start;  // block rows + 1
  std::vector<int> column;              // of each block
  std::vector<double> value;            // B * B of each block
  bool symmetric = false;
  bool constant_null_space = false;

  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

// Block rows first .. first + count - 1.
struct RowRange {
  int first = 0, count = 0;
};

// What kernels see. diagonal[i]: which block is the diagonal one of row i, or -1 where the pattern has none.
struct BlockCsrView {
  int rows = 0, block = 1;
  View<const std::int64_t> row_start;
  View<const int> column;
  View<const std::int64_t> diagonal;
  View<const double> value;
};

template <class Space>
class BlockCsr : public Matrix<Space> {
 public:
  // Error(usage) that names the row where the pattern is not as said above or sizes disagree.
  explicit BlockCsr(const BlockCsrData& data);

  int rows() const override { return rows_; }
  int block() const override { return block_; }
  void apply(View<const double> x, View<double> y) const override;
  double apply_dot(View<const double> x, View<double> y) const override;
  void residual(View<const double> b, View<const double> x, View<double> r) const override;
  double residual_dot(View<const double> b, View<const double> x, View<double> r) const override;
  void block_diagonal(View<double> d) const override;  // zeros where the pattern has no diagonal block
  bool is_symmetric() const override { return symmetric_; }
  bool has_constant_null_space() const override { return constant_null_space_; }
  Work apply_work() const override;

  // Runs of rows that are coupled strongly to the next one (lines through a boundary layer), for `line`: ascending,
  // without overlap. Error(usage) where they are not.
  void set_lines(std::vector<RowRange> lines);
  const std::vector<RowRange>& lines() const { return lines_; }

  std::int64_t blocks() const { return column_.size(); }
  BlockCsrView view() const;
  const Array<std::int64_t, Space>& row_start() const { return row_start_; }
  const Array<std::int64_t, Space>& diagonal() const { return diagonal_; }  // as in BlockCsrView
  const Array<int, Space>& column() const { return column_; }
  std::vector<double> to_values() const { return value_.to_vector(); }
  // New values on the same pattern: written in place by a kernel, or uploaded from the host.
  View<double> values() { return value_.view(); }
  void update(std::span<const double> values) { value_.upload(values); }

 private:
  int rows_, block_;
  bool symmetric_, constant_null_space_;
  Array<std::int64_t, Space> row_start_, diagonal_;
  Array<int, Space> column_;
  Array<double, Space> value_;
  std::vector<RowRange> lines_;
};

// r = b - A x; r may be b. A need not be square: columns are x's.
template <class Space>
void residual_of(const BlockCsrView& A, View<const double> b, View<const double> x, View<double> r);

namespace block_csr_host {
void apply(const BlockCsrView& A, const double* x, double* y);
double apply_dot(const BlockCsrView& A, const double* x, double* y);
void residual(const BlockCsrView& A, const double* b, const double* x, double* r);
double residual_dot(const BlockCsrView& A, const double* b, const double* x, double* r);
}  // namespace block_csr_host

}  // namespace weir
