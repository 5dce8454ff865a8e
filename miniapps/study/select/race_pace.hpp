// When solvers race again, for how long, and what a race may cost: by what the run's own steps take.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "solvers/parallel/communicator.hpp"

namespace weir {

// All ranks agree in the answers.
class RacePace {
 public:
  RacePace() = default;
  // steps: that each solver leads in a race, at least; budget: a share of the run's own time.
  RacePace(const Communicator& ranks, int names, int steps, double budget);

  // Of the run, of which share_done is done then; 0: its length is not known.
  void add(double seconds, std::int64_t steps = 1, double share_done = 0);
  // Clocks and questions cost microseconds: of short steps several go by between two looks, more while no race can be paid.
  std::int64_t steps_a_look(bool is_idle = false) const;
  void spend(double seconds) { spent_ += seconds; }
  void spend_on_trial(double seconds);
  bool can_afford_trial(double share_done) const;  // one that costs what the dear ones did
  double spent() const { return spent_; }
  double recent() const;  // seconds of a step, the median of the last ones; 0: too few since another one leads
  double step() const;    // the same, or the least of so few: the first ones also set up
  std::int64_t own_steps() const { return own_steps_; }

  // A step of the run costs other than it did when the last race was run: the systems are others.
  bool has_changed();
  void raced() { raced_at_ = recent(); }
  void solver_changed();
  // What a step has come to cost since, over what it did before; 0: no more than that, not known, or long ago.
  double over_former() const;

  int race_steps() const;  // more than asked for where a step is too short to be timed
  // Seconds that the next race may take. Of a run whose length is known (share_done > 0) the whole counts, the rest at the
  // pace of the second half of what is done (first steps may be dear): what is found early pays longest. But once all have raced, three quarters are kept for the rest of the run, and for races that may show
  // who is faster.
  double left(double share_done, bool may_show) const;
  // Of a race in which it is about as fast as the in-loop solver. The first step of each solver sets everything up.
  double least(int name, int warm_up = 0) const;
  double first_step(double left) const;  // what is waited for it
  bool is_warm(int name) const { return first_step_[static_cast<std::size_t>(name)] == 0; }
  void warm(int name) { first_step_[static_cast<std::size_t>(name)] = 0; }
  void was_too_short(int name) { first_step_[static_cast<std::size_t>(name)] *= 2; }

  static constexpr std::size_t state_size = 3;
  std::vector<double> state() const;
  void load(const double* state);

 private:
  const Communicator* ranks_ = nullptr;
  int steps_ = 2;
  double budget_ = 0, own_ = 0, spent_ = 0;  // seconds, but that the first is a share
  std::int64_t own_steps_ = 0;
  double setup_share() const;  // of what a first step may cost: as dear as the run's own first step was
  double whole_run(double share_done) const;

  double own_first_ = 0;  // seconds of that; 0: not known
  double trial_ = 0;      // that one costs, beyond the run's own
  std::deque<double> recent_;
  struct Mark {
    double share, own;
  };
  std::deque<Mark> marks_{{0, 0}};  // from half of what is done on
  double before_ = 0;               // a step's seconds when another one led last
  std::int64_t changed_at_ = 0;     // by own steps
  double raced_at_ = 0;             // a step's seconds when the last race was run; 0: not known
  std::vector<double> first_step_;  // what a solver's may cost, in steps of the run; 0: it has been made
};

}  // namespace weir
