// When and how long candidates race, and the budget of races, from the times of the run's own steps.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "solvers/parallel/communicator.hpp"

namespace weir {

// The steps of the run between two decisions.
struct TimedSteps {
  double seconds = 0;
  std::int64_t steps = 0, iterations = 0;
};

// All results are equal on all ranks.
class RacePace {
 public:
  RacePace() = default;
  // steps: minimum length of a race; budget: share of the run's own time.
  RacePace(const Communicator& ranks, int names, int steps, double budget);

  // Adds steps of the run; share_done: completed part of the run, 0: unknown.
  void add(double seconds, std::int64_t steps = 1, double share_done = 0);
  // Number of steps between measurements, which cost microseconds: more for short steps and while the budget allows no
  // race.
  std::int64_t steps_per_interval(bool is_idle = false) const;
  void spend(double seconds) { spent_ += seconds; }
  void spend_on_trial(double seconds);
  bool can_afford_trial(double share_done) const;  // at the cost of the expensive trials so far
  double spent() const { return spent_; }
  double recent() const;  // median seconds of the last steps; 0: too few since the last switch
  double step() const;    // the same, or the minimum if they are few (first steps include set-ups)
  std::int64_t own_steps() const { return own_steps_; }

  // The cost per step has changed by 30 % since the last race: the systems differ.
  bool has_changed();
  void raced() { raced_at_ = recent(); }
  void solver_changed();
  // Cost per step relative to that before the switch; 0: not larger, unknown, or the switch was long ago.
  double over_former() const;

  int race_steps() const;  // more than the minimum if steps are too short to be timed
  // Seconds for the next race. If the length of the run is known, the budget is a share of the expected time of the
  // whole run, because an early switch pays longest; the rest is expected to run at the pace of the second half so far.
  // After all have raced, three quarters are kept for later races, and for races that may show a faster solver
  // (may_show).
  double left(double share_done, bool may_show) const;
  // Expected seconds of a race with a candidate about as fast as the current solver. The first step of each includes
  // set-up.
  double least(int name, int warm_up = 0) const;
  double first_step(double left) const;  // its time limit
  bool is_warm(int name) const { return first_step_[static_cast<std::size_t>(name)] == 0; }
  void warm(int name) { first_step_[static_cast<std::size_t>(name)] = 0; }
  void was_too_short(int name) { first_step_[static_cast<std::size_t>(name)] *= 2; }

  static constexpr std::size_t state_size = 3;
  std::vector<double> state() const;
  void load(const double* state);

 private:
  const Communicator* ranks_ = nullptr;
  int steps_ = 2;
  double budget_ = 0, own_ = 0, spent_ = 0;  // budget: share; own, spent: seconds
  std::int64_t own_steps_ = 0;
  double setup_share() const;  // cost of a first step relative to its maximum, from the run's own first step
  double whole_run(double share_done) const;

  double own_first_ = 0;  // seconds of the first step; 0: unknown
  double trial_ = 0;      // extra seconds of a trial
  std::deque<double> recent_;
  struct Mark {
    double share, own;
  };
  std::deque<Mark> marks_{{0, 0}};  // from half of the completed part on
  double before_ = 0;               // seconds per step before the switch
  std::int64_t changed_at_ = 0;     // in own steps
  double raced_at_ = 0;             // seconds per step at the last race; 0: unknown
  std::vector<double> first_step_;  // maximum cost of a solver's first step, in steps of the run; 0: done
};

}  // namespace weir
