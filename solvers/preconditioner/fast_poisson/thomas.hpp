// Thomas' elimination for the tridiagonal direction of fast_poisson, many lines side by side:
//   (sigma M + scale K) x = f .
// With the escape e_k = pivot_k - u_k (u = scale * upper) in place of the pivots every step adds numbers of one sign,
//   e_k = sigma m_k + scale boundary_k + u_{k-1} e_{k-1} / pivot_{k-1} ,
// so nothing cancels, however small sigma is; where the matrix is singular the last pivot is exactly 0, and the last
// unknown is put to 0.
#pragma once
#include <cstddef>
#include <vector>

#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

inline constexpr int thomas_width = 32;  // most lines side by side on the host

// One block of lines on the host: value k of line c at in[k * step + c].
struct ThomasBlock {
  const double* in;
  double* out;  // may be in
  std::ptrdiff_t step;
  int count;
  const double* sigma;  // a line
  bool first_is_singular = false;
};

// f = norm * in. scratch: 2 * size * thomas_width doubles.
void thomas_host(const SeparableDirection& d, double scale, double norm, const ThomasBlock& block, double* scratch);

}  // namespace weir
