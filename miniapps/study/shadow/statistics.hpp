// Paired comparisons of two solvers on the same systems, or of two configurations over whole runs. The verdict is on
// the total cost: the sum of the times of one over that of the other. The median of the ratios describes the typical
// solve.
#pragma once
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace weir {

double median(std::vector<double> values);         // NaN if empty
double percentile_95(std::vector<double> values);  // the smallest that 95 % do not exceed; NaN if empty

struct Interval {
  double low = 0, high = 0;
};

using Statistic = std::function<double(const std::vector<std::size_t>&)>;  // of the chosen elements of a series

// 95 % interval by a moving-block bootstrap (Kuensch, Ann. Stat. 17 (1989) 1217): series of n elements are assembled
// from blocks of about n^(1/3) neighbours, because neighbouring steps are correlated. For few blocks the percentiles
// are widened to those of Student's t (Hesterberg, Am. Stat. 69 (2015) 371, section 5.3).
Interval bootstrap_95(std::size_t n, std::uint64_t seed, const Statistic& statistic);

struct PairedComparison {
  int pairs = 0;
  int wins = 0;            // pairs with a faster candidate
  double ratio = 1;        // median of candidate / reference
  Interval interval;       // of that median, 95 %
  double sign_test_p = 1;  // two-sided
  double of_sums = 1;      // sum of the candidate / sum of the reference
  Interval of_sums_interval{1, 1};
};

// Positive times of the same systems in the same order. extra: additional seconds of the candidate's failures, in the
// sums only; empty: none.
PairedComparison compare_pairs(std::span<const double> candidate, std::span<const double> reference, std::uint64_t seed,
                               std::span<const double> extra = {});

// Verdict from the interval of the sums. noise_floor, the half-width of the noise band, is the largest |log ratio| of
// the interval of the reference solver against itself. "No difference" means that the interval and the noise band are
// within `alike`; otherwise the data are undecided.
enum class Verdict {
  faster,
  slower,
  no_difference,
  undecided,
  too_few_systems,
  // Branches only:
  reference,
  control,
  not_settled,
  fails,
  too_few_branches
};
inline constexpr double alike = 0.03;
inline constexpr int fewest_pairs = 6;  // the smallest number with which a sign test can reach 0.05
Verdict verdict_of(const PairedComparison& c, double noise_floor);
double noise_floor_of(const PairedComparison& control_name);
std::string to_string(Verdict verdict);
std::string verdict_text(Verdict verdict, double noise_floor);  // "undecided (noise 4.1 %)"

// Random numbers that depend on these alone, not on what was drawn before.
inline std::mt19937_64 draw(std::uint64_t seed, std::int64_t major, std::int64_t minor = 0) {
  return std::mt19937_64(seed + 1000003 * static_cast<std::uint64_t>(major) + static_cast<std::uint64_t>(minor));
}
// Fisher-Yates. std::shuffle may draw differently with another standard library.
template <class T>
void shuffle(std::span<T> items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

double student_cdf(double t, double degrees);  // Student's t distribution
double student_quantile(double probability, double degrees);

// "multigrid solved the same systems in 0.71 of the reference solver's time (95 % interval 0.69 to 0.74, same
// systems)", with the verdict in front unless it is faster or slower.
enum class Evidence { same_systems, branches, whole_runs };
std::string statement(Evidence evidence, const std::string& name, const std::string& verdict, double ratio,
                      const Interval& interval);

// Two-sided exact sign test: probability of a result at least as rare as `wins` among `pairs` throws of a fair coin.
double sign_test(int wins, int pairs);

}  // namespace weir
