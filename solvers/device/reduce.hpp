// Sums and maxima over an index range with one fixed tree a space: the result does not depend on the number of threads,
// so runs repeat bit for bit. The body is called once an index and may also write (fused updates), under the rules of
// for_each.
//   const double rr = sum<Space>(n, [=] WEIR_HD (int i) { return r[i] * r[i]; });
//   const Pair  both = sum2<Space>(n, [=] WEIR_HD (int i) { return Pair{x[i] * y[i], y[i] * y[i]}; });
// A result on the host makes the host wait for the device. Two ways around that:
//   { const SumsStay here(place, 1); sum<Device>(n, f); }      place[0] in device memory has the sum
//   sum_then(n, f, [=] WEIR_HD (double s) { ... });            what follows from it is computed there
// A body that needs numbers from device memory can be made from them once per thread:
//   sum_then(n, [=] WEIR_HD () { return Scaled{*alpha, r}; }, finish);  // Scaled: double operator()(int i) const
#pragma once
#include "backend/reduction.hpp"
#include "solvers/device/asynchronous/skip_where.hpp"
#include "solvers/device/asynchronous/sums_stay.hpp"
#include "solvers/device/chunked_reduce.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/ledger.hpp"

namespace weir {

namespace detail {

inline bool sums_stay() { return place_of_sums().next != nullptr; }
[[noreturn]] void refuse_sum_where_skipped();  // Error: there may be none
inline void count_result(int scalars) {
  if (skip_flag()) refuse_sum_where_skipped();
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
    if (detail::sums_stay()) return backend::reduce_sum_then(n, f, detail::LeaveAt<double>{detail::take_places(1)}), 0;
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
    if (detail::sums_stay())
      return backend::reduce_sum2_then(n, f, detail::LeaveAt<Pair>{detail::take_places(2)}), Pair{};
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
    if (detail::sums_stay()) return backend::reduce_max_then(n, f, detail::LeaveAt<double>{detail::take_places(1)}), 0;
    detail::count_result(1);
    return backend::reduce_max(n, f);
  }
}

// Device: the least and the largest f(i), to[0] and to[1] in device memory. The host does not wait.
template <class F>
void leave_extrema(std::int64_t size, const F& f, double* to) {
  backend::reduce_extrema_then(loop_count(size), f, detail::LeaveAt<Extrema>{to});
}

// Device: finish(sum) runs there, once, when all f(i) have; the host does not wait.
template <class F, class Finish>
void sum_then(std::int64_t size, const F& f, const Finish& finish) {
  backend::reduce_sum_then(loop_count(size), f, finish);
}
template <class F, class Finish>
void sum2_then(std::int64_t size, const F& f, const Finish& finish) {
  backend::reduce_sum2_then(loop_count(size), f, finish);
}

}  // namespace weir
