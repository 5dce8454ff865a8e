// What races and trials say of who should lead. A race gives each solver that took part a cost (time a unit of progress); two
// are compared by the log ratios of their costs in the races that both have run, the last few of them, and of those the recent
// ones: systems change. A trial counts as several races.
// The variance of the log ratios is not known and races are few, so it has a prior; the mean then follows Student's t.
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
  double margin = 0.02;       // faster by less is not worth a change
  double confidence = 0.975;  // the probability of that which a change asks for
};

struct Duel {
  int races = 0;
  double ratio = 1;         // of costs, the challenger's over the in-loop solver's: geometric mean
  Interval interval{0, 0};  // 95 %
  double is_faster = 0;     // probability that the challenger is faster by the margin
};

class RaceScores {
 public:
  RaceScores() = default;
  RaceScores(int names, RaceRules rules) : rules_(rules), back_offs_(static_cast<std::size_t>(names)) {}

  // Of a race: not-a-number for those that took no part; infinite for those that failed or were cut off. `when`, here and
  // below: the run's steps, in the intervals at which races may come. A trial is as good as so many races.
  void add(std::vector<double> costs, int current, double when, int races = 1);
  // What races have shown of who is faster: the systems are others now. All may race but those that failed last, and pauses go on
  // to grow.
  void forget(double when);
  Duel duel(int challenger, int current) const;
  // By the races it is faster, or about as fast: a trial tells for less. That is about as good as so many races.
  bool deserves_trial(int challenger, int current) const;
  static constexpr int of_a_trial = 4;
  int best_against(int current) const;  // who should lead instead; -1: nobody
  // Who is probably not faster pauses, half as long again each time: the next race may be of another flow. Who has caught up
  // since the race before pauses until it would break even, if that is earlier.
  bool takes_part(int name, double when) const { return when >= back_offs_[static_cast<std::size_t>(name)].until; }

  // All of it, as numbers.
  std::vector<double> state() const;
  bool load(std::span<const double> state);  // false: of other names

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
  double until_even(int name, int current) const;  // from the last race on; infinite: it does not catch up

  std::deque<Race> last_;
  std::vector<BackOff> back_offs_;
  double since_ = 0;  // races before tell nothing of who leads
};

// The time that a run has saved because another solver than the default solves it, as far as races show.
struct Savings {
  double seconds = 0;
  double gain = 1;  // the default's cost over the in-loop solver's

  // The default's cost against the new in-loop solver's; where it failed or was cut off in the last races: its limit.
  void solver_changed(const Duel& d, double limit) { gain = d.races > 0 && std::isfinite(d.ratio) ? d.ratio : limit; }
  // After a race; a default that was cut off costs at least the limit.
  void learn(double default_cost, const Duel& d, double limit) {
    if (std::isinf(default_cost))
      gain = std::max(gain, limit);
    else if (d.races > 0)
      gain = d.ratio;
  }
  void add(double led_seconds) { seconds += led_seconds * (gain - 1); }
};

}  // namespace weir
