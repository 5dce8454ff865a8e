// Device products of small, cached matrices: one thread per scalar row. Large ones: block_csr_warps.cu. Bytes: blocks
// (8 or 4 B^2, + 4 each), row starts and two vectors. Sums use the fixed tree of reduce.hpp.
#include "solvers/matrix/block/block_csr.hpp"

#include <limits>
#include <string>

#include "base/error.hpp"
#include "solvers/matrix/block/block_limit.hpp"
#include "solvers/matrix/device_products.hpp"

namespace weir {
namespace csr_products {

template <class T>
Pair product(Device, const CsrView<T>& A, Product p, const double* b, const double* x, double* y) {
  constexpr int many = 1 << 13;  // block rows: at least one warp per scheduler of each multiprocessor
  if (A.rows >= many) return product_by_warps(A, p, b, x, y);
  return device_product(p, A.rows * A.block, CsrRow<T>{A, x}, b, x, y);
}

// Position of entry e (row by row) in storage.
WEIR_HD inline std::int64_t place_of(std::int64_t e, int B, bool by_columns) {
  if (!by_columns) return e;
  const std::int64_t nn = std::int64_t{B} * B, first = e / nn * nn, q = e - first;
  return first + q % B * B + q / B;
}
template <class Space, class T>
void zero(View<T> value) {
  if (std::is_same_v<Space, Host>)  // a device lambda is not allowed inside `if constexpr`
    for_each<Host>(value.size(), [=] WEIR_HD(int i) { value[i] = 0; });
  else
    backend::set_zero(value.data(), value.size() * static_cast<std::int64_t>(sizeof(T)));
}
template <class Space, class T>
void round(int B, View<const double> from, View<T> to) {
  const double* a = from.data();
  T* rounded = to.data();
  constexpr bool by_columns = CsrMatrix<Space, T>::by_columns;
  for_each<Space>(to.size(), [=] WEIR_HD(int i) { rounded[place_of(i, B, by_columns)] = static_cast<T>(a[i]); });
}
template <class Space, class T>
void widen(int B, View<const T> from, View<double> to) {
  const T* rounded = from.data();
  double* a = to.data();
  constexpr bool by_columns = CsrMatrix<Space, T>::by_columns;
  for_each<Space>(to.size(), [=] WEIR_HD(int i) { a[i] = static_cast<double>(rounded[place_of(i, B, by_columns)]); });
}
template <class Space, class T>
void block_diagonal(const CsrView<T>& A, int first, View<double> d) {
  constexpr bool by_columns = CsrMatrix<Space, T>::by_columns;
  const int entries = A.block * A.block;
  for_each<Space>(static_cast<int>(d.size() / entries), [=] WEIR_HD(int i) {
    const std::int64_t from = A.diagonal[first + i];
    for (int e = 0; e < entries; ++e)
      d[static_cast<std::int64_t>(i) * entries + e] =
          from < 0 ? 0 : static_cast<double>(A.value[from * entries + place_of(e, A.block, by_columns)]);
  });
}

template Pair product(Device, const CsrView<double>&, Product, const double*, const double*, double*);
template Pair product(Device, const CsrView<float>&, Product, const double*, const double*, double*);

}  // namespace csr_products

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Exit::usage, "block CSR matrix: " + what); }

std::vector<std::int64_t> checked_diagonal(const BlockCsrData& d) {
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  if (d.block < 1) refuse("the block size must be between 1 and 64");
  refuse_large_block(d.block, largest_block, "block CSR matrix");
  if (d.row_start.empty() || d.row_start.front() != 0) refuse("row starts must begin with 0");
  const std::int64_t rows = static_cast<std::int64_t>(d.row_start.size()) - 1;
  if (rows * d.block > std::numeric_limits<int>::max()) refuse("more than 2^31 - 1 rows are not supported");
  if (d.row_start.back() != static_cast<std::int64_t>(d.column.size()))
    refuse("the last row start must equal the number of blocks");
  if (!d.value.empty() && d.value.size() != d.column.size() * at(d.block * d.block))
    refuse("expected block size squared values per block");
  for (std::int64_t i = 0; i < rows; ++i)
    if (d.row_start[i] > d.row_start[i + 1])
      refuse("row starts must not decrease; they do at block row " + std::to_string(i));
  std::vector<std::int64_t> diagonal(at(rows), -1);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t e = d.row_start[i]; e < d.row_start[i + 1]; ++e) {
      const int c = d.column[e];
      if (c < 0 || c >= rows) refuse("column out of range in block row " + std::to_string(i));
      if (e > d.row_start[i] && d.column[e - 1] >= c)
        refuse("columns must ascend; they do not in block row " + std::to_string(i));
      if (c == i) diagonal[i] = e;
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
BlockPattern<Space>::BlockPattern(int block_size, Array<std::int64_t, Space> starts, Array<int, Space> columns,
                                  bool is_symmetric)
    : rows(static_cast<int>(starts.size()) - 1),
      block(block_size),
      symmetric(is_symmetric),
      row_start(std::move(starts)),
      diagonal(rows),
      column(std::move(columns)) {
  std::int64_t* to = diagonal.data();
  const std::int64_t* start = row_start.data();
  const int* columns_of_rows = column.data();
  for_each<Space>(rows, [=] WEIR_HD(int i) {
    to[i] = -1;
    for (std::int64_t e = start[i]; e < start[i + 1]; ++e)
      if (columns_of_rows[e] == i) to[i] = e;
  });
}

template <class Space>
void BlockSparse<Space>::set_lines(std::vector<RowRange> lines) {
  int end = 0;
  for (const RowRange& line : lines) {
    if (line.first < end || line.count < 1 || line.count > rows() - line.first)
      refuse("a line of " + std::to_string(line.count) + " rows at block row " + std::to_string(line.first) +
             " overlaps the previous one or exceeds the matrix");
    end = line.first + line.count;
  }
  pattern_->lines = std::move(lines);
}

template <class Space, class T>
CsrMatrix<Space, T>::CsrMatrix(const BlockCsrData& data)
    : CsrMatrix::FusedProducts(std::make_shared<BlockPattern<Space>>(data)),
      value_(this->blocks() * data.block * data.block) {
  if (data.value.empty())
    csr_products::zero<Space>(value_.view());
  else
    update(data.value);
}

template <class Space, class T>
CsrMatrix<Space, T>::CsrMatrix(const Other& A)
    : CsrMatrix::FusedProducts(A.pattern()), value_(A.blocks() * A.block() * A.block()) {
  if constexpr (is_rounded)
    round(A.view().value);
  else
    A.widen(value_.view());
}

template <class Space, class T>
void CsrMatrix<Space, T>::round(View<const double> values) {
  csr_products::round<Space>(this->block(), values, value_.view());
}
template <class Space, class T>
void CsrMatrix<Space, T>::widen(View<double> values) const {
  csr_products::widen<Space>(this->block(), value_.view(), values);
}
template <class Space, class T>
std::vector<double> CsrMatrix<Space, T>::to_values() const {
  if constexpr (is_rounded) {
    Array<double, Space> wide(value_.size());
    widen(wide.view());
    return wide.to_vector();
  } else {
    return value_.to_vector();
  }
}
template <class Space, class T>
void CsrMatrix<Space, T>::update(std::span<const double> values) {
  if constexpr (is_rounded)
    round(Array<double, Space>(values));
  else
    value_.upload(values);
}

template <class Space, class T>
void CsrMatrix<Space, T>::block_diagonal(int first, View<double> d) const {
  csr_products::block_diagonal<Space>(view(), first, d);
}
template <class Space, class T>
Work CsrMatrix<Space, T>::apply_work() const {
  return {bytes() + 4 * this->blocks() + 8 * std::int64_t{this->rows()} + 16 * std::int64_t{this->size()},
          2 * value_.size()};
}

template struct BlockPattern<Host>;
template struct BlockPattern<Device>;
template class BlockSparse<Host>;
template class BlockSparse<Device>;
template class CsrMatrix<Host, double>;
template class CsrMatrix<Host, float>;
template class CsrMatrix<Device, double>;
template class CsrMatrix<Device, float>;

}  // namespace weir
