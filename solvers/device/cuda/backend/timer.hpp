// Seconds that the device spends on what is launched within a scope, by a pair of events: nothing waits.
#pragma once
#include "base/timer.hpp"

namespace weir::backend {

class Timer {
 public:
  explicit Timer(double& seconds) : Timer(NamedSeconds{seconds}) {}
  explicit Timer(const NamedSeconds& to);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Region region_;
  double* seconds_;
  void* begin_;  // events
  void* end_;
};

// Waits for all scopes that have ended and adds their seconds. Call it before reading such seconds, and before
// their memory is released.
void complete_timers() noexcept;

}  // namespace weir::backend
