// Adds the wall-clock seconds of a scope to an accumulator. If the accumulator has a name, the scope is also a
// profiler region (region/region.hpp).
#pragma once
#include <chrono>

#include "base/region/region.hpp"

namespace weir {

// Region names: "pressure", "correction". They must outlive the scope.
struct NamedSeconds {
  double& seconds;
  const char* system = nullptr;  // null: no inner region
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

// Evaluates f() and adds its time to a double or NamedSeconds.
template <class Seconds, class F>
auto timed(Seconds&& seconds, const F& f) {
  ScopedTimer timer(seconds);
  return f();
}

}  // namespace weir
