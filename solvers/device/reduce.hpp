// Sums and maxima over an index range with one fixed tree per space: the result does not depend on the number of
// threads, so runs repeat bit for bit. The body is called once per index and may also write (fused updates), under the
// rules of for_each.
//   const double rr = sum<Space>(n, [=] WEIR_HD (int i) { return r[i] * r[i]; });
//   const Pair  both = sum2<Space>(n, [=] WEIR_HD (int i) { return Pair{x[i] * y[i], y[i] * y[i]}; });
// A result on the host makes the host wait for the device; leave_sum keeps the sum in device memory instead.
#pragma once
#include "backend/reduction.hpp"
#include "solvers/device/chunked_reduce.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/ledger.hpp"

namespace weir {

namespace detail {

inline void count_result(int scalars) {
  ledger().scalars_to_host += scalars;
  ++ledger().synchronisations;
}

}  // namespace detail

// The sum of f(i), i = 0 .. size - 1.
template <class Space, class F>
double sum(std::int64_t size, const F& f) {
  const int n = loop_count(size);
  if constexpr (std::is_same_v<Space, Host>) {
    return detail::chunked_sum<true>(n, f);
  } else {
    detail::count_result(1);
    return backend::reduce_sum(n, f);
  }
}

// Two sums in one pass: f returns a Pair.
template <class Space, class F>
Pair sum2(std::int64_t size, const F& f) {
  const int n = loop_count(size);
  if constexpr (std::is_same_v<Space, Host>) {
    return detail::chunked_sum2<true>(n, f);
  } else {
    detail::count_result(2);
    return backend::reduce_sum2(n, f);
  }
}

// The largest |f(i)|, never below 0; not-a-number where any f(i) is.
template <class Space, class F>
double max_abs(std::int64_t size, const F& f) {
  const int n = loop_count(size);
  if constexpr (std::is_same_v<Space, Host>) {
    return detail::chunked_max<true>(n, f);
  } else {
    detail::count_result(1);
    return backend::reduce_max(n, f);
  }
}

// Device: the smallest and the largest f(i); not-a-number where any f(i) is.
template <class F>
Extrema device_extrema(std::int64_t size, const F& f) {
  detail::count_result(2);
  return backend::reduce_extrema(loop_count(size), f);
}

// Device: the sum of f(i), a double or a Pair, goes to *to in device memory; the host does not wait.
template <class T, class F>
void leave_sum(std::int64_t size, const F& f, T* to) {
  backend::reduce_sum_to(loop_count(size), f, to);
}

}  // namespace weir
