// One race of [select]: each racer leads the same few steps on a branch of the run. Where steps are equal progress, the run's own
// are what they are compared with; else the in-loop solver leads those steps first.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "miniapps/study/relay/branches.hpp"
#include "miniapps/study/select/race_pace.hpp"

namespace weir {

inline constexpr const char* race_columns =
    "step,system,race,name,solver,place,steps,seconds,progress,iterations,not_converged,end";
std::string race_row(const BranchRun& run);  // from `steps` on

template <class Space>
struct Race {
  Branches<Space>& branches;  // a crew each name; 0: the default, which helps in each solve that fails
  RacePace& pace;
  const FlowBranch& flow;
  int current;   // the in-loop solver
  double limit;  // the others are cut off after so many times what it takes
  std::function<void(int name, int place, const BranchRun&)> report;

  // Steps that do not count: what a solver keeps of the systems before, it first has to learn on the branch.
  int warm_up(int name) const;

  // How many of them, from the first on, can race in `left` seconds.
  std::size_t fit(const std::vector<int>& racers, double left) const;

  // Cost of each name: time a step, or a unit of progress. NaN: it did not take part, or the budget of `left` seconds ended it; infinite:
  // it came to no end, or falls back on the default.
  std::vector<double> costs(const std::vector<int>& racers, double left) const;

 private:
  BranchRun run(int name, double& left, double most_seconds) const;
  std::vector<int> order(const std::vector<int>& racers) const;
};

}  // namespace weir
