#include "miniapps/study/select/race_scores.hpp"

#include <limits>
#include <utility>

namespace weir {
namespace {

constexpr std::size_t races_kept = 8;
constexpr double most_counted = 100;  // valid range in a checkpoint
constexpr double memory = 8;          // intervals
// Prior of the variance of log ratios: weight in races, and deviation.
constexpr int prior_races = 4;
constexpr double prior_deviation = 0.05;
constexpr double farthest = 1.1;  // cost ratio: beyond it races suffice

}  // namespace

void RaceScores::add(std::vector<double> costs, int current, double when, int races) {
  last_.push_back({when, races, std::move(costs)});
  if (last_.size() > races_kept) last_.pop_front();
  for (int name = 0; name < static_cast<int>(back_offs_.size()); ++name) {
    const double cost = last_.back().costs[static_cast<std::size_t>(name)];
    if (name == current || std::isnan(cost)) continue;
    BackOff& back_off = back_offs_[static_cast<std::size_t>(name)];
    if (std::isinf(cost) || duel(name, current).is_faster < 0.5) {
      back_off.until = when + std::min(back_off.length, std::max(1.0, until_even(name, current)));
      back_off.length *= 1.5;
    } else {
      back_off.length = 1;
    }
  }
}

double RaceScores::until_even(int name, int current) const {
  constexpr double noise = 0.05;
  double lost = std::nan(""), at = 0;  // in the last race: log ratio and time
  for (auto race = last_.rbegin(); race != last_.rend(); ++race) {
    const double a = race->costs[static_cast<std::size_t>(name)], b = race->costs[static_cast<std::size_t>(current)];
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const double x = std::log(a / b);
    if (!std::isnan(lost)) return x - lost > noise ? lost / (x - lost) * (at - race->when) : INFINITY;
    lost = x;
    at = race->when;
  }
  return INFINITY;
}

void RaceScores::forget(double when) {
  since_ = when;
  for (std::size_t name = 0; name < back_offs_.size(); ++name) {
    const auto took_part = [name](const Race& race) { return !std::isnan(race.costs[name]); };
    const auto latest = std::find_if(last_.rbegin(), last_.rend(), took_part);
    if (latest == last_.rend() || std::isfinite(latest->costs[name])) back_offs_[name].until = 0;
  }
}

Duel RaceScores::duel(int challenger, int current) const {
  Duel d;
  double sum = 0, squares = 0;
  const auto of = [](const Race& race, int name) { return race.costs[static_cast<std::size_t>(name)]; };
  const auto took_part = [&](const Race& race) { return !std::isnan(of(race, challenger)); };
  const auto latest = std::find_if(last_.rbegin(), last_.rend(), took_part);
  for (auto race = latest; race != last_.rend() && race->when >= std::max(since_, latest->when - memory); ++race) {
    const double a = of(*race, challenger), b = of(*race, current);
    if (std::isinf(a)) break;  // earlier races no longer count
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const double x = std::log(a / b);
    d.races += race->counts_for;
    sum += race->counts_for * x;
    squares += race->counts_for * x * x;
  }
  if (d.races == 0) return d;
  const double n = d.races, mean = sum / n;
  const int degrees = prior_races + d.races - 1;
  const double variance =
      (prior_races * prior_deviation * prior_deviation + std::max(0.0, squares - n * mean * mean)) / degrees;
  const double error = std::sqrt(variance / n), reach = student_quantile(0.975, degrees) * error;
  d.ratio = std::exp(mean);
  d.interval = {std::exp(mean - reach), std::exp(mean + reach)};
  d.is_faster = student_cdf((std::log1p(-rules_.margin) - mean) / error, degrees);
  return d;
}

bool RaceScores::deserves_trial(int challenger, int current) const {
  const Duel d = duel(challenger, current);
  return d.races > 0 && d.ratio < farthest;
}

int RaceScores::best_against(int current) const {
  int best = -1;
  double ratio = std::numeric_limits<double>::infinity();
  for (int name = 0; name < static_cast<int>(back_offs_.size()); ++name) {
    if (name == current) continue;
    const Duel d = duel(name, current);
    if (d.races < 2 || d.is_faster < rules_.confidence || d.ratio >= ratio) continue;
    best = name;
    ratio = d.ratio;
  }
  return best;
}

std::vector<double> RaceScores::state() const {
  std::vector<double> all{static_cast<double>(back_offs_.size()), static_cast<double>(last_.size()), since_};
  for (const BackOff& p : back_offs_) all.insert(all.end(), {p.until, p.length});
  for (const Race& race : last_) {
    all.insert(all.end(), {race.when, static_cast<double>(race.counts_for)});
    all.insert(all.end(), race.costs.begin(), race.costs.end());
  }
  return all;
}

bool RaceScores::load(std::span<const double> state) {
  const std::size_t names = back_offs_.size();
  if (state.size() < 3 || state[0] != static_cast<double>(names) || !(state[1] >= 0) || state[1] > races_kept)
    return false;
  const auto kept = static_cast<std::size_t>(state[1]);
  if (state.size() != 3 + 2 * names + kept * (2 + names)) return false;
  since_ = state[2];
  auto next = state.begin() + 3;
  for (BackOff& p : back_offs_) {
    p.until = *next++;
    p.length = *next++;
  }
  last_.clear();
  for (std::size_t r = 0; r < kept; ++r, next += static_cast<std::ptrdiff_t>(2 + names)) {
    if (!(next[1] >= 1 && next[1] <= most_counted)) {
      last_.clear();
      return false;
    }
    last_.push_back({*next, static_cast<int>(next[1]), {next + 2, next + static_cast<std::ptrdiff_t>(2 + names)}});
  }
  return true;
}

}  // namespace weir
