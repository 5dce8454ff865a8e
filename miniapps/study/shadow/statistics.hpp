// Paired comparisons of two solvers on the same systems, or of two configurations over whole runs. The verdict is on what a
// run pays: the sum of one's times over the sum of the other's. Beside it, of the usual solve, the median of the ratios.
#pragma once
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace weir {

double median(std::vector<double> values);         // not-a-number of none
double percentile_95(std::vector<double> values);  // the smallest that 95 % of them do not exceed; not-a-number of none

struct Interval {
  double low = 0, high = 0;
};

using Statistic = std::function<double(const std::vector<std::size_t>&)>;  // of these of a series

// 95 % interval by a moving-block bootstrap (Kuensch, Ann. Stat. 17 (1989) 1217): the statistic of series of n that are put
// together from blocks of about n^(1/3) neighbours, since neighbouring steps are alike. Percentiles of few blocks are too
// narrow: they are moved out to where those of Student's t lie (Hesterberg, Am. Stat. 69 (2015) 371, section 5.3).
Interval bootstrap_95(std::size_t n, std::uint64_t seed, const Statistic& statistic);

struct PairedComparison {
  int pairs = 0;
  int wins = 0;            // pairs in which the candidate was faster
  double ratio = 1;        // median of candidate / reference
  Interval interval;       // of that median: 95 %
  double sign_test_p = 1;  // two-sided, that faster and slower are equally likely
  double of_sums = 1;      // sum of the candidate's / sum of the reference's
  Interval of_sums_interval{1, 1};
};

// Times of the same systems in the same order, both positive. Intervals are block bootstraps. `beside`: seconds that the
// candidate's failures cost in addition, in the sums alone; empty: none.
PairedComparison compare_pairs(std::span<const double> candidate, std::span<const double> reference, std::uint64_t seed,
                               std::span<const double> beside = {});

// What the interval of the sums allows one to say. The floor is the largest |log ratio| that the reference solver's
// interval against itself reaches: a difference within it is none. "No difference" is a finding too: interval and floor
// lie within `alike`; else the data leave it undecided.
enum class Verdict { faster, slower, no_difference, undecided, too_few_systems };
inline constexpr double alike = 0.03;
inline constexpr int fewest_pairs = 6;  // of a verdict: the smallest number of which a sign test can reach 0.05
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

// Two-sided exact sign test: the probability of `wins` or something rarer among `pairs` throws of a fair coin.
double sign_test(int wins, int pairs);

}  // namespace weir
