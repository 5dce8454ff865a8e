#include "miniapps/study/select/bandit.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "miniapps/study/shadow/statistics.hpp"

namespace weir {

Bandit::Bandit(std::string rule, int candidates, std::uint64_t seed, std::int64_t cycle)
    : rule_(std::move(rule)),
      costs_(rule_ == races ? 0 : static_cast<std::size_t>(candidates)),
      seed_(seed),
      cycle_(std::max<std::int64_t>(cycle, candidates)) {}

int Bandit::next() {
  const int unknown =
      static_cast<int>(std::ranges::find_if(costs_, [](const Costs& c) { return c.periods == 0; }) - costs_.begin());
  const int count = static_cast<int>(costs_.size());
  if (rule_ == tsallis_inf)
    drawn_ = period_ == 0 ? 0 : draw_by_loss();  // the first period, of the default, gives the scale of the losses
  else if (rule_ == thompson)
    drawn_ = unknown < count ? unknown : draw_by_posterior();
  else
    drawn_ = period_ % cycle_ < count ? static_cast<int>(period_ % cycle_) : fastest_after_probe();
  if (period_ == 0) costs_[0].probability = 1;
  ++period_;
  return drawn_;
}

void Bandit::observe(double cost) {
  Costs& c = costs_[static_cast<std::size_t>(drawn_)];
  if (scale_ == 0) scale_ = 2 * cost;
  const double bounded = std::min(cost, 8 * scale_);  // of a failure as well
  if (rule_ == probe) c = {};                         // the last period alone counts
  const double log_cost = std::log(std::max(bounded, 1e-12)), difference = log_cost - c.mean;
  ++c.periods;
  c.mean += difference / c.periods;
  c.squares += difference * (log_cost - c.mean);
  if (rule_ != tsallis_inf || c.probability == 0) return;
  // Estimator of reduced variance (Zimmert and Seldin 2021): the loss minus 1/2 where the probability is not small,
  // weighted by the inverse probability.
  const double t = static_cast<double>(period_), eta = 4 / std::sqrt(t), loss = std::min(cost / scale_, 1.0);
  for (Costs& other : costs_) {
    const double offset = other.probability >= eta * eta ? 0.5 : 0;
    other.loss += offset + (&other == &c ? (loss - offset) / other.probability : 0);
  }
}

// Tsallis-INF (Zimmert and Seldin 2021, algorithm 1): probabilities 4 / (eta (L_i - x))^2 with the cumulative losses
// L_i, the learning rate eta = 4 / sqrt(t), and x such that their sum is 1, by Newton's method from above.
int Bandit::draw_by_loss() {
  const double eta = 4 / std::sqrt(static_cast<double>(period_ + 1));
  double least = INFINITY;
  for (const Costs& c : costs_) least = std::min(least, c.loss);
  double x = least - 2 / eta;  // the sum is at least 1 there
  for (int iteration = 0; iteration < 50; ++iteration) {
    double sum = 0, slope = 0;
    for (Costs& c : costs_) {
      const double root = 2 / (eta * (c.loss - x));
      c.probability = root * root;
      sum += c.probability;
      slope += eta * c.probability * root;
    }
    if (std::abs(sum - 1) < 1e-12) break;
    x -= (sum - 1) / slope;
  }
  std::mt19937_64 random = draw(seed_, period_);
  double left = std::generate_canonical<double, 53>(random);
  for (std::size_t i = 0; i < costs_.size(); ++i)
    if ((left -= costs_[i].probability) < 0) return static_cast<int>(i);
  return static_cast<int>(costs_.size()) - 1;
}

// Thompson sampling: a cost per candidate is drawn from the posterior of the mean of log(cost), which is normal with
// the pooled variance of all candidates; the least one is taken.
int Bandit::draw_by_posterior() {
  double squares = 0, degrees = 0;
  for (const Costs& c : costs_) {
    squares += c.squares;
    degrees += c.periods - 1;
  }
  constexpr double least_deviation = 0.02;
  const double deviation = degrees > 0 ? std::max(std::sqrt(squares / degrees), least_deviation) : 1;
  std::mt19937_64 random = draw(seed_, period_);
  int best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    // Box and Muller's formula: std::normal_distribution differs between standard libraries.
    const double u = 1 - std::generate_canonical<double, 53>(random), v = std::generate_canonical<double, 53>(random);
    const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
    const double sample = costs_[i].mean + deviation / std::sqrt(costs_[i].periods) * normal;
    if (sample < least) {
      least = sample;
      best = static_cast<int>(i);
    }
  }
  return best;
}

int Bandit::fastest_after_probe() const {
  const auto least = std::ranges::min_element(costs_, [](const Costs& a, const Costs& b) { return a.mean < b.mean; });
  return static_cast<int>(least - costs_.begin());
}

std::vector<double> Bandit::state() const {
  std::vector<double> saved{static_cast<double>(period_), static_cast<double>(drawn_), scale_};
  for (const Costs& c : costs_) saved.insert(saved.end(), {c.periods, c.mean, c.squares, c.loss, c.probability});
  return saved;
}

bool Bandit::load(const std::vector<double>& state) {
  if (state.size() != 3 + 5 * costs_.size()) return false;
  period_ = static_cast<std::int64_t>(state[0]);
  drawn_ = std::clamp(static_cast<int>(state[1]), 0, static_cast<int>(costs_.size()) - 1);
  scale_ = state[2];
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const double* s = &state[3 + 5 * i];
    costs_[i] = {s[0], s[1], s[2], s[3], s[4]};
  }
  return true;
}

}  // namespace weir
