// One race of [select]: each candidate runs the same few steps on a branch of the run. If steps are equal progress, the
// current solver's cost is known from the run itself; otherwise it runs these steps first.
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
  Branches<Space>& branches;  // one candidate per name; 0: the default, which repeats failed solves
  RacePace& pace;
  const FlowBranch& flow;
  int current;   // the current solver
  double limit;  // time limit of the others as a multiple of its time
  std::function<void(int name, int place, const BranchRun&)> report;

  // Steps that do not count, for solvers that depend on earlier systems.
  int warm_up(int name) const;

  // The number of racers, from the first on, that can race in `left` seconds.
  std::size_t fit(const std::vector<int>& racers, double left) const;

  // Cost by name: time per step or per unit of progress. NaN: did not take part, or was stopped by the budget of `left`
  // seconds; infinite: failed, was stopped by the limit, or needed the default solver.
  std::vector<double> costs(const std::vector<int>& racers, double left) const;

 private:
  BranchRun run(int name, double& left, double most_seconds) const;
  std::vector<int> order(const std::vector<int>& racers) const;
};

}  // namespace weir
