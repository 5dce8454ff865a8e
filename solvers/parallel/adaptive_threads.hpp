// Number of threads when [device] threads is not set. Every loop waits for its last thread. If other programs use the
// cores, that thread is often descheduled, and a loop of microseconds takes a time slice of milliseconds. The system
// reports how long threads were ready to run without a core. From that time follows how many threads are given up;
// they are tried again later.
#pragma once

namespace weir {

class AdaptiveThreads {
 public:
  explicit AdaptiveThreads(int most, double now) : most_(most), threads_(most), looked_(now) {}

  bool is_due(double now) const { return most_ > 1 && now - looked_ >= 0.1; }
  // The number of threads from now on. now: any clock; waited: accumulated time without a core of all threads; in
  // seconds.
  int next(double now, double waited);

 private:
  int most_, threads_;
  double looked_, waited_ = 0, retry_ = 0, patience_ = 1;  // seconds
};

// Of all threads of this process; 0: not reported by the system.
double seconds_without_core();

}  // namespace weir
