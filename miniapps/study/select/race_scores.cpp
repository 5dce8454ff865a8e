#include "miniapps/study/select/race_scores.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace weir {
namespace {

constexpr std::size_t races_kept = 8;
// Of the variance of a log ratio: as if so many races had shown this deviation.
constexpr int prior_races = 4;
constexpr double prior_deviation = 0.05;

double t_quantile_975(int degrees) {
  double low = 0, high = 100;
  for (int k = 0; k < 60; ++k) (student_cdf((low + high) / 2, degrees) < 0.975 ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

}  // namespace

double student_cdf(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double c2 = std::cos(angle) * std::cos(angle);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? std::cos(angle) : 1, sum = degrees == 1 ? 0 : term;
  for (int k = is_odd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= c2 * (k - 1) / k;
    sum += term;
  }
  const double within = is_odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return 0.5 + within / 2;
}

void RaceScores::add(std::vector<double> costs, int leader) {
  ++races_;
  costs_.push_back(std::move(costs));
  if (costs_.size() > races_kept) costs_.pop_front();
  for (int name = 0; name < static_cast<int>(pauses_.size()); ++name) {
    const double cost = costs_.back()[static_cast<std::size_t>(name)];
    if (name == leader || std::isnan(cost)) continue;
    Pause& pause = pauses_[static_cast<std::size_t>(name)];
    if (std::isinf(cost) || duel(name, leader).is_not_faster > rules_.confidence) {
      pause.until = races_ + pause.length;
      pause.length *= 2;
    } else if (duel(name, leader).is_faster > 0.5) {
      pause.length = 1;
    }
  }
}

void RaceScores::forget() {
  costs_.clear();
  pauses_.assign(pauses_.size(), Pause());
}

Duel RaceScores::duel(int challenger, int leader) const {
  Duel d;
  double sum = 0, squares = 0;
  for (const auto& race : costs_) {
    const double a = race[static_cast<std::size_t>(challenger)], b = race[static_cast<std::size_t>(leader)];
    if (std::isinf(a)) {  // what came before a failure counts no more
      d = {};
      sum = squares = 0;
    } else if (std::isfinite(a) && std::isfinite(b)) {
      const double x = std::log(a / b);
      ++d.races;
      sum += x;
      squares += x * x;
    }
  }
  if (d.races == 0) return d;
  const double n = d.races, mean = sum / n;
  const int degrees = prior_races + d.races - 1;
  const double variance =
      (prior_races * prior_deviation * prior_deviation + std::max(0.0, squares - n * mean * mean)) / degrees;
  const double error = std::sqrt(variance / n), reach = t_quantile_975(degrees) * error;
  d.ratio = std::exp(mean);
  d.interval = {std::exp(mean - reach), std::exp(mean + reach)};
  d.is_faster = student_cdf((std::log1p(-rules_.margin) - mean) / error, degrees);
  d.is_not_faster = student_cdf(mean / error, degrees);
  return d;
}

int RaceScores::best_against(int leader) const {
  int best = -1;
  double ratio = std::numeric_limits<double>::infinity();
  for (int name = 0; name < static_cast<int>(pauses_.size()); ++name) {
    if (name == leader) continue;
    const Duel d = duel(name, leader);
    if (d.races < 2 || d.is_faster < rules_.confidence || d.ratio >= ratio) continue;
    best = name;
    ratio = d.ratio;
  }
  return best;
}

std::vector<double> RaceScores::state() const {
  std::vector<double> all{static_cast<double>(pauses_.size()), static_cast<double>(races_),
                          static_cast<double>(costs_.size())};
  for (const Pause& p : pauses_) all.insert(all.end(), {static_cast<double>(p.until), static_cast<double>(p.length)});
  for (const auto& race : costs_) all.insert(all.end(), race.begin(), race.end());
  return all;
}

bool RaceScores::load(std::span<const double> state) {
  const std::size_t names = pauses_.size();
  if (state.size() < 3 || state[0] != static_cast<double>(names) || !(state[2] >= 0) || state[2] > races_kept)
    return false;
  const auto kept = static_cast<std::size_t>(state[2]);
  if (state.size() != 3 + 2 * names + kept * names) return false;
  races_ = static_cast<std::int64_t>(state[1]);
  auto next = state.begin() + 3;
  for (Pause& p : pauses_) {
    p.until = static_cast<std::int64_t>(*next++);
    p.length = static_cast<std::int64_t>(*next++);
  }
  costs_.clear();
  for (std::size_t r = 0; r < kept; ++r, next += static_cast<std::ptrdiff_t>(names))
    costs_.emplace_back(next, next + static_cast<std::ptrdiff_t>(names));
  return true;
}

}  // namespace weir
