// The costs of branches, by candidate. Cost is time per unit of progress: the sum of the times of all branches over the
// sum of their progress, relative to the reference solver on the same branches.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/study/shadow/statistics.hpp"

namespace weir {

// Observation of the first solve of a step. Unknown: negative.
struct Observation {
  // Smooth part of the correction that the solve makes (the error left by earlier steps): |mean of each row and its
  // neighbours|^2 over |correction|^2, each variable scaled to one. Near 1: long waves; 1 / number of neighbours:
  // noise.
  double long_waves = -1;
  double left = -1;  // |r - A M^-1 r| / |r|: what one application of the preconditioner leaves of the first residual
};

struct BranchStep {
  double seconds = 0, progress = 0;
  std::int64_t solves = 0, iterations = 0, unconverged = 0, rejected = 0;
  Observation observation = {};
};

// steps: all steps were taken; cut: stopped by the time limit.
enum class BranchRunEnd { steps, reached, failed, cut };
const char* to_string(BranchRunEnd end);

// A branch, run by one candidate.
struct BranchRun {
  int candidate = 0, place = 0;  // 0 and 1: replicas of the reference solver; place: position in the order
  std::vector<BranchStep> steps;
  double rest = 0;  // seconds in the step that was not completed
  BranchRunEnd end = BranchRunEnd::steps;
  std::string why;  // why it failed

  void drop_first(int count);                              // drops steps, unless it failed or was stopped
  double seconds(std::size_t from, std::size_t to) const;  // of steps [from, to)
  double seconds() const { return seconds(0, steps.size()) + rest; }
  double progress() const;
  std::int64_t unconverged() const {
    std::int64_t sum = 0;
    for (const BranchStep& s : steps) sum += s.unconverged;
    return sum;
  }
};

// The runs of all candidates from one state, by name; none: did not take part. A coin decides which replica counts as
// the reference solver.
struct Branch {
  std::int64_t step = 0;  // the branch starts from the state before this step of the run
  int steps = 0;          // length of the branch
  std::vector<std::optional<BranchRun>> by_name;
};

// Length of branches in steps. A candidate has settled if both halves of its steps cost the same in time and
// iterations, relative to the halves of the reference solver. Until all have settled, the length doubles.
struct BranchLength {
  int first = 8, most = 64;
};

struct RelayRow {
  std::string name, solver;
  int branches = 0, failures = 0, cut = 0;
  std::int64_t unconverged = 0, rejected = 0;
  double milliseconds = 0;                            // per step
  double first_iterations = 0, later_iterations = 0;  // per step: in the first step and in the second half
  Observation first_observation, later_observation;   // likewise, means
  double progress = 1;                                // per step, relative to the reference solver
  double closed = 1, open = 1, gain = 1;              // ratios of time per progress and of the first steps; their ratio
  Interval closed_interval{1, 1}, open_interval{1, 1}, gain_interval{1, 1};
  double drift = 1;  // cost of the second half over that of the first; NaN: unknown
  bool has_settled = true;
  Verdict verdict = Verdict::too_few_branches;
  std::string why;  // explanation of a loop gain far from 1
};

struct RelayComparison {
  int branches = 0, steps = 0;  // the longest branches of which there are enough
  double noise = 0;             // noise band: largest |log ratio| of the A/A intervals
  // False if the progress of the reference solver is within its fluctuations: then nothing is decided.
  bool has_clear_progress = true;
  std::vector<RelayRow> rows;  // [0] reference solver, [1] A/A control
};

class RelaySeries {
 public:
  RelaySeries() = default;
  RelaySeries(std::vector<std::string> names, std::vector<std::string> solvers, BranchLength length);

  void add(Branch branch);
  int steps() const { return steps_; }  // length of the next branch
  int branches() const { return static_cast<int>(branches_.size()); }
  bool is_hopeless(int name) const;  // its last branches all failed or were stopped: it is excluded
  std::string growing() const;       // candidates that caused the last increase of the length; empty: no increase
  RelayComparison compare(std::uint64_t seed) const;

 private:
  using Those = std::vector<const Branch*>;
  // Over the branches of one length.
  Those branches_of(int name, int steps) const;
  struct Drift {
    double time, iterations;  // NaN: too few completed branches
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
