// The orthonormal basis of GMRES and what is done with it: vectors one after the other, and the two passes of classical
// Gram-Schmidt. A pass reads every basis vector once, whatever the number of them:
//   h = V^T w                                         (project)
//   w -= V h,  returning w.w and h' = V^T w           (subtract)
// h' tells how orthogonal w has come out, and is subtracted in turn where it has to be (Daniel, Gragg, Kaufman &
// Stewart 1976; they judge by the length that w has lost, for want of h'); modified Gram-Schmidt would read every vector twice and need as many reductions as there are vectors.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"

namespace weir {

template <class Space>
class Basis {
 public:
  void fit(std::int64_t n, int vectors);  // allocates where the size or number is new
  View<double> operator[](int j) const { return View<double>(data_.data() + stride_ * j, n_); }

  void project(View<const double> w, int count, double* h);                   // h[0..count) = V^T w
  double subtract(const double* h, int count, View<double> w, double* left);  // w -= V h; left = V^T w; returns w.w
  void combine(const double* y, int count, View<double> x);                   // x += V y

 private:
  std::int64_t n_ = 0, stride_ = 0;
  int count_ = 0;
  Array<double, Space> data_;
  std::vector<double> partial_;  // Host: a row of sums a chunk
};

namespace basis_host {

struct HostBasis {
  const double* v;
  std::int64_t n, stride;
};
std::int64_t chunks_of(std::int64_t n);  // rows of `partial`, of count + 1 values at most
void project(const HostBasis& V, const double* w, int count, double* partial, double* h);
double subtract(const HostBasis& V, const double* h, double* w, int count, double* partial, double* left);
void combine(const HostBasis& V, const double* y, int count, double* x);

}  // namespace basis_host

}  // namespace weir
