// One race of [select]: each candidate runs the same few steps on a branch of the run. If steps are equal progress, the
// current solver's cost is known from the run itself; otherwise it runs these steps first.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "miniapps/study/relay/branches.hpp"
#include "miniapps/study/select/race_pace.hpp"

namespace weir {

inline constexpr const char* race_columns =
    "step,system,race,name,solver,place,steps,seconds,progress,iterations,not_converged,end";
// The columns from `steps` on.
inline std::string race_row(const BranchRun& run) {
  std::int64_t iterations = 0;
  for (const BranchStep& s : run.steps) iterations += s.iterations;
  return fmt::format("{},{:.6g},{:.6g},{},{},{}", run.steps.size(), run.seconds(), run.progress(), iterations,
                     run.unconverged(), to_string(run.end));
}

template <class Space>
struct Race {
  Branches<Space>& branches;  // one candidate per name; 0: the default, which repeats failed solves
  RacePace& pace;
  const FlowBranch& flow;
  int current;   // the current solver
  double limit;  // time limit of the others as a multiple of its time
  std::function<void(int name, int place, const BranchRun&)> report;

  // Steps that precede the measured ones, for solvers that depend on earlier systems.
  int warm_up(int name) const {
    constexpr int least = 4;
    return branches.candidates()[static_cast<std::size_t>(name)].remembers() ? std::max(least, pace.race_steps()) : 0;
  }

  // The number of racers, from the first on, that can race in `left` seconds.
  std::size_t fit(const std::vector<int>& racers, double left) const {
    constexpr double slower = 1.25;  // than the current solver: slower ones are stopped before the budget ends
    double least = flow.is_in_decades ? pace.least(current, warm_up(current)) : 0;
    std::size_t count = 0;
    for (; count < racers.size(); ++count) {
      least += slower * pace.least(racers[count], warm_up(racers[count]));
      if (least > left) break;
    }
    return count;
  }

  // Cost by name: time per step or per unit of progress. NaN: did not take part, or was stopped by the budget of `left`
  // seconds; infinite: failed, was stopped by the limit, or needed the default solver.
  std::vector<double> costs(const std::vector<int>& racers, double left) const {
    std::vector<double> costs(branches.candidates().size(), std::nan(""));
    double most_seconds = Branches<Space>::never, unclear = INFINITY;
    if (!flow.is_in_decades) {
      costs[static_cast<std::size_t>(current)] = pace.step();
      most_seconds = limit * pace.step() * pace.race_steps();
    }
    int place = 0;
    for (const int name : order(racers)) {
      const bool fits = name == current || pace.least(name, warm_up(name)) <= left;
      if (!fits || left <= 0 || branches.is_interrupted()) continue;
      const BranchRun lap = run(name, left, most_seconds);
      if (name == current) {
        most_seconds = limit * lap.seconds();
        unclear = unclear_progress * static_cast<double>(lap.steps.size());
        if (!(lap.progress() + unclear > 0)) unclear = INFINITY;
      }
      const bool falls_back = name != 0 && lap.unconverged() > 0;
      double& cost = costs[static_cast<std::size_t>(name)];
      cost = falls_back ? INFINITY : cost_of(lap, unclear);
      if (name != current && left <= 0 && lap.end == BranchRunEnd::cut) {  // stopped by the budget: not a defeat
        cost = std::nan("");
        pace.was_too_short(name);
      }
      report(name, ++place, lap);
    }
    return costs;
  }

 private:
  // The first step of each solver is not measured, because it allocates.
  BranchRun run(int name, double& left, double most_seconds) const {
    BranchRun run;
    if (!pace.is_warm(name)) run = branches.run(name, 1, flow, pace.first_step(left));
    left -= run.seconds();
    if (run.end != BranchRunEnd::steps && run.end != BranchRunEnd::reached) return run;
    pace.warm(name);
    const int untimed = warm_up(name), steps = pace.race_steps();
    run = branches.run(name, untimed + steps, flow, std::min(left, most_seconds * (untimed + steps) / steps));
    left -= run.seconds();
    run.drop_first(untimed);
    return run;
  }
  std::vector<int> order(const std::vector<int>& racers) const {
    std::vector<int> order;
    if (flow.is_in_decades) order.push_back(current);
    order.insert(order.end(), racers.begin(), racers.end());
    return order;
  }

  // Uncertainty of the progress per step in decades. A linear solve to a tolerance of some percent leaves a random part
  // of the residual.
  static constexpr double unclear_progress = 0.02;

  // Time per unit of progress, at the largest progress within the uncertainty `unclear`. If `unclear` is infinite: time
  // per step.
  static double cost_of(const BranchRun& run, double unclear) {
    if (run.end == BranchRunEnd::failed || run.end == BranchRunEnd::cut) return INFINITY;
    const double seconds = run.seconds(), progress = run.progress() + unclear;
    if (!(seconds > 0)) return std::nan("");
    if (std::isinf(unclear)) return seconds / static_cast<double>(run.steps.size());
    return progress > 0 ? seconds / progress : INFINITY;
  }
};

}  // namespace weir
