// How many threads a run uses where [device] threads leaves it free. Every loop ends with all threads waiting for the last;
// beside other programs the last one is often a thread that the system has put aside, and a loop of microseconds takes a
// time slice of milliseconds. The system reports for how long threads were ready to run and had no core: a program that
// shares a core with one of ours makes it wait half of the time, so so many threads are given up, and tried again later.
#pragma once

namespace weir {

class AdaptiveThreads {
 public:
  explicit AdaptiveThreads(int most, double now) : most_(most), threads_(most), looked_(now) {}

  bool is_due(double now) const { return most_ > 1 && now - looked_ >= 0.1; }
  // The number of threads from now on. now: seconds of any clock; waited: seconds without a core so far, of all threads.
  int next(double now, double waited);

 private:
  int most_, threads_;
  double looked_, waited_ = 0, retry_ = 0, patience_ = 1;  // seconds
};

// Of all threads of this process; 0 where the system does not report it.
double seconds_without_core();

}  // namespace weir
