// The results of shadow solves, by name, and their comparison.
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
  double iterations = 0;                          // per solve
  double milliseconds = 0, p95_milliseconds = 0;  // median and 95th percentile, with set-up
  // Mean cost per system and its set-up part. A failure costs its own time plus that of the reference solver on the
  // same system, if that converged, because a run would have to solve the system again.
  double mean_milliseconds = 0, setup_milliseconds = 0, failed_milliseconds = 0;
  std::int64_t bytes = 0, most_bytes = 0;  // largest memory of the set-up: all ranks, one rank
  PairedComparison with_reference;
  Verdict verdict = Verdict::too_few_systems;
};

// Whether the replicas reproduce the reference solver's own solutions. If not, the flow is not reproducible either.
struct Repetition {
  std::int64_t systems = 0, different = 0;  // compared; with other solutions
  std::int64_t step = -1, differing = 0;    // of the first difference: number of unknowns
  int solve = 0;
  double largest_difference = 0;
};

struct LeftOut {
  std::string name, why;
};

struct ShadowComparison {
  int ranks = 1;
  std::string on = "the reference's systems";  // or "the captured systems"
  std::vector<ShadowRow> rows;                 // [0] reference solver, [1] A/A control; without left-out candidates
  std::vector<LeftOut> left_out;               // from the start (no row), or from some system on
  PairedComparison replicas;                   // second replica over first: effect of memory locations
  double noise = 0;             // noise band: largest |log ratio| of the intervals of rows[1] and `replicas`
  double own_milliseconds = 0;  // median of the reference solver's own solves
  Repetition repetition;
};

class ShadowSeries {
 public:
  ShadowSeries() = default;
  ShadowSeries(std::vector<std::string> names, std::vector<std::string> solvers);

  // The records of a system are consecutive, the reference solver's own first. True at the first difference between the
  // reference solver and a replica.
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
  bool is_different_ = false;  // in the current system
};

std::string shadow_table(const ShadowComparison& c, const std::string& system);
std::string shadow_csv(const ShadowComparison& c);
// Block "shadow" of run.json.
std::string shadow_json(const ShadowComparison& c, const std::string& system);
// why: reason why the reference solver does not repeat; empty: it should.
std::string repetition_text(const Repetition& r, const std::string& why);

}  // namespace weir
