// The device form is that of block_csr.cu: one thread a scalar row, blocks row by row.
#include "solvers/matrix/rounded_csr.hpp"

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

void round(View<const double> from, View<float> to) {
  const double* a = from.data();
  float* rounded = to.data();
  for_each<Device>(static_cast<int>(to.size()), [=] WEIR_HD(int i) { rounded[i] = static_cast<float>(a[i]); });
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
RoundedCsr<Space>::RoundedCsr(const BlockCsr<Space>& A) : A_(A), value_(A.blocks() * A.block() * A.block()) {
  update();
}

template <class Space>
void RoundedCsr<Space>::update() {
  if constexpr (std::is_same_v<Space, Host>)
    rounded_csr_host::round(A_.view(), value_.data());
  else
    rounded_csr_device::round(A_.view().value, value_);
}

template <class Space>
RoundedCsrView RoundedCsr<Space>::view() const {
  const BlockCsrView A = A_.view();
  return {A.rows, A.block, A.row_start, A.column, value_.view()};
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
Work RoundedCsr<Space>::apply_work() const {
  const std::int64_t entries = value_.size();
  return {4 * entries + 4 * A_.blocks() + 8 * std::int64_t{rows()} + 16 * std::int64_t{this->size()}, 2 * entries};
}

template class RoundedCsr<Host>;
template class RoundedCsr<Device>;

}  // namespace weir
