// Published rules for the choice of a solver from the costs of the run's own steps, without races: the alternatives to
// the races of [select], for comparison. The run is divided into periods of a few steps; one candidate solves the whole
// period, and its time per step is the only observation.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

class Bandit {
 public:
  static constexpr const char *races = "races", *tsallis_inf = "tsallis_inf", *thompson = "thompson", *probe = "probe";

  Bandit() = default;
  // cycle: number of periods between two probes. The same costs and seed give the same choices.
  Bandit(std::string rule, int candidates, std::uint64_t seed, std::int64_t cycle);
  bool is_on() const { return !costs_.empty(); }

  int next();  // the candidate of the next period
  // Seconds per step in the period of the last candidate of next(); infinite: the candidate failed.
  void observe(double cost);

  std::vector<double> state() const;
  bool load(const std::vector<double>& state);  // false: another number of candidates

 private:
  struct Costs {
    double periods = 0, mean = 0, squares = 0;  // of log(cost): mean, sum of squared deviations
    double loss = 0;                            // cumulative estimated loss
    double probability = 0;                     // of the last draw
  };
  int draw_by_loss();
  int draw_by_posterior();
  int fastest_after_probe() const;

  std::string rule_;
  std::vector<Costs> costs_;
  std::uint64_t seed_ = 1;
  std::int64_t cycle_ = 1, period_ = 0;
  int drawn_ = 0;
  double scale_ = 0;  // cost that counts as a loss of 1: twice the first cost of the default
};

}  // namespace weir
