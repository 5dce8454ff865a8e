// Wall-clock seconds, added to an accumulator when the scope ends.
#pragma once
#include <chrono>

namespace weir {

class ScopedTimer {
 public:
  explicit ScopedTimer(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~ScopedTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

// f(), its seconds added.
template <class F>
auto timed(double& seconds, const F& f) {
  ScopedTimer timer(seconds);
  return f();
}

}  // namespace weir
