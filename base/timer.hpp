// Wall-clock seconds, added to an accumulator when the scope ends. Where the accumulator has a name, the scope is a region that
// a profiler sees (region/region.hpp).
#pragma once
#include <chrono>

#include "base/region/region.hpp"

namespace weir {

// "pressure", "correction"; the names outlive the scope.
struct NamedSeconds {
  double& seconds;
  const char* system = nullptr;  // null: the region has one name
  const char* kernel = nullptr;

  operator double&() const { return seconds; }
  double& operator+=(double more) const { return seconds += more; }
};

class ScopedTimer {
 public:
  explicit ScopedTimer(double& seconds) : ScopedTimer(NamedSeconds{seconds}) {}
  explicit ScopedTimer(const NamedSeconds& to)
      : region_(to.system, to.kernel), seconds_(to.seconds), start_(Clock::now()) {}
  ~ScopedTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Region region_;
  double& seconds_;
  Clock::time_point start_;
};

// f(), its seconds added: to a double, or to NamedSeconds.
template <class Seconds, class F>
auto timed(Seconds&& seconds, const F& f) {
  ScopedTimer timer(seconds);
  return f();
}

}  // namespace weir
