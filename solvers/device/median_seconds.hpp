// Seconds of one call of f: the median of `runs` runs, each of as many calls as take half a millisecond, after one that
// is not counted. Device work of f is waited for. `runners` are the callers of f at the same time (over ranks:
// solvers/parallel/together.hpp): they begin each run together, make as many calls, and the slowest counts.
#pragma once
#include <algorithm>
#include <chrono>
#include <vector>

#include "backend/runtime.hpp"

namespace weir {

struct Alone {
  void line_up() const {}
  double slowest(double seconds) const { return seconds; }
};

template <class F, class Runners = Alone>
double median_seconds(const F& f, int runs = 7, const Runners& runners = {}) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_of = [&](int calls) {
    runners.line_up();
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    backend::synchronise();
    return runners.slowest(std::chrono::duration<double>(Clock::now() - start).count());
  };
  f();
  backend::synchronise();
  const double once = seconds_of(1);
  const int calls = once > 0 ? std::clamp(static_cast<int>(5e-4 / once), 1, 1000) : 1000;
  std::vector<double> seconds;
  for (int i = 0; i < std::max(runs, 1); ++i) seconds.push_back(seconds_of(calls) / calls);
  std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
  return seconds[runs / 2];
}

}  // namespace weir
