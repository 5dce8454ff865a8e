// The clock for the cost of a step. With one thread: processor time, so that other programs do not count. Otherwise
// wall-clock time, because threads, ranks and GPUs wait for each other, which is a cost.
#pragma once
#include "solvers/parallel/communicator.hpp"

namespace weir {

class CostClock {
 public:
  CostClock() = default;  // wall clock
  explicit CostClock(const Communicator& ranks);
  double now() const;  // seconds
  const char* name() const { return is_of_processor_ ? "processor time" : "wall clock"; }

 private:
  bool is_of_processor_ = false;
};

class CostTimer {  // adds to an accumulator when the scope ends
 public:
  CostTimer(const CostClock& clock, double& seconds) : clock_(clock), seconds_(seconds), start_(clock.now()) {}
  ~CostTimer() { seconds_ += clock_.now() - start_; }
  CostTimer(const CostTimer&) = delete;
  CostTimer& operator=(const CostTimer&) = delete;

 private:
  const CostClock& clock_;
  double& seconds_;
  double start_;
};

// Keeps the processor busy for `more` seconds, which are added to `seconds`.
inline void keep_busy(const CostClock& clock, double& seconds, double more) {
  const CostTimer timer(clock, seconds);
  for (const double end = clock.now() + more; clock.now() < end;) continue;
}

}  // namespace weir
