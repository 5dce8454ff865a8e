// Sums and maxima over an index range with one fixed tree a space: the result does not depend on the number of threads, so
// runs repeat bit for bit. The body may also write (fused updates), under the rules of for_each.
//   const double rr = sum<Space>(n, [=] WEIR_HD (int i) { return r[i] * r[i]; });
//   const Pair  both = sum2<Space>(n, [=] WEIR_HD (int i) { return Pair{x[i] * y[i], y[i] * y[i]}; });
#pragma once
#include <algorithm>
#include <vector>

#include "backend/runtime.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/ledger.hpp"

namespace weir {

struct Pair {
  double a = 0, b = 0;
};

namespace detail {
inline constexpr int reduction_chunk = 4096;    // Host: indices summed in one fixed SIMD order
double* reduction_scratch(std::int64_t count);  // grows once, then stays
double tree_sum(const double* v, std::int64_t n);  // pairwise, fixed
}  // namespace detail

template <class Space, class F> Pair sum2(int n, const F& f) {
  const int chunks = (n + detail::reduction_chunk - 1) / detail::reduction_chunk;
  double* part = detail::reduction_scratch(2 * static_cast<std::int64_t>(chunks));
#pragma omp parallel for schedule(static) if (std::is_same_v<Space, Host> && n > parallel_grain)
  for (int c = 0; c < chunks; ++c) {
    const int lo = c * detail::reduction_chunk, hi = std::min(n, lo + detail::reduction_chunk);
    double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
    for (int i = lo; i < hi; ++i) {
      const Pair p = f(i);
      a += p.a;
      b += p.b;
    }
    part[c] = a;
    part[chunks + c] = b;
  }
  return {detail::tree_sum(part, chunks), detail::tree_sum(part + chunks, chunks)};
}

template <class Space, class F> double sum(int n, const F& f) {
  const int chunks = (n + detail::reduction_chunk - 1) / detail::reduction_chunk;
  double* part = detail::reduction_scratch(chunks);
#pragma omp parallel for schedule(static) if (std::is_same_v<Space, Host> && n > parallel_grain)
  for (int c = 0; c < chunks; ++c) {
    const int lo = c * detail::reduction_chunk, hi = std::min(n, lo + detail::reduction_chunk);
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int i = lo; i < hi; ++i) s += f(i);
    part[c] = s;
  }
  return detail::tree_sum(part, chunks);
}

// The largest f(i), never below 0; not-a-number where any f(i) is.
template <class Space, class F> double max_abs(int n, const F& f) {
  const int chunks = (n + detail::reduction_chunk - 1) / detail::reduction_chunk;
  double* part = detail::reduction_scratch(chunks);
#pragma omp parallel for schedule(static) if (std::is_same_v<Space, Host> && n > parallel_grain)
  for (int c = 0; c < chunks; ++c) {
    const int lo = c * detail::reduction_chunk, hi = std::min(n, lo + detail::reduction_chunk);
    double m = 0;
    for (int i = lo; i < hi; ++i) {
      const double v = f(i) < 0 ? -f(i) : f(i);
      m = v > m || v != v ? v : m;
      if (m != m) break;
    }
    part[c] = m;
  }
  double m = 0;
  for (int c = 0; c < chunks; ++c) m = part[c] > m || part[c] != part[c] ? part[c] : m;
  return m;
}

}  // namespace weir
