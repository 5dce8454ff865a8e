// A block CSR matrix with its values rounded to floats: half the bytes of a product, for solves that are wanted to a few
// digits. Vectors and sums stay double; the pattern is that of the matrix it was made from, which must outlive it. On the
// host blocks lie column by column, as in the factors of block_ilu0.
#pragma once
#include "solvers/matrix/block_csr.hpp"

namespace weir {

struct RoundedCsrView {
  int rows = 0, block = 1;
  View<const std::int64_t> row_start;
  View<const int> column;
  View<const float> value;
};

template <class Space>
class RoundedCsr : public Matrix<Space> {
 public:
  explicit RoundedCsr(const BlockCsr<Space>& A);
  void update();  // takes A's values anew

  const BlockCsr<Space>& original() const { return A_; }
  int rows() const override { return A_.rows(); }
  int block() const override { return A_.block(); }
  void apply(View<const double> x, View<double> y) const override;
  Pair apply_dots(View<const double> x, View<const double> w, View<double> y) const override;
  void residual(View<const double> b, View<const double> x, View<double> r) const override;
  double residual_dot(View<const double> b, View<const double> x, View<double> r) const override;
  void block_diagonal(View<double> d) const override { A_.block_diagonal(d); }
  bool is_symmetric() const override { return A_.is_symmetric(); }
  bool has_constant_null_space() const override { return A_.has_constant_null_space(); }
  Work apply_work() const override;
  std::int64_t bytes() const { return 4 * value_.size(); }

 private:
  RoundedCsrView view() const;

  const BlockCsr<Space>& A_;
  Array<float, Space> value_;
};

// r = b - A x; r may be b. A need not be square: columns are x's.
template <class Space>
void residual_of(const RoundedCsrView& A, View<const double> b, View<const double> x, View<double> r);

namespace rounded_csr_host {
void round(const BlockCsrView& A, float* value);
void apply(const RoundedCsrView& A, const double* x, double* y);
Pair apply_dots(const RoundedCsrView& A, const double* x, const double* w, double* y);
void residual(const RoundedCsrView& A, const double* b, const double* x, double* r);
double residual_dot(const RoundedCsrView& A, const double* b, const double* x, double* r);
}  // namespace rounded_csr_host

}  // namespace weir
