// The clock of what a led step costs. One thread alone: the processor's time for it, so that other programs which
// take the processor away cost nothing. Else the wall clock: threads, ranks and GPUs wait for each other, and that is a cost.
#pragma once
#include "solvers/parallel/communicator.hpp"

namespace weir {

class CostClock {
 public:
  CostClock() = default;  // the wall's
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

}  // namespace weir
