// One race of [select]: each racer leads a few steps on a branch of the run, then the in-loop solver makes the same steps, or
// some more, in the run itself, which costs the race nothing.
#pragma once
#include <functional>
#include <vector>

#include "miniapps/study/relay/branches.hpp"
#include "miniapps/study/select/race_pace.hpp"

namespace weir {

template <class Space>
class Race {
 public:
  // crews of branches: one each name; 0: the default, which helps in each solve that fails.
  Race(Branches<Space>& branches, RacePace& pace) : branches_(branches), pace_(pace) {}

  // Steps of a racer that do not count: what a solver keeps of the systems before, it first has to learn on the branch.
  int warm_up(int name) const;

  // Racers lead in this order, for `left` seconds in all, from the state that the branches hold. Those that take `limit`
  // times what the in-loop solver does are cut off.
  void begin(int leading, const std::vector<int>& racers, const FlowBranch& flow, double limit, double left);
  void drop() { own_steps_ = 0; }

  // The run's own steps are awaited.
  bool is_open() const { return own_steps_ > 0; }
  bool has_ended() const { return is_open() && static_cast<int>(own_.steps.size()) == own_steps_; }
  void begin_own_step(const Run& run, const FlowBranch& flow);
  void end_own_step(double others);  // seconds that others have spent in steps, so far; after each of the run's steps
  void take_own_step(const Run& run, const FlowBranch& flow);  // all ranks call

  // Of a race that has ended: cost of each name, time a unit of progress. NaN: it did not take part, or the budget ended it;
  // infinite: it came to no end, or falls back on the default. Told are all that took part.
  std::vector<double> end(const std::function<void(int place, const Lead&)>& told);

  double iterations_a_step(int name) const;  // on its branch in the last race; 0: it had none

 private:
  Lead lead(int name, const FlowBranch& flow, double& left, double most_seconds) const;
  double cost_of(const Lead& lead) const;

  Branches<Space>& branches_;
  RacePace& pace_;
  struct Racer {
    Lead lead;
    bool is_void;  // the budget has ended it: no loss
  };
  std::vector<Racer> racers_;
  Lead own_;
  int steps_ = 0, own_steps_ = 0;  // of each racer; of the run, 0: the race is over
  bool is_in_decades_ = false;
  // Of the run's step: where the flow and its records stood before it, and what it took.
  double level_ = 0, began_ = 0, seconds_ = 0, others_ = 0;
  Diverted before_;
};

}  // namespace weir
