// The fused products of a matrix that has none of its own: one pass more.
#include "solvers/matrix/matrix.hpp"

#include "solvers/device/reduce.hpp"

namespace weir {
namespace detail {

template <class Space>
double dot_of(View<const double> x, View<const double> y) {
  return sum<Space>(static_cast<int>(x.size()), [=] WEIR_HD(int i) { return x[i] * y[i]; });
}

template <class Space>
Pair dot_and_square_of(View<const double> y, View<const double> w) {
  return sum2<Space>(static_cast<int>(y.size()), [=] WEIR_HD(int i) { return Pair{y[i] * w[i], y[i] * y[i]}; });
}

}  // namespace detail

template <class Space>
double Matrix<Space>::apply_dot(View<const double> x, View<double> y) const {
  apply(x, y);
  return detail::dot_of<Space>(x, y);
}

template <class Space>
Pair Matrix<Space>::apply_dots(View<const double> x, View<const double> w, View<double> y) const {
  apply(x, y);
  return detail::dot_and_square_of<Space>(y, w);
}

template <class Space>
double Matrix<Space>::residual_dot(View<const double> b, View<const double> x, View<double> r) const {
  residual(b, x, r);
  return detail::dot_of<Space>(r, r);
}

template class Matrix<Host>;
template class Matrix<Device>;

}  // namespace weir
