// Host: basis_host.cpp. Device: two basis vectors a kernel, w in cache or registers between.
#include "solvers/krylov/basis.hpp"

#include "solvers/krylov/vector_ops.hpp"

namespace weir {
namespace {

// y += a u + b v, in one pass.
template <class Space>
void add_two(double a, ConstVector u, double b, ConstVector v, Vector y) {
  for_each<Space>(static_cast<int>(y.size()), [=] WEIR_HD(int i) { y[i] += a * u[i] + b * v[i]; });
}

}  // namespace

template <class Space>
void Basis<Space>::fit(std::int64_t n, int vectors) {
  if (n == n_ && vectors <= count_) return;
  n_ = n;
  stride_ = (n + 7) / 8 * 8;
  count_ = vectors;
  data_ = Array<double, Space>(stride_ * vectors);
  partial_.resize(static_cast<std::size_t>(basis_host::chunks_of(n) * (vectors + 1)));
}

template <class Space>
void Basis<Space>::project(View<const double> w, int count, double* h) {
  if constexpr (std::is_same_v<Space, Host>) {
    basis_host::project({data_.data(), n_, stride_}, w.data(), count, partial_.data(), h);
  } else {
    const Basis& V = *this;
    for (int j = 0; j + 1 < count; j += 2) {
      const Pair two = dot2<Space>(w, V[j], V[j + 1]);
      h[j] = two.a;
      h[j + 1] = two.b;
    }
    if (count % 2) h[count - 1] = dot<Space>(V[count - 1], w);
  }
}

template <class Space>
void Basis<Space>::combine(const double* y, int count, View<double> x) {
  if constexpr (std::is_same_v<Space, Host>) {
    basis_host::combine({data_.data(), n_, stride_}, y, count, x.data());
  } else {
    const Basis& V = *this;
    for (int j = 0; j + 1 < count; j += 2) add_two<Space>(y[j], V[j], y[j + 1], V[j + 1], x);
    if (count % 2) axpy<Space>(y[count - 1], V[count - 1], x);
  }
}

template <class Space>
double Basis<Space>::subtract(const double* h, int count, View<double> w, double* left) {
  if constexpr (std::is_same_v<Space, Host>) {
    return basis_host::subtract({data_.data(), n_, stride_}, h, w.data(), count, partial_.data(), left);
  } else {
    for (int j = 0; j < count; ++j) left[j] = -h[j];
    combine(left, count, w);
    project(w, count, left);
    return dot<Space>(w, w);
  }
}

template class Basis<Host>;
template class Basis<Device>;

}  // namespace weir
