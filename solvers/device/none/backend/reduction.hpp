#pragma once
#include "backend/runtime.hpp"
#include "solvers/device/chunked_reduce.hpp"

namespace weir::backend {

template <class F>
[[noreturn]] double reduce_sum(int, const F&) {
  no_device();
}
template <class F>
[[noreturn]] Pair reduce_sum2(int, const F&) {
  no_device();
}
template <class F>
[[noreturn]] double reduce_max(int, const F&) {
  no_device();
}
template <class F>
[[noreturn]] Extrema reduce_extrema(int, const F&) {
  no_device();
}
template <class T, class F>
[[noreturn]] void reduce_sum_to(int, const F&, T*) {
  no_device();
}

}  // namespace weir::backend
