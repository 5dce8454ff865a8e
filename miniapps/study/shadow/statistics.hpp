// Paired comparisons of two solvers on the same systems: everything is said of log(time / time of the reference
// solver), so that "twice as fast" and "twice as slow" weigh the same.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weir {

double median(std::vector<double> values);  // not-a-number of none

struct Interval {
  double low = 0, high = 0;
};

// A moving-block bootstrap (Kuensch, Ann. Stat. 17 (1989) 1217): the statistic of series of n that are put together from
// blocks of about n^(1/3) neighbours, since neighbouring steps are alike; sorted. Of these, where 95 % lie.
std::vector<double> block_bootstrap(std::size_t n, std::uint64_t seed,
                                    const std::function<double(const std::vector<std::size_t>&)>& statistic);
Interval middle_95(const std::vector<double>& sorted);

struct PairedComparison {
  int pairs = 0;
  int wins = 0;            // pairs in which the candidate was faster
  double ratio = 1;        // median of candidate / reference
  Interval interval;       // of that median: 95 %
  double sign_test_p = 1;  // two-sided, that faster and slower are equally likely
};

// Times of the same systems in the same order, both positive. The interval is a block bootstrap of the median.
PairedComparison compare_pairs(std::span<const double> candidate, std::span<const double> leader, std::uint64_t seed);

// What the interval allows one to say. The floor is the largest |log ratio| that the reference solver's interval
// against itself reaches: a difference within it is none.
enum class Verdict { faster, slower, not_significant, too_few_systems };
Verdict verdict_of(const PairedComparison& c, double noise_floor);
double noise_floor_of(const PairedComparison& leader_again);
std::string to_string(Verdict verdict);
// The same in a table: an interval that leaves out 1 but not the noise floor is "within the noise floor".
std::string difference_text(const PairedComparison& c, Verdict verdict);

// Two-sided exact sign test: the probability of `wins` or something rarer among `pairs` throws of a fair coin.
double sign_test(int wins, int pairs);

}  // namespace weir
