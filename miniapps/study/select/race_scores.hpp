// Comparison of candidates by races and trials. A race gives each participant a cost (time per unit of progress). Two
// candidates are compared by the log ratios of their costs in the last races that both have run; a trial counts as
// several races. The variance of the log ratios is unknown and races are few, so it has a prior; the mean follows
// Student's t.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "miniapps/study/shadow/statistics.hpp"

namespace weir {

struct RaceRules {
  double margin = 0.02;       // minimum gain of a switch
  double confidence = 0.975;  // required probability of that gain
};

struct Duel {
  int races = 0;
  double ratio = 1;         // geometric mean of challenger / current solver
  Interval interval{0, 0};  // 95 %
  double is_faster = 0;     // probability that the challenger is faster by the margin
};

class RaceScores {
 public:
  RaceScores() = default;
  RaceScores(int names, RaceRules rules) : rules_(rules), back_offs_(static_cast<std::size_t>(names)) {}

  // Costs of a race: NaN: took no part; infinite: failed or stopped. `when`, here and below: steps of the run in units
  // of [select] every. races: weight of the race.
  void add(std::vector<double> costs, int current, double when, int races = 1);
  // Discards the comparisons, because the systems have changed. All may race again except those that failed last.
  void forget(double when);
  Duel duel(int challenger, int current) const;
  // Whether the challenger is faster or about as fast in its races. A trial then decides, because it costs less than
  // further races. races_per_trial: number of races that one trial counts for.
  bool deserves_trial(int challenger, int current) const;
  static constexpr int races_per_trial = 4;
  int best_against(int current) const;  // the solver that should replace the current one; -1: none
  // A solver that is probably not faster is backed off; the back-off grows by half each time and ends at the latest
  // when the solver would break even at its present trend.
  bool takes_part(int name, double when) const { return when >= back_offs_[static_cast<std::size_t>(name)].until; }

  // For checkpoints.
  std::vector<double> state() const;
  bool load(std::span<const double> state);  // false: state of other candidates

 private:
  struct BackOff {
    double until = 0, length = 1;
  };
  RaceRules rules_;
  struct Race {
    double when;
    int counts_for;  // races
    std::vector<double> costs;
  };
  double until_even(int name, int current) const;  // after the last race; infinite: never

  std::deque<Race> last_;
  std::vector<BackOff> back_offs_;
  double since_ = 0;  // earlier races do not count
};

// The time that a run has saved by not using the default solver, estimated from races.
struct Savings {
  double seconds = 0;
  double gain = 1;  // cost of the default over that of the current solver

  // limit: assumed gain if the default failed or was stopped in the last races.
  void solver_changed(const Duel& d, double limit) { gain = d.races > 0 && std::isfinite(d.ratio) ? d.ratio : limit; }
  // After a race; a default that was stopped costs at least the limit.
  void learn(double default_cost, const Duel& d, double limit) {
    if (std::isinf(default_cost))
      gain = std::max(gain, limit);
    else if (d.races > 0)
      gain = d.ratio;
  }
  void add(double seconds_used) { seconds += seconds_used * (gain - 1); }  // by the current solver
};

}  // namespace weir
