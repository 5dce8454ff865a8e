// What branches have cost, gathered by name and compared. Cost is time a unit of progress: the sum of all branches' times
// over the sum of their progress, relative to the reference of the same branches.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/study/shadow/statistics.hpp"

namespace weir {

// From inside a step's first solve. Not known: negative.
struct Observation {
  // Of the correction that the solve makes: the error that the steps before have left. What stays of it where each row takes
  // the mean of itself and its neighbours, each variable scaled to one: the square of that over the square of all. Long
  // waves: near 1; noise: one over the number of those rows.
  double long_waves = -1;
  double left = -1;  // of the first residual by one application of the preconditioner: |r - A M^-1 r| / |r|
};

struct BranchStep {
  double seconds = 0, progress = 0;
  std::int64_t solves = 0, iterations = 0, unconverged = 0, rejected = 0;
  Observation observation = {};
};

// cut: its time limit; steps: as many as were asked for.
enum class BranchRunEnd { steps, reached, failed, cut };
const char* to_string(BranchRunEnd end);

// What a crew has made of a branch.
struct BranchRun {
  int candidate = 0, place = 0;  // who, and in which order; 0 and 1 are the reference's replicas
  std::vector<BranchStep> steps;
  double rest = 0;  // seconds in the step that it did not end
  BranchRunEnd end = BranchRunEnd::steps;
  std::string why;  // it failed

  void drop_first(int count);                              // of its steps, unless it failed or was cut off
  double seconds(std::size_t from, std::size_t to) const;  // of these steps
  double seconds() const { return seconds(0, steps.size()) + rest; }
  double progress() const;
  std::int64_t unconverged() const {
    std::int64_t sum = 0;
    for (const BranchStep& s : steps) sum += s.unconverged;
    return sum;
  }
};

// All crews' answers to one state. Names are those of the crews, but that a coin says which replica stands for the
// reference; none: it did not take part.
struct Branch {
  std::int64_t step = 0;  // of the run, whose state before it is branched from
  int steps = 0;          // that each crew leads
  std::vector<std::optional<BranchRun>> by_name;
};

// Of a branch's steps how many are enough. A name has settled where the later half of its steps costs what the earlier
// half does, in time and in iterations, relative to the reference's halves; while one has not, the next branches have
// twice as many.
struct BranchLength {
  int first = 8, most = 64;
};

enum class RelayVerdict {
  reference,
  control,
  faster,
  slower,
  no_difference,  // shown, as in statistics.hpp
  undecided,
  not_settled,
  fails,
  too_few_branches
};
const char* to_string(RelayVerdict verdict);

struct RelayRow {
  std::string name, solver;
  int branches = 0, failures = 0, cut = 0;
  std::int64_t unconverged = 0, rejected = 0;
  double milliseconds = 0;                            // a step
  double first_iterations = 0, later_iterations = 0;  // a step: of the branches' first, and of their later halves
  Observation first_observation, later_observation;   // likewise
  double progress = 1;                                // a step, over the reference's
  double closed = 1, open = 1, gain = 1;              // time a unit of progress; time of the first step; their ratio
  Interval closed_interval{1, 1}, open_interval{1, 1}, gain_interval{1, 1};
  double drift = 1;  // of its cost a step, from the earlier half of a branch to the later one; NaN: not known
  bool has_settled = true;
  RelayVerdict verdict = RelayVerdict::too_few_branches;
  std::string why;  // in a sentence, where the loop gain is far from 1
};

struct RelayComparison {
  int branches = 0, steps = 0;  // of that length: the longest of which there were enough
  double noise = 0;             // of log ratios, as far as the A/A intervals reach
  // Whether the reference's is more than its ups and downs; else a unit of it has no price, and nothing is decided.
  bool has_clear_progress = true;
  std::vector<RelayRow> rows;  // [0] the reference, [1] the A/A control
};

class RelaySeries {
 public:
  RelaySeries() = default;
  RelaySeries(std::vector<std::string> names, std::vector<std::string> solvers, BranchLength length);

  void add(Branch branch);
  int steps() const { return steps_; }  // of the next branch
  int branches() const { return static_cast<int>(branches_.size()); }
  bool is_hopeless(int name) const;  // it came to no end in its last branches: it need not take part any more
  std::string growing() const;       // for whom the last branch has made the next ones longer; empty: it has not
  RelayComparison compare(std::uint64_t seed) const;

 private:
  using Those = std::vector<const Branch*>;
  // Of the branches of a length.
  Those branches_of(int name, int steps) const;
  struct Drift {
    double time, iterations;  // NaN: too few whole branches
  };
  Drift drift(int name, int steps) const;
  bool has_settled(int name, int steps) const;
  bool has_clear_progress(int steps, std::uint64_t seed) const;
  RelayRow row(int name, int steps, std::uint64_t seed) const;
  Interval replicas_against_each_other(int steps, std::uint64_t seed) const;

  std::vector<std::string> names_, solvers_;
  BranchLength length_;
  int steps_ = 0;
  std::vector<Branch> branches_;
  std::string growing_;
};

struct RelaySubject {
  std::string system, progress, clock;  // progress: "physical time" or "decades of the residual"
};
std::string relay_table(const RelayComparison& c, const RelaySubject& of);
std::string relay_json(const RelayComparison& c, const RelaySubject& of);

}  // namespace weir
