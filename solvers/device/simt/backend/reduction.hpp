// Reductions of the emulated device: the Host's own, in one thread, so that both spaces agree bit for bit.
#pragma once
#include "backend/runtime.hpp"
#include "solvers/device/chunked_reduce.hpp"

namespace weir::backend {

// Calls the reduction with the body itself, or in the race build with one that tells the checker whose turn it is.
template <class R, class F, class Reduction>
R run_reduction(const F& f, const Reduction& reduction) {
  refuse_recording("a sum for the host");
  ++ledger().launches;
  if constexpr (simt::checked_loops) {
    R result{};
    auto loop = [&] {
      result = reduction([&](int i) {
        simt::begin_index(i);
        const auto v = detail::body_of(f)(i);
        simt::end_index();
        return v;
      });
    };
    simt::checked_loop("reduction", loop, f);
    return result;
  } else {
    const simt::DeviceCode scope;
    return reduction(detail::body_of(f));
  }
}

template <class F>
double reduce_sum(int n, const F& f) {
  return run_reduction<double>(f, [n](const auto& body) { return detail::chunked_sum<false>(n, body); });
}
template <class F>
Pair reduce_sum2(int n, const F& f) {
  return run_reduction<Pair>(f, [n](const auto& body) { return detail::chunked_sum2<false>(n, body); });
}
template <class F>
double reduce_max(int n, const F& f) {
  return run_reduction<double>(f, [n](const auto& body) { return detail::chunked_max<false>(n, body); });
}

// finish(result), as the last thread of the reduction does.
template <class R, class Finish>
void finish_reduction(const R& result, const Finish& finish) {
  if constexpr (simt::checked_loops) {
    auto loop = [&] {
      const R value = result;
      const Finish last = finish;
      simt::begin_index(0);
      last(value);
      simt::end_index();
    };
    simt::checked_loop("end of a reduction", loop, finish);
  } else {
    const simt::DeviceCode scope;
    finish(result);
  }
}
template <class F, class Finish>
void reduce_sum_then(int n, const F& f, const Finish& finish) {
  if (simt::recording) return simt::record([=] { reduce_sum_then(n, f, finish); });
  if (!is_skipped()) return finish_reduction(reduce_sum(n, f), finish);
  ++ledger().launches;
}
template <class F, class Finish>
void reduce_sum2_then(int n, const F& f, const Finish& finish) {
  if (simt::recording) return simt::record([=] { reduce_sum2_then(n, f, finish); });
  if (!is_skipped()) return finish_reduction(reduce_sum2(n, f), finish);
  ++ledger().launches;
}
template <class F, class Finish>
void reduce_max_then(int n, const F& f, const Finish& finish) {
  if (simt::recording) return simt::record([=] { reduce_max_then(n, f, finish); });
  if (!is_skipped()) return finish_reduction(reduce_max(n, f), finish);
  ++ledger().launches;
}
template <class F, class Finish>
void reduce_extrema_then(int n, const F& f, const Finish& finish) {
  if (simt::recording) return simt::record([=] { reduce_extrema_then(n, f, finish); });
  if (!is_skipped())
    return finish_reduction(run_reduction<Extrema>(f, [n](const auto& body) { return detail::extrema(n, body); }),
                            finish);
  ++ledger().launches;
}

}  // namespace weir::backend
