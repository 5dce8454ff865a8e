// A trial of [select]: a solver leads the run itself for some steps, then the in-loop solver again. Its steps are compared with
// those of the in-loop solver before and after, so that a drift of the flow cancels. A race costs whole steps; a trial only
// what the solver is slower by, and its systems are those that it leaves itself: it goes on while its iterations grow.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/parallel/communicator.hpp"

namespace weir {

// All ranks agree in the answers. A look: some steps of the run between two calls of add.
class Trial {
 public:
  explicit Trial(const Communicator& ranks) : ranks_(&ranks) {}

  static constexpr int looks = 24, most_looks = 8 * looks, looks_after = 15;
  // Beyond these the steps before are enough to compare with. Logs of the ratio; much, for the first steps of a run become cheaper.
  static constexpr double slower = 0.2, faster = 0.5;

  bool is_open() const { return phase_ != Phase::none; }
  int name() const { return name_; }
  int incumbent() const { return incumbent_; }  // the in-loop solver
  // before: seconds of a step of the in-loop solver.
  void begin(int name, int incumbent, double before);
  void drop() { phase_ = Phase::none; }

  enum class Next { go_on, revert, over };
  Next add(double seconds, std::int64_t steps, std::int64_t iterations);

  // Once it is over: a step's seconds; infinite: its iterations grew to the end.
  double cost() const { return during_; }
  double incumbent_cost() const { return incumbent_cost_; }
  // Seconds that it has taken beyond what the in-loop solver would have; each is told once.
  double take_extra();

 private:
  enum class Phase { none, runs, after };
  double median(std::size_t from) const;  // of the looks from that one on
  bool grows() const;
  Next judge();

  const Communicator* ranks_;
  Phase phase_ = Phase::none;
  int name_ = 0, incumbent_ = 0, settling_ = 0, wanted_ = 0;
  double before_ = 0, during_ = 0, incumbent_cost_ = 0, extra_ = 0;
  std::vector<double> looks_, iterations_;  // a step: seconds, linear iterations
};

}  // namespace weir
