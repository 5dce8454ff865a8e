// The orthonormal basis of GMRES and what is done with it: vectors one after the other, and the two passes of classical
// Gram-Schmidt. A pass reads every basis vector once, whatever the number of them:
//   h = V^T w                                         (project)
//   w -= V h,  returning w.w and h' = V^T w           (subtract)
// h' tells how orthogonal w has come out, and is subtracted in turn where it has to be (Daniel, Gragg, Kaufman &
// Stewart 1976; they judge by the length that w has lost, for want of h'); modified Gram-Schmidt would read every vector
// twice and need as many reductions as there are vectors.
//
// Vectors are kept as T, double or float: half the memory and half the traffic of the passes. All sums and the vector
// at work stay double, so that the basis of floats is, as it is stored, orthonormal to about the precision of float.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"

namespace weir {

template <class Space, class T = double>
class Basis {
 public:
  // Allocates where the size or number is new. apart: latest(j) is still wanted while fresh(j + 1) is made.
  void fit(std::int64_t n, int vectors, bool apart = true);

  // Vector j is made in `fresh(j)`; keep(j, a) makes a times that vector j, as it is stored, which `latest(j)` shows
  // until the next one is kept. round(j) is keep(j, 1).
  View<double> fresh(int j);
  void keep(int j, double a);
  void round(int j);
  View<double> latest(int j);

  void project(View<const double> w, int count, double* h);                   // h[0..count) = V^T w
  double subtract(const double* h, int count, View<double> w, double* left);  // w -= V h; left = V^T w; returns w.w
  // x += V y, of the `count` vectors from `first` on
  void combine(const double* y, int count, View<double> x, int first = 0);

 private:
  View<T> at(int j) const { return View<T>(data_.data() + stride_ * j, n_); }

  std::int64_t n_ = 0, stride_ = 0;
  int count_ = 0;
  Array<T, Space> data_;
  Array<double, Space> fresh_,
      latest_;                   // float: the vector at work and, where it is another, the one kept last, as doubles
  std::vector<double> partial_;  // Host: a row of sums a chunk
};

namespace basis_host {

template <class T>
struct HostBasis {
  const T* v;
  std::int64_t n, stride;
};
std::int64_t chunks_of(std::int64_t n);  // rows of `partial`, of count + 1 values at most
template <class T>
void project(const HostBasis<T>& V, const double* w, int count, double* partial, double* h);
template <class T>
double subtract(const HostBasis<T>& V, const double* h, double* w, int count, double* partial, double* left);
template <class T>
void combine(const HostBasis<T>& V, const double* y, int count, double* x);

}  // namespace basis_host

}  // namespace weir
