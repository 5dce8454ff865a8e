// Where the sums and maxima of Device go: to the host, which waits for them, or to device memory, and nothing waits.
#pragma once
#include <type_traits>

#include "solvers/device/space.hpp"

namespace weir {

namespace detail {
struct PlaceOfSums {
  double *next = nullptr, *end = nullptr;  // null: to the host
};
PlaceOfSums& place_of_sums();
double* take_places(int count);  // of the SumsStay that lives; throws where it has no more
}  // namespace detail

// While one lives, the results of Device reductions are left at `places`, `count` doubles of device memory, in the order of
// the calls, and the host gets zeros. For one known call or loop, since whatever computes with a sum must not be in it. One
// at a time.
class SumsStay {
 public:
  SumsStay(double* places, int count) { detail::place_of_sums() = {places, places + count}; }
  ~SumsStay() { detail::place_of_sums() = {}; }
  SumsStay(const SumsStay&) = delete;
  SumsStay& operator=(const SumsStay&) = delete;
};

// f makes one reduction and returns its result, which goes to `to`, memory of the space: a double, or a Pair's two.
template <class Space, class F>
void leave_sum(double* to, const F& f) {
  if constexpr (std::is_same_v<Space, Device>) {
    const SumsStay here(to, sizeof(f()) / sizeof(double));
    f();
  } else {
    *reinterpret_cast<decltype(f())*>(to) = f();
  }
}

}  // namespace weir
