// Orthonormal basis of GMRES, and the two passes of classical Gram-Schmidt, each with one reduction:
//  h = V^T w                                         (project)
//  w -= V h,  returning w.w and h' = V^T w           (subtract)
// On the host a pass reads every basis vector from memory once (subtract works in chunks that stay in cache). On the
// device subtract reads every vector twice. h' measures the loss of orthogonality of w. It is subtracted too if the
// norm of w has dropped too much (criterion of Daniel, Gragg, Kaufman & Stewart 1976). Modified Gram-Schmidt reads
// every vector twice and needs one reduction per vector.
//
// Vectors are stored as T, double or float (half the memory and half the traffic). Sums and the current vector are
// double. A basis of floats, as stored, is orthonormal to about the precision of float. Included by .cu files only.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/device/asynchronous/fetch_scalars.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/basis_host.hpp"

namespace weir {

namespace basis_device {  // two basis vectors per kernel, w stays in cache or registers

// y += a u + b v, in one pass.
template <class Space, class T>
static void add_two(double a, View<const T> u, double b, View<const T> v, Vector y) {
  for_each<Space>(y.size(), [=] WEIR_HD(int i) { y[i] += a * u[i] + b * v[i]; });
}
template <class Space, class T>
static void add_one(double a, View<const T> u, Vector y) {
  for_each<Space>(y.size(), [=] WEIR_HD(int i) { y[i] += a * u[i]; });
}
// y -= h[0] u + h[1] v, h in device memory
template <class T>
static void subtract_two(const double* h, View<const T> u, View<const T> v, Vector y) {
  for_each<Device>(y.size(), [=] WEIR_HD(int i) { y[i] -= h[0] * u[i] + h[1] * v[i]; });
}
template <class T>
static void subtract_one(const double* h, View<const T> u, Vector y) {
  for_each<Device>(y.size(), [=] WEIR_HD(int i) { y[i] -= h[0] * u[i]; });
}
// {u.w, v.w} to *to in device memory
template <class T>
static void leave_dot_two(View<const T> u, View<const T> v, ConstVector w, Pair* to) {
  leave_sum(
      w.size(),
      [=] WEIR_HD(int i) {
        return Pair{w[i] * u[i], w[i] * v[i]};
      },
      to);
}
template <class T>
static void leave_dot_one(View<const T> u, ConstVector w, double* to) {
  leave_sum(
      w.size(), [=] WEIR_HD(int i) { return w[i] * u[i]; }, to);
}
// v = a w as floats; `as_stored`: the rounded values as doubles
template <class Space>
static void narrow(double a, ConstVector w, View<float> v, Vector as_stored) {
  for_each<Space>(w.size(), [=] WEIR_HD(int i) {
    const float value = static_cast<float>(a * w[i]);
    v[i] = value;
    as_stored[i] = value;
  });
}

}  // namespace basis_device

template <class Space, class T = double>
class Basis {
 public:
  // Allocates if the size or number is new. apart: latest(j) is still used while fresh(j + 1) is computed.
  void fit(std::int64_t n, int vectors, bool apart = true) {
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
    if constexpr (std::is_same_v<Space, Host>)
      partial_.resize(static_cast<std::size_t>(basis_host::chunks_of(n) * (vectors + 1)));
    else
      fit_sums(2 * vectors + 1);
  }

  // Vector j is computed in `fresh(j)`; keep(j, a) stores a times this vector; `latest(j)` is the stored vector until
  // the next one is stored. round(j) is keep(j, 1).
  View<double> fresh(int j) {
    if constexpr (std::is_same_v<T, float>)
      return fresh_;
    else
      return at(j);
  }
  void keep(int j, double a) {
    if constexpr (std::is_same_v<T, float>)
      basis_device::narrow<Space>(a, fresh_, at(j), latest(j));
    else
      scaled<Space>(a, at(j), at(j));
  }
  void round(int j) {
    if constexpr (std::is_same_v<T, float>) keep(j, 1);
  }
  View<double> latest(int j) {
    if constexpr (std::is_same_v<T, float>)
      return latest_.size() > 0 ? latest_ : fresh_;
    else
      return at(j);
  }

  View<const T> stored(int j) const { return {data_.data() + stride_ * j, n_}; }

  // h[0..count) = V^T w
  void project(View<const double> w, int count, double* h) {
    if constexpr (std::is_same_v<Space, Host>) {
      basis_host::project<T>({data_.data(), n_, stride_}, w.data(), count, partial_.data(), h);
    } else {
      leave_projection(w, count, sums_.data());
      fetch_scalars(sums_, std::span<double>(h, static_cast<std::size_t>(count)));
    }
  }
  // w -= V h; left = V^T w, followed by w.w, which is returned
  double subtract(const double* h, int count, View<double> w, double* left) {
    if constexpr (std::is_same_v<Space, Host>) {
      return basis_host::subtract<T>({data_.data(), n_, stride_}, h, w.data(), count, partial_.data(), left);
    } else {
      for (int j = 0; j < count; ++j) left[j] = -h[j];
      combine(left, count, w);
      leave_projection_and_square(w, count, sums_.data());
      fetch_scalars(sums_, std::span<double>(left, static_cast<std::size_t>(count) + 1));
      return left[count];
    }
  }
  // Both in one on the device, with one synchronisation: h = V^T w, w -= V h, left = V^T w and w.w.
  double project_and_subtract(View<double> w, int count, double* h, double* left) {
    double* const on_device = sums_.data();
    leave_projection(w, count, on_device);
    for (int j = 0; j + 1 < count; j += 2) basis_device::subtract_two<T>(on_device + j, at(j), at(j + 1), w);
    if (count % 2) basis_device::subtract_one<T>(on_device + count - 1, at(count - 1), w);
    leave_projection_and_square(w, count, on_device + count);
    fetch_scalars(sums_, std::span<double>(partial_.data(), static_cast<std::size_t>(2 * count + 1)));
    std::copy_n(partial_.data(), count, h);
    std::copy_n(partial_.data() + count, count + 1, left);
    return left[count];
  }
  // x += V y, of the `count` vectors from `first` on
  void combine(const double* y, int count, View<double> x, int first = 0) {
    if constexpr (std::is_same_v<Space, Host>) {
      basis_host::combine<T>({data_.data() + stride_ * first, n_, stride_}, y, count, x.data());
    } else {
      for (int j = 0; j + 1 < count; j += 2)
        basis_device::add_two<Space, T>(y[j], at(first + j), y[j + 1], at(first + j + 1), x);
      if (count % 2) basis_device::add_one<Space, T>(y[count - 1], at(first + count - 1), x);
    }
  }

 private:
  void fit_sums(int count) {
    sums_ = Array<double, Space>(count);
    partial_.resize(static_cast<std::size_t>(count));
  }
  // Leaves V^T w in device memory; the second function also leaves w.w after it.
  void leave_projection(View<const double> w, int count, double* to) {
    for (int j = 0; j + 1 < count; j += 2)
      basis_device::leave_dot_two<T>(at(j), at(j + 1), w, reinterpret_cast<Pair*>(to + j));
    if (count % 2) basis_device::leave_dot_one<T>(at(count - 1), w, to + count - 1);
  }
  void leave_projection_and_square(View<const double> w, int count, double* to) {
    leave_projection(w, count, to);
    basis_device::leave_dot_one<double>(w, w, to + count);
  }
  View<T> at(int j) const { return View<T>(data_.data() + stride_ * j, n_); }

  std::int64_t n_ = 0, stride_ = 0;
  int count_ = 0;
  Array<T, Space> data_;
  Array<double, Space> fresh_;   // float basis: the current vector as double
  Array<double, Space> latest_;  // float basis with `apart`: the last stored vector as double
  Array<double, Space> sums_;    // device: sums of the passes
  std::vector<double> partial_;  // host: a row of sums per chunk; device: host copy of sums_
};

}  // namespace weir
