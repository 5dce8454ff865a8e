// Will the next solve stagnate, that is reach max_iterations? Asynchronous ILU does not fail, it becomes a bad
// preconditioner, and the probe p = |r - A M^-1 r| / |r| of the first residual sees it before the solve: one application of a
// good one leaves less than it was given. The warning stands where
//   p > 2                                                            one application makes the residual larger, or
//   p > 0.8 and more than twice that of the last observed solve      (the trend), or
//   p > 0.9 and the last observed solve took more than 0.8 of max_iterations.
// The numbers were chosen on one set of runs and judged on another: docs/explanation/studies.md has precision and
// recall, and inputs/study/early_warning.toml finds them again (`weir ab` counts hits and misses of every study that observes).
#pragma once
#include <utility>

namespace weir {

class EarlyWarning {
 public:
  explicit EarlyWarning(int most_iterations = 0) : most_(most_iterations) {}
  bool look(double probe) {  // before a solve
    constexpr double grows = 2, bad = 0.8, hardly_helps = 0.9, nearly_all = 0.8;
    const double before = std::exchange(last_, probe);
    if (!(probe <= grows)) return true;  // not a number: too
    if (before > 0 && probe > bad && probe > 2 * before) return true;
    return probe > hardly_helps && most_ > 0 && last_iterations_ > nearly_all * most_;
  }
  void took(int iterations) { last_iterations_ = iterations; }

 private:
  int most_, last_iterations_ = 0;
  double last_ = 0;
};

// Warnings and what came of them.
struct WarningScore {
  int hits = 0, false_alarms = 0, misses = 0, quiet = 0;  // quiet: no warning, and rightly so
  double precision() const { return hits ? static_cast<double>(hits) / (hits + false_alarms) : 0; }
  double recall() const { return hits ? static_cast<double>(hits) / (hits + misses) : 0; }
  int stagnations() const { return hits + misses; }
  int solves() const { return hits + false_alarms + misses + quiet; }
  void add(bool warned, bool stagnated) {
    ++(warned ? (stagnated ? hits : false_alarms) : (stagnated ? misses : quiet));
  }
};

}  // namespace weir
