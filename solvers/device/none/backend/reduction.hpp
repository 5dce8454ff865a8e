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
template <class F, class Finish>
[[noreturn]] void reduce_sum_then(int, const F&, const Finish&) {
  no_device();
}
template <class F, class Finish>
[[noreturn]] void reduce_sum2_then(int, const F&, const Finish&) {
  no_device();
}
template <class F, class Finish>
[[noreturn]] void reduce_max_then(int, const F&, const Finish&) {
  no_device();
}
template <class F, class Finish>
[[noreturn]] void reduce_extrema_then(int, const F&, const Finish&) {
  no_device();
}

}  // namespace weir::backend
