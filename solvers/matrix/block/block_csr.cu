// The device form: one thread a scalar row, so the B threads of a block row read its blocks side by side and x from
// cache. Moves the blocks (8 B^2 + 4 bytes each), row starts and two vectors. Sums by the fixed tree of reduce.hpp.
#include "solvers/matrix/block/block_csr.hpp"

#include <limits>
#include <string>

#include "base/error.hpp"
#include "solvers/matrix/block/block_limit.hpp"
#include "solvers/matrix/block/rounded_csr.hpp"
#include "solvers/matrix/device_products.hpp"

namespace weir {
namespace csr_products {

void apply(Device, const BlockCsrView& A, const double* x, double* y) {
  device_products::apply(A.rows * A.block, CsrRow<double>{A, x}, y);
}
double apply_dot(Device, const BlockCsrView& A, const double* x, double* y) {
  return device_products::apply_dot(A.rows * A.block, CsrRow<double>{A, x}, x, y);
}
void residual(Device, const BlockCsrView& A, const double* b, const double* x, double* r) {
  device_products::residual(A.rows * A.block, CsrRow<double>{A, x}, b, r);
}
double residual_dot(Device, const BlockCsrView& A, const double* b, const double* x, double* r) {
  return device_products::residual_dot(A.rows * A.block, CsrRow<double>{A, x}, b, r);
}

template <class Space>
void zero(View<double> value) {
  for_each<Space>(static_cast<int>(value.size()), [=] WEIR_HD(int i) { value[i] = 0; });
}

template <class Space>
void block_diagonal(const BlockCsrView& A, View<double> d) {
  for_each<Space>(A.rows, [=] WEIR_HD(int i) {
    const int entries = A.block * A.block;
    for (int e = 0; e < entries; ++e) {
      const std::int64_t from = A.diagonal[i];
      d[static_cast<std::int64_t>(i) * entries + e] = from < 0 ? 0 : A.value[from * entries + e];
    }
  });
}

}  // namespace csr_products

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Exit::usage, "block CSR matrix: " + what); }

// Which block of each row is the diagonal one; checks everything on the way.
std::vector<std::int64_t> checked_diagonal(const BlockCsrData& d) {
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  if (d.block < 1) refuse("the block size must be 1 to 64");
  refuse_large_block(d.block, largest_block, "block CSR matrix");
  if (d.row_start.empty() || d.row_start.front() != 0) refuse("row starts must begin with 0");
  const std::int64_t rows = static_cast<std::int64_t>(d.row_start.size()) - 1;
  if (rows * d.block > std::numeric_limits<int>::max()) refuse("more than 2^31 - 1 rows are not supported");
  if (d.row_start.back() != static_cast<std::int64_t>(d.column.size()))
    refuse("the last row start must be the number of blocks");
  if (!d.value.empty() && d.value.size() != d.column.size() * at(d.block * d.block))
    refuse("block size squared values a block are needed");
  for (std::int64_t i = 0; i < rows; ++i)
    if (d.row_start[at(i)] > d.row_start[at(i + 1)]) refuse("row starts descend at block row " + std::to_string(i));
  std::vector<std::int64_t> diagonal(at(rows), -1);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t e = d.row_start[at(i)]; e < d.row_start[at(i + 1)]; ++e) {
      const int c = d.column[at(e)];
      if (c < 0 || c >= rows) refuse("a column out of range in block row " + std::to_string(i));
      if (e > d.row_start[at(i)] && d.column[at(e - 1)] >= c)
        refuse("columns do not ascend in block row " + std::to_string(i));
      if (c == i) diagonal[at(i)] = e;
    }
  }
  return diagonal;
}

}  // namespace

template <class Space>
BlockPattern<Space>::BlockPattern(const BlockCsrData& data)
    : rows(data.rows()),
      block(data.block),
      symmetric(data.symmetric),
      constant_null_space(data.constant_null_space),
      diagonal(checked_diagonal(data)) {
  row_start = Array<std::int64_t, Space>(data.row_start);
  column = Array<int, Space>(data.column);
}

template <class Space>
void BlockSparse<Space>::set_lines(std::vector<RowRange> lines) {
  int end = 0;
  for (const RowRange& line : lines) {
    if (line.first < end || line.count < 1 || line.count > rows() - line.first)
      refuse("a line of " + std::to_string(line.count) + " rows at block row " + std::to_string(line.first) +
             " overlaps the one before or leaves the matrix");
    end = line.first + line.count;
  }
  pattern_->lines = std::move(lines);
}

template <class Space>
BlockCsr<Space>::BlockCsr(const BlockCsrData& data)
    : BlockSparse<Space>(std::make_shared<BlockPattern<Space>>(data)),
      value_(this->blocks() * data.block * data.block) {
  if (data.value.empty())
    csr_products::zero<Space>(value_.view());
  else
    value_.upload(data.value);
}

template <class Space>
BlockCsr<Space>::BlockCsr(const RoundedCsr<Space>& A)
    : BlockSparse<Space>(A.pattern()), value_(A.blocks() * A.block() * A.block()) {
  A.widen(value_.view());
}

template <class Space>
void BlockCsr<Space>::block_diagonal(View<double> d) const {
  csr_products::block_diagonal<Space>(view(), d);
}
template <class Space>
Work BlockCsr<Space>::apply_work() const {
  const std::int64_t entries = value_.size();
  return {8 * entries + 4 * this->blocks() + 8 * std::int64_t{this->rows()} + 16 * std::int64_t{this->size()},
          2 * entries};
}

template struct BlockPattern<Host>;
template struct BlockPattern<Device>;
template class BlockSparse<Host>;
template class BlockSparse<Device>;
template class BlockCsr<Host>;
template class BlockCsr<Device>;

}  // namespace weir
