// A block CSR matrix whose values are floats: half the bytes of BlockCsr to keep and to multiply with, for solves that are
// wanted to a few digits. Vectors and sums stay double. On the host blocks lie column by column, as in the factors of
// block_ilu0; on a device row by row.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

using RoundedCsrView = CsrView<float>;

namespace csr_products {
void apply(Host, const RoundedCsrView& A, const double* x, double* y);
Pair apply_dots(Host, const RoundedCsrView& A, const double* x, const double* w, double* y);
void residual(Host, const RoundedCsrView& A, const double* b, const double* x, double* r);
double residual_dot(Host, const RoundedCsrView& A, const double* b, const double* x, double* r);
void apply(Device, const RoundedCsrView& A, const double* x, double* y);
Pair apply_dots(Device, const RoundedCsrView& A, const double* x, const double* w, double* y);
void residual(Device, const RoundedCsrView& A, const double* b, const double* x, double* r);
double residual_dot(Device, const RoundedCsrView& A, const double* b, const double* x, double* r);
}  // namespace csr_products

template <class Space>
class RoundedCsr : public BlockSparse<Space> {
 public:
  static constexpr bool by_columns = std::is_same_v<Space, Host>;  // how a block lies

  explicit RoundedCsr(const BlockCsrData& data);  // Error(usage): as BlockPattern
  explicit RoundedCsr(const BlockCsr<Space>& A);  // of A's pattern and values
  void round(View<const double> values);          // takes new ones: B * B of each block, row-major
  void widen(View<double> values) const;          // hands them out

  void apply(View<const double> x, View<double> y) const override {
    csr_products::apply(Space{}, view(), x.data(), y.data());
  }
  Pair apply_dots(View<const double> x, View<const double> w, View<double> y) const override {
    return csr_products::apply_dots(Space{}, view(), x.data(), w.data(), y.data());
  }
  void residual(View<const double> b, View<const double> x, View<double> r) const override {
    csr_products::residual(Space{}, view(), b.data(), x.data(), r.data());
  }
  double residual_dot(View<const double> b, View<const double> x, View<double> r) const override {
    return csr_products::residual_dot(Space{}, view(), b.data(), x.data(), r.data());
  }
  void block_diagonal(View<double> d) const override;
  Work apply_work() const override;

  RoundedCsrView view() const { return this->view_of(value_); }
  View<float> values() { return value_.view(); }  // as they lie
  std::vector<double> to_values() const override;
  void update(std::span<const double> values) override;
  std::int64_t bytes() const override { return 4 * value_.size(); }

 private:
  Array<float, Space> value_;
};

// f(A.view()), whatever the values are stored in.
template <class Space, class F>
auto with_view(const BlockSparse<Space>& A, const F& f) {
  if (const auto* rounded = dynamic_cast<const RoundedCsr<Space>*>(&A)) return f(rounded->view());
  return f(static_cast<const BlockCsr<Space>&>(A).view());
}

}  // namespace weir
