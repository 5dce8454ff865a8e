// Result of one process that measures one solver, the same for Weir and for its peers: processor time of the
// process (all its threads), growth of its memory, page faults, and the solution, whose residual the caller computes.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weir::bench {

struct Measured {
  std::string library;                                 // name and version
  std::map<std::string, std::vector<double>> seconds;  // by work: "set-up", "solve", "product", ...
  int iterations = 0;
  std::vector<double> x;
  std::int64_t bytes = 0;                           // from before the set-up to the peak
  std::int64_t faults_first = 0, faults_later = 0;  // pages mapped by set-up and first solve, by a later solve
};

// Processor time of this process in seconds.
double processor_seconds();
double processor_seconds_of(const std::function<void()>& f);

// Lives while one solver is measured: fills in bytes and faults.
class Watch {
 public:
  explicit Watch(Measured& m);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  void first_solve_done();

 private:
  Measured& measured_;
  std::int64_t bytes_, faults_, faults_later_ = 0;
};

// A set-up, a first solve and `repeats` later ones from zero, each timed. "first" is both: what a new process waits
// for.
struct Solver {
  std::function<void()> setup, zero, solve;
};
void measure_solver(Measured& m, const Solver& s, int repeats);

// The same work again and again; the first time, uncounted, warms up.
void measure_work(Measured& m, const std::string& work, int repeats, const std::function<void()>& f);

}  // namespace weir::bench
