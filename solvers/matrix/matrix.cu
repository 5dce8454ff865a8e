// Fallback of the fused products: a separate pass for the sums.
#include "solvers/matrix/matrix.hpp"

#include "solvers/device/vector_ops.hpp"

namespace weir {

template <class Space>
double Matrix<Space>::apply_dot(View<const double> x, View<double> y) const {
  apply(x, y);
  return dot<Space>(x, y);
}

template <class Space>
Pair Matrix<Space>::apply_dots(View<const double> x, View<const double> w, View<double> y) const {
  apply(x, y);
  return dot_and_square<Space>(y, w);
}

template <class Space>
double Matrix<Space>::residual_dot(View<const double> b, View<const double> x, View<double> r) const {
  residual(b, x, r);
  return dot<Space>(r, r);
}

template class Matrix<Host>;
template class Matrix<Device>;

}  // namespace weir
