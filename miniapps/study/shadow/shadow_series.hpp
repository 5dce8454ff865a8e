// The answers of shadow solves, gathered by name and compared.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "miniapps/study/shadow/shadow.hpp"
#include "miniapps/study/shadow/statistics.hpp"

namespace weir {

struct ShadowRow {
  std::string name, solver;
  int failures = 0;
  double iterations = 0;                          // a solve
  double milliseconds = 0, p95_milliseconds = 0;  // the median, the 95th percentile, setup in it
  // What a system costs on average, and which part of it is set-up. Failures cost their own time and beside that the
  // reference solver's on the same system, where it converged: a run would have to solve it again.
  double mean_milliseconds = 0, setup_milliseconds = 0, failed_milliseconds = 0;
  std::int64_t bytes = 0, most_bytes = 0;  // of its setup, the most it came to: of all ranks, of one
  PairedComparison with_reference;
  Verdict verdict = Verdict::too_few_systems;
};

// Whether the reference solver's replicas come to the reference solver's own answers. Where they do not, the flow would
// not repeat either.
struct Repetition {
  std::int64_t systems = 0, different = 0;  // compared; other answers
  std::int64_t step = -1, differing = 0;    // of the first that parted: unknowns
  int solve = 0;
  double largest_difference = 0;
};

struct LeftOut {
  std::string name, why;
};

struct ShadowComparison {
  int ranks = 1;
  std::string on = "the reference's systems";  // or those of another code
  std::vector<ShadowRow> rows;                 // [0] the reference solver, [1] the A/A control; those that have solved
  std::vector<LeftOut> left_out;               // from the start, without a row, or from some system on
  PairedComparison replicas;                   // the second replica with the first: what places in memory do
  double noise = 0;                            // of log ratios: as far as rows[1] or `doubles` reach
  double own_milliseconds = 0;                 // the median of the reference solver's own solves, in the flow
  Repetition repetition;
};

class ShadowSeries {
 public:
  ShadowSeries() = default;
  ShadowSeries(std::vector<std::string> names, std::vector<std::string> solvers);

  // All records of a system follow one another, the reference solver's own first. True where this one's reference
  // solver is seen to part from its double for the first time.
  bool add(const ShadowRecord& record);
  bool empty() const { return by_name_.empty() || by_name_.front().seconds.empty(); }
  std::int64_t systems(int name) const;
  const Repetition& repetition() const { return repetition_; }
  ShadowComparison compare(std::uint64_t seed) const;

 private:
  struct Series {
    std::vector<double> seconds;
    std::vector<bool> failed;
    double setup_seconds = 0;
    std::int64_t iterations = 0, bytes = 0, most_bytes = 0;
  };
  ShadowRow row(std::size_t name, std::uint64_t seed) const;
  std::vector<std::string> names_, solvers_;
  std::vector<Series> by_name_;
  std::vector<double> of_replica_[2], own_;
  Repetition repetition_;
  bool is_different_ = false;  // in the system at hand
};

std::string shadow_table(const ShadowComparison& c, const std::string& system);
std::string shadow_csv(const ShadowComparison& c);
std::string shadow_json(const ShadowComparison& c,
                        const std::string& system);  // of run.json: the verdicts, who is left out
// why: the reference solver's method is known not to repeat; empty: it should.
std::string repetition_text(const Repetition& r, const std::string& why);

}  // namespace weir
