// Reductions of the emulated device: the Host's own, in one thread, so that both spaces agree bit for bit.
#pragma once
#include "solvers/device/chunked_reduce.hpp"

namespace weir::backend {

template <class F>
double reduce_sum(int n, const F& f) {
  return detail::chunked_sum<false>(n, f);
}
template <class F>
Pair reduce_sum2(int n, const F& f) {
  return detail::chunked_sum2<false>(n, f);
}
template <class F>
double reduce_max(int n, const F& f) {
  return detail::chunked_max<false>(n, f);
}

}  // namespace weir::backend
