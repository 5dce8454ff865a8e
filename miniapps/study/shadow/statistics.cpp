#include "miniapps/study/shadow/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace weir {
namespace {

constexpr int resamples = 2000;
constexpr int fewest_pairs = 6;  // the smallest number of which a sign test can reach 0.05

// The medians of series put together from blocks of neighbours, sorted.
std::vector<double> bootstrap_medians(const std::vector<double>& series, std::uint64_t seed) {
  const std::size_t n = series.size();
  const std::size_t block = std::max<std::size_t>(1, static_cast<std::size_t>(std::cbrt(static_cast<double>(n))));
  std::mt19937_64 random(seed);
  std::vector<double> medians, sample;
  medians.reserve(resamples);
  for (int r = 0; r < resamples; ++r) {
    sample.clear();
    while (sample.size() < n) {
      const std::size_t first = random() % (n - block + 1);
      for (std::size_t i = 0; i < block && sample.size() < n; ++i) sample.push_back(series[first + i]);
    }
    medians.push_back(median(sample));
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
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

PairedComparison compare_pairs(std::span<const double> candidate, std::span<const double> leader, std::uint64_t seed) {
  PairedComparison c;
  c.pairs = static_cast<int>(std::min(candidate.size(), leader.size()));
  if (c.pairs == 0) return c;
  std::vector<double> logs;
  int ties = 0;
  for (int i = 0; i < c.pairs; ++i) {
    const auto k = static_cast<std::size_t>(i);
    logs.push_back(std::log(candidate[k] / leader[k]));
    if (logs.back() < 0) ++c.wins;
    if (logs.back() == 0) ++ties;
  }
  const std::vector<double> medians = bootstrap_medians(logs, seed);
  c.ratio = std::exp(median(logs));
  c.interval = {std::exp(medians[resamples / 40]), std::exp(medians[resamples - 1 - resamples / 40])};
  c.sign_test_p = sign_test(c.wins, c.pairs - ties);
  return c;
}

double noise_floor_of(const PairedComparison& control) {
  return std::max(std::abs(std::log(control.interval.low)), std::abs(std::log(control.interval.high)));
}

Verdict verdict_of(const PairedComparison& c, double noise_floor) {
  if (c.pairs < fewest_pairs) return Verdict::too_few_systems;
  if (std::log(c.interval.high) < -noise_floor) return Verdict::faster;
  if (std::log(c.interval.low) > noise_floor) return Verdict::slower;
  return Verdict::not_significant;
}

std::string to_string(Verdict verdict) {
  constexpr const char* names[] = {"faster", "slower", "not significant", "too few systems"};
  return names[static_cast<int>(verdict)];
}

std::string difference_text(const PairedComparison& c, Verdict verdict) {
  const bool leaves_out_1 = c.interval.high < 1 || c.interval.low > 1;
  return verdict == Verdict::not_significant && leaves_out_1 ? "within the noise floor" : to_string(verdict);
}

}  // namespace weir
