#include "miniapps/study/shadow/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

namespace weir {
namespace {

constexpr int resamples = 2000;

double reach(const Interval& i) { return std::max(std::abs(std::log(i.low)), std::abs(std::log(i.high))); }

// Number of sorted values outside of each end of the interval, for n / block independent values.
std::size_t tail_of(std::size_t n, std::size_t block) {
  const double m = std::max(2.0, static_cast<double>(n) / static_cast<double>(block));
  const double t = student_quantile(0.975, m - 1);
  const double below = 0.5 * std::erfc(std::sqrt(m / (m - 1)) * t / std::numbers::sqrt2);
  return static_cast<std::size_t>(below * resamples);
}

}  // namespace

double student_cdf(double t, double degrees) { return boost::math::cdf(boost::math::students_t(degrees), t); }
double student_quantile(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

Interval bootstrap_95(std::size_t n, std::uint64_t seed, const Statistic& statistic) {
  const std::size_t block = std::max<std::size_t>(1, static_cast<std::size_t>(std::cbrt(static_cast<double>(n))));
  std::mt19937_64 random(seed);
  std::vector<double> values;
  std::vector<std::size_t> pick;
  values.reserve(resamples);
  for (int r = 0; r < resamples; ++r) {
    pick.clear();
    while (pick.size() < n) {
      const std::size_t first = random() % (n - block + 1);
      for (std::size_t i = 0; i < block && pick.size() < n; ++i) pick.push_back(first + i);
    }
    values.push_back(statistic(pick));
  }
  std::ranges::sort(values);
  const std::size_t tail = tail_of(n, block);
  return {values[tail], values[values.size() - 1 - tail]};
}

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

double percentile_95(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((19 * values.size() + 19) / 20 - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double sign_test(int wins, int pairs) {
  if (pairs == 0) return 1;
  const int tail = std::min(wins, pairs - wins);
  double sum = 0;
  for (int k = 0; k <= tail; ++k)
    sum += std::exp(std::lgamma(pairs + 1.0) - std::lgamma(k + 1.0) - std::lgamma(pairs - k + 1.0) -
                    pairs * std::log(2.0));
  return std::min(1.0, 2 * sum);
}

PairedComparison compare_pairs(std::span<const double> candidate, std::span<const double> reference, std::uint64_t seed,
                               std::span<const double> extra) {
  PairedComparison c;
  c.pairs = static_cast<int>(std::min(candidate.size(), reference.size()));
  if (c.pairs == 0) return c;
  std::vector<double> logs;
  int ties = 0;
  for (int i = 0; i < c.pairs; ++i) {
    const auto k = static_cast<std::size_t>(i);
    logs.push_back(std::log(candidate[k] / reference[k]));
    if (logs.back() < 0) ++c.wins;
    if (logs.back() == 0) ++ties;
  }
  std::vector<double> sample;
  const Interval of_median = bootstrap_95(logs.size(), seed, [&](const std::vector<std::size_t>& pick) {
    sample.clear();
    for (const std::size_t i : pick) sample.push_back(logs[i]);
    return median(sample);
  });
  c.ratio = std::exp(median(logs));
  c.interval = {std::exp(of_median.low), std::exp(of_median.high)};
  c.sign_test_p = sign_test(c.wins, c.pairs - ties);
  const auto ratio_of_sums = [&](const std::vector<std::size_t>& pick) {
    double mine = 0, other = 0;
    for (const std::size_t i : pick) {
      mine += candidate[i] + (extra.empty() ? 0 : extra[i]);
      other += reference[i];
    }
    return mine / other;
  };
  std::vector<std::size_t> all(logs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  c.of_sums = ratio_of_sums(all);
  c.of_sums_interval = bootstrap_95(all.size(), seed, ratio_of_sums);
  return c;
}

double noise_floor_of(const PairedComparison& control) { return reach(control.of_sums_interval); }

Verdict verdict_of(const PairedComparison& c, double noise_floor) {
  if (c.pairs < fewest_pairs) return Verdict::too_few_systems;
  if (std::log(c.of_sums_interval.high) < -noise_floor) return Verdict::faster;
  if (std::log(c.of_sums_interval.low) > noise_floor) return Verdict::slower;
  return std::max(reach(c.of_sums_interval), noise_floor) <= std::log1p(alike) ? Verdict::no_difference
                                                                               : Verdict::undecided;
}

std::string to_string(Verdict verdict) {
  constexpr const char* names[] = {"faster",    "slower",  "no difference", "undecided", "too few systems",
                                   "reference", "control", "not settled",   "fails",     "too few branches"};
  return names[static_cast<int>(verdict)];
}

std::string verdict_text(Verdict verdict, double noise_floor) {
  if (verdict != Verdict::undecided) return to_string(verdict);
  return fmt::format("undecided (noise {:.1f} %)", 100 * std::expm1(noise_floor));
}

std::string statement(Evidence evidence, const std::string& name, const std::string& verdict, double ratio,
                      const Interval& interval) {
  constexpr const char *did[] = {"solved the same systems in", "ran the branches in", "completed the runs in"},
                       *reference[] = {"reference solver's time", "reference solver's time per progress",
                                       "baseline's time"},
                       *level[] = {"same systems", "branches", "whole runs"};
  const auto e = static_cast<std::size_t>(evidence);
  if (!std::isfinite(ratio)) return fmt::format("{}: {} ({})", name, verdict, level[e]);
  const bool is_decided = verdict == "faster" || verdict == "slower";
  return fmt::format("{}{} {} {:.2f} {} the {} (95 % interval {:.2f} to {:.2f}, {})", is_decided ? "" : verdict + ": ",
                     name, did[e], ratio, ratio < 1 ? "of" : "times", reference[e], interval.low, interval.high,
                     level[e]);
}

}  // namespace weir
