// A trial of [select]: a candidate solves some steps of the run itself, then the current solver again. Its steps are
// compared with those of the current solver before and after, so that a drift of the flow cancels. A race costs whole
// steps, a trial only the difference; it continues while the iterations of the candidate grow.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/parallel/communicator.hpp"

namespace weir {

// All results are equal on all ranks. An interval: the steps of the run between two calls of add.
class Trial {
 public:
  explicit Trial(const Communicator& ranks) : ranks_(&ranks) {}

  static constexpr int intervals = 24, most_intervals = 8 * intervals, intervals_after = 15;
  // Log ratios beyond which the steps before the trial suffice; large, because the first steps of a run become cheaper.
  static constexpr double slower = 0.2, faster = 0.5;

  bool is_open() const { return phase_ != Phase::none; }
  int name() const { return name_; }
  int incumbent() const { return incumbent_; }  // the current solver
  // before: seconds per step of the current solver.
  void begin(int name, int incumbent, double before);
  void drop() { phase_ = Phase::none; }

  enum class Next { go_on, revert, over };
  Next add(double seconds, std::int64_t steps, std::int64_t iterations);

  // After the trial: seconds per step; infinite: the iterations grew to the end.
  double cost() const { return during_; }
  double incumbent_cost() const { return incumbent_cost_; }
  // Extra seconds compared with the current solver, since the last call.
  double take_extra();

 private:
  enum class Phase { none, runs, after };
  double median(std::size_t from) const;  // of the intervals from `from` on
  bool grows() const;
  Next judge();

  const Communicator* ranks_;
  Phase phase_ = Phase::none;
  int name_ = 0, incumbent_ = 0, settling_ = 0, wanted_ = 0;
  double before_ = 0, during_ = 0, incumbent_cost_ = 0, extra_ = 0;
  std::vector<double> seconds_, iterations_;  // per step: seconds, linear iterations
};

}  // namespace weir
