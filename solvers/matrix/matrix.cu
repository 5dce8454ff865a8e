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

template <class Space>
void advance(double alpha, double beta, View<const double> z, View<double> p, View<double> x) {
  for_each<Space>(static_cast<int>(x.size()), [=] WEIR_HD(int i) {
    const double old = p[i];
    x[i] += alpha * old;
    p[i] = z[i] + beta * old;
  });
}

template <class Space>
double subtract_square(double alpha, View<const double> q, View<double> r) {
  return sum<Space>(static_cast<int>(r.size()), [=] WEIR_HD(int i) {
    const double v = r[i] - alpha * q[i];
    r[i] = v;
    return v * v;
  });
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

template <class Space>
double Matrix<Space>::cg_direction(double alpha, double beta, View<const double> z, View<double> p, View<double> x,
                                   View<double> q) const {
  detail::advance<Space>(alpha, beta, z, p, x);
  return apply_dot(p, q);
}

template <class Space>
double Matrix<Space>::cg_residual(double alpha, View<const double>, View<const double> q, View<double> r) const {
  return detail::subtract_square<Space>(alpha, q, r);
}

template class Matrix<Host>;
template class Matrix<Device>;

}  // namespace weir
