// Reductions of the emulated device: the Host's own, in one thread, so that both spaces agree bit for bit.
#pragma once
#include "backend/runtime.hpp"
#include "solvers/device/chunked_reduce.hpp"

namespace weir::backend {

// Calls the reduction with the body, in the race build with one that also reports the index to the checker.
template <class R, class F, class Reduction>
R run_reduction(const F& f, const Reduction& reduction) {
  refuse_recording("a sum for the host");
  ++ledger().launches;
  if constexpr (simt::checked_loops) {
    R result{};
    auto loop = [&] {
      result = reduction([&](int i) {
        simt::begin_index(i);
        const auto v = f(i);
        simt::end_index();
        return v;
      });
    };
    simt::checked_loop("reduction", loop, f);
    return result;
  } else {
    const simt::DeviceCode scope;
    return reduction(f);
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

template <class F>
Extrema reduce_extrema(int n, const F& f) {
  return run_reduction<Extrema>(f, [n](const auto& body) { return detail::extrema(n, body); });
}

// The sum, a double or a Pair, stored at *to in device memory.
template <class T, class F>
void reduce_sum_to(int n, const F& f, T* to) {
  if (simt::recording) return simt::recording->push_back([=] { reduce_sum_to(n, f, to); });
  T result;
  if constexpr (std::is_same_v<T, Pair>)
    result = reduce_sum2(n, f);
  else
    result = reduce_sum(n, f);
  if constexpr (simt::checked_loops) {
    auto store = [&] {
      const T value = result;  // copied outside of device code, which must not read host memory
      T* const at = to;
      simt::begin_index(0);
      *at = value;
      simt::end_index();
    };
    simt::checked_loop("end of a reduction", store, to);
  } else {
    const simt::DeviceCode scope;
    *to = result;
  }
}

}  // namespace weir::backend
