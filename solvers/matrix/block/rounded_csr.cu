// The device form is that of block_csr.cu: one thread a scalar row, blocks row by row.
#include "solvers/matrix/block/rounded_csr.hpp"

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace rounded_csr_device {

WEIR_HD inline double product_at(const RoundedCsrView& A, const View<const double>& x, int row) {
  const int B = A.block, i = row / B, r = row % B;
  double s = 0;
  for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
    const float* a = A.value.data() + (e * B + r) * B;
    const double* xc = x.data() + static_cast<std::int64_t>(A.column[e]) * B;
    for (int c = 0; c < B; ++c) s += static_cast<double>(a[c]) * xc[c];
  }
  return s;
}

void apply(const RoundedCsrView& A, View<const double> x, View<double> y) {
  for_each<Device>(A.rows * A.block, [=] WEIR_HD(int i) { y[i] = product_at(A, x, i); });
}
Pair apply_dots(const RoundedCsrView& A, View<const double> x, View<const double> w, View<double> y) {
  return sum2<Device>(A.rows * A.block, [=] WEIR_HD(int i) {
    const double v = product_at(A, x, i);
    y[i] = v;
    return Pair{v * w[i], v * v};
  });
}
void residual(const RoundedCsrView& A, View<const double> b, View<const double> x, View<double> r) {
  for_each<Device>(A.rows * A.block, [=] WEIR_HD(int i) { r[i] = b[i] - product_at(A, x, i); });
}
double residual_dot(const RoundedCsrView& A, View<const double> b, View<const double> x, View<double> r) {
  return sum<Device>(A.rows * A.block, [=] WEIR_HD(int i) {
    const double v = b[i] - product_at(A, x, i);
    r[i] = v;
    return v * v;
  });
}

// Where entry e of the values, row by row, lies.
WEIR_HD inline std::int64_t place_of(std::int64_t e, int B, bool by_columns) {
  if (!by_columns) return e;
  const std::int64_t nn = std::int64_t{B} * B, first = e / nn * nn, q = e - first;
  return first + q % B * B + q / B;
}
template <class Space>
void round(int B, View<const double> from, View<float> to) {
  const double* a = from.data();
  float* rounded = to.data();
  constexpr bool by_columns = RoundedCsr<Space>::by_columns;
  for_each<Space>(static_cast<int>(to.size()),
                  [=] WEIR_HD(int i) { rounded[place_of(i, B, by_columns)] = static_cast<float>(a[i]); });
}
template <class Space>
void widen(int B, View<const float> from, View<double> to) {
  const float* rounded = from.data();
  double* a = to.data();
  constexpr bool by_columns = RoundedCsr<Space>::by_columns;
  for_each<Space>(static_cast<int>(to.size()),
                  [=] WEIR_HD(int i) { a[i] = static_cast<double>(rounded[place_of(i, B, by_columns)]); });
}
template <class Space>
void block_diagonal(const RoundedCsrView& A, View<double> d) {
  constexpr bool by_columns = RoundedCsr<Space>::by_columns;
  for_each<Space>(A.rows, [=] WEIR_HD(int i) {
    const int entries = A.block * A.block;
    const std::int64_t from = A.diagonal[i];
    for (int e = 0; e < entries; ++e)
      d[static_cast<std::int64_t>(i) * entries + e] =
          from < 0 ? 0 : static_cast<double>(A.value[from * entries + place_of(e, A.block, by_columns)]);
  });
}

}  // namespace rounded_csr_device

template <class Space>
void residual_of(const RoundedCsrView& A, View<const double> b, View<const double> x, View<double> r) {
  if constexpr (std::is_same_v<Space, Host>)
    rounded_csr_host::residual(A, b.data(), x.data(), r.data());
  else
    rounded_csr_device::residual(A, b, x, r);
}
template void residual_of<Host>(const RoundedCsrView&, View<const double>, View<const double>, View<double>);
template void residual_of<Device>(const RoundedCsrView&, View<const double>, View<const double>, View<double>);

template <class Space>
RoundedCsr<Space>::RoundedCsr(const BlockCsrData& data)
    : BlockSparse<Space>(std::make_shared<BlockPattern<Space>>(data)),
      value_(this->blocks() * data.block * data.block) {
  if (data.value.empty())
    value_.upload(std::vector<float>(static_cast<std::size_t>(value_.size())));
  else
    update(data.value);
}

template <class Space>
RoundedCsr<Space>::RoundedCsr(const BlockCsr<Space>& A)
    : BlockSparse<Space>(A.pattern()), value_(A.blocks() * A.block() * A.block()) {
  round(A.view().value);
}

template <class Space>
void RoundedCsr<Space>::round(View<const double> values) {
  rounded_csr_device::round<Space>(this->block(), values, value_.view());
}
template <class Space>
void RoundedCsr<Space>::widen(View<double> values) const {
  rounded_csr_device::widen<Space>(this->block(), value_.view(), values);
}
template <class Space>
std::vector<double> RoundedCsr<Space>::to_values() const {
  Array<double, Space> wide(value_.size());
  widen(wide.view());
  return wide.to_vector();
}
template <class Space>
void RoundedCsr<Space>::update(std::span<const double> values) {
  const Array<double, Space> wide(values);
  round(wide.view());
}

template <class Space>
void RoundedCsr<Space>::apply(View<const double> x, View<double> y) const {
  if constexpr (std::is_same_v<Space, Host>)
    rounded_csr_host::apply(view(), x.data(), y.data());
  else
    rounded_csr_device::apply(view(), x, y);
}
template <class Space>
Pair RoundedCsr<Space>::apply_dots(View<const double> x, View<const double> w, View<double> y) const {
  if constexpr (std::is_same_v<Space, Host>)
    return rounded_csr_host::apply_dots(view(), x.data(), w.data(), y.data());
  else
    return rounded_csr_device::apply_dots(view(), x, w, y);
}
template <class Space>
void RoundedCsr<Space>::residual(View<const double> b, View<const double> x, View<double> r) const {
  residual_of<Space>(view(), b, x, r);
}
template <class Space>
double RoundedCsr<Space>::residual_dot(View<const double> b, View<const double> x, View<double> r) const {
  if constexpr (std::is_same_v<Space, Host>)
    return rounded_csr_host::residual_dot(view(), b.data(), x.data(), r.data());
  else
    return rounded_csr_device::residual_dot(view(), b, x, r);
}

template <class Space>
void RoundedCsr<Space>::block_diagonal(View<double> d) const {
  rounded_csr_device::block_diagonal<Space>(view(), d);
}

template <class Space>
Work RoundedCsr<Space>::apply_work() const {
  const std::int64_t entries = value_.size();
  return {4 * entries + 4 * this->blocks() + 8 * std::int64_t{this->rows()} + 16 * std::int64_t{this->size()},
          2 * entries};
}

template class RoundedCsr<Host>;
template class RoundedCsr<Device>;

}  // namespace weir
