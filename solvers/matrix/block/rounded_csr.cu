// The device form is that of block_csr.cu: one thread a scalar row, blocks row by row.
#include "solvers/matrix/block/rounded_csr.hpp"

#include "solvers/matrix/device_products.hpp"

namespace weir {
namespace csr_products {

void apply(Device, const RoundedCsrView& A, const double* x, double* y) {
  device_products::apply(A.rows * A.block, CsrRow<float>{A, x}, y);
}
Pair apply_dots(Device, const RoundedCsrView& A, const double* x, const double* w, double* y) {
  return device_products::apply_dots(A.rows * A.block, CsrRow<float>{A, x}, w, y);
}
void residual(Device, const RoundedCsrView& A, const double* b, const double* x, double* r) {
  device_products::residual(A.rows * A.block, CsrRow<float>{A, x}, b, r);
}
double residual_dot(Device, const RoundedCsrView& A, const double* b, const double* x, double* r) {
  return device_products::residual_dot(A.rows * A.block, CsrRow<float>{A, x}, b, r);
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

}  // namespace csr_products

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
  csr_products::round<Space>(this->block(), values, value_.view());
}
template <class Space>
void RoundedCsr<Space>::widen(View<double> values) const {
  csr_products::widen<Space>(this->block(), value_.view(), values);
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
void RoundedCsr<Space>::block_diagonal(View<double> d) const {
  csr_products::block_diagonal<Space>(view(), d);
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
