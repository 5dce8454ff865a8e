// Host: basis_host.cpp. Device: two basis vectors a kernel, w in cache or registers between.
#include "solvers/krylov/basis.hpp"

#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

// y += a u + b v, in one pass.
template <class Space, class T>
void add_two(double a, View<const T> u, double b, View<const T> v, Vector y) {
  for_each<Space>(static_cast<int>(y.size()), [=] WEIR_HD(int i) { y[i] += a * u[i] + b * v[i]; });
}
template <class Space, class T>
void add_one(double a, View<const T> u, Vector y) {
  for_each<Space>(static_cast<int>(y.size()), [=] WEIR_HD(int i) { y[i] += a * u[i]; });
}
// {u.w, v.w}
template <class Space, class T>
Pair dot_two(View<const T> u, View<const T> v, ConstVector w) {
  return sum2<Space>(static_cast<int>(w.size()), [=] WEIR_HD(int i) { return Pair{w[i] * u[i], w[i] * v[i]}; });
}
template <class Space, class T>
double dot_one(View<const T> u, ConstVector w) {
  return sum<Space>(static_cast<int>(w.size()), [=] WEIR_HD(int i) { return w[i] * u[i]; });
}
// v = a w as floats; `as_stored` the same as doubles
template <class Space>
void narrow(double a, ConstVector w, View<float> v, Vector as_stored) {
  for_each<Space>(static_cast<int>(w.size()), [=] WEIR_HD(int i) {
    const float value = static_cast<float>(a * w[i]);
    v[i] = value;
    as_stored[i] = value;
  });
}

}  // namespace

template <class Space, class T>
void Basis<Space, T>::fit(std::int64_t n, int vectors, bool apart) {
  if (std::is_same_v<T, float> && apart && latest_.size() != n) latest_ = Array<double, Space>(n);
  if (n == n_ && vectors <= count_) return;
  n_ = n;
  stride_ = (n + 15) / 16 * 16;
  count_ = vectors;
  data_ = Array<T, Space>(stride_ * vectors);
  if constexpr (std::is_same_v<T, float>) {
    fresh_ = Array<double, Space>(n);
    if (!apart) latest_ = {};
  }
  partial_.resize(static_cast<std::size_t>(basis_host::chunks_of(n) * (vectors + 1)));
}

template <class Space, class T>
View<double> Basis<Space, T>::fresh(int j) {
  if constexpr (std::is_same_v<T, float>)
    return fresh_;
  else
    return at(j);
}
template <class Space, class T>
View<double> Basis<Space, T>::latest(int j) {
  if constexpr (std::is_same_v<T, float>)
    return latest_.size() > 0 ? latest_ : fresh_;
  else
    return at(j);
}

template <class Space, class T>
void Basis<Space, T>::keep(int j, double a) {
  if constexpr (std::is_same_v<T, float>)
    narrow<Space>(a, fresh_, at(j), latest(j));
  else
    scaled<Space>(a, at(j), at(j));
}
template <class Space, class T>
void Basis<Space, T>::round(int j) {
  if constexpr (std::is_same_v<T, float>) keep(j, 1);
}

template <class Space, class T>
void Basis<Space, T>::project(View<const double> w, int count, double* h) {
  if constexpr (std::is_same_v<Space, Host>) {
    basis_host::project<T>({data_.data(), n_, stride_}, w.data(), count, partial_.data(), h);
  } else {
    for (int j = 0; j + 1 < count; j += 2) {
      const Pair two = dot_two<Space, T>(at(j), at(j + 1), w);
      h[j] = two.a;
      h[j + 1] = two.b;
    }
    if (count % 2) h[count - 1] = dot_one<Space, T>(at(count - 1), w);
  }
}

template <class Space, class T>
void Basis<Space, T>::combine(const double* y, int count, View<double> x, int first) {
  if constexpr (std::is_same_v<Space, Host>) {
    basis_host::combine<T>({data_.data() + stride_ * first, n_, stride_}, y, count, x.data());
  } else {
    for (int j = 0; j + 1 < count; j += 2) add_two<Space, T>(y[j], at(first + j), y[j + 1], at(first + j + 1), x);
    if (count % 2) add_one<Space, T>(y[count - 1], at(first + count - 1), x);
  }
}

template <class Space, class T>
double Basis<Space, T>::subtract(const double* h, int count, View<double> w, double* left) {
  if constexpr (std::is_same_v<Space, Host>) {
    return basis_host::subtract<T>({data_.data(), n_, stride_}, h, w.data(), count, partial_.data(), left);
  } else {
    for (int j = 0; j < count; ++j) left[j] = -h[j];
    combine(left, count, w);
    project(w, count, left);
    return dot<Space>(w, w);
  }
}

template class Basis<Host, double>;
template class Basis<Device, double>;
template class Basis<Host, float>;
template class Basis<Device, float>;

}  // namespace weir
