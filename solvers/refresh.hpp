// When a preconditioner is rebuilt while the matrix changes.
//   refresh = "always" | "every:K" | "adaptive" | "adaptive:PRICE" | "adaptive:measured"     (of [linear.SYSTEM])
// A lagged preconditioner costs iterations, a new one its update. Let P be the price of an update in iterations and
// i_0, i_1, ... the iterations of the solves since the last update. "adaptive" updates as soon as the next solve is
// expected to cost more than the average per solve of this cycle (update included):
//   i_k >= (P + i_0 + ... + i_k) / (k + 1)
// (renewal-reward: the average falls while its marginal cost is below it, and is smallest where they meet; for i_k =
// i_0 + g k after sqrt(2 P / g) solves). If the first solve with a lagged preconditioner already loses the cost of an
// update, or fails, the next 1, 2, 4, .. 64 systems are updated before another attempt, so that the price of attempts
// stays small. P is a number of the type of the preconditioner, so that decisions, and with them the bits of the flow,
// do not depend on the clock. "measured" takes it from the measured seconds instead; such runs do not repeat.
#pragma once
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

// Cost of solves at one age of the preconditioner; age 0 is an updated one.
struct AgeRecord {
  int solves = 0;
  double iterations = 0;
};

// Iterations and seconds per solve, updates included. For a schedule that was not run this is an estimate: each age
// costs its average in this run (ages that were reached only while iterations grew slowly favour long schedules).
struct ScheduleCost {
  std::string schedule;
  double iterations = 0, seconds = 0;
};

class RefreshPolicy {
 public:
  RefreshPolicy() = default;  // always
  RefreshPolicy(const Table& options, const std::string& preconditioner);

  bool is_always() const { return kind_ == Kind::always; }
  const std::string& text() const { return text_; }
  // For schemes whose checkpoint does not contain the matrix from which the preconditioner was built.
  void require_always(const Table& options) const;

  bool is_due() const;  // whether the preconditioner must be rebuilt before new values are used
  // The preconditioner has been rebuilt; counts: false for a setup.
  void renewed(double seconds, bool counts);
  void kept() { ++age_; }
  void solved(const SolveResult& result);
  void wasted(const SolveResult& result);  // a solve failed with a lagged preconditioner and was repeated
  // Whether a failure is worth an attempt with an updated preconditioner: the present one is lagged, and the last
  // updated one did not fail in the same way.
  bool blames_age(const SolveResult& result) const;

  int age() const { return age_; }  // systems since the last update
  double price() const;             // cost of an update in iterations, as used by the decisions
  double measured_price() const;    // the same from measured seconds; 0: unknown
  int updates() const { return updates_; }
  int rescues() const { return rescues_; }  // updates after a failure
  const std::vector<AgeRecord>& ages() const { return ages_; }

  // Seconds and iterations of what was run, of "always", and of the best "every:K" in hindsight. Empty before there is
  // a measured price.
  std::vector<ScheduleCost> compare() const;

  void state(Archive& a);  // state of decisions and records, for checkpoints

 private:
  enum class Kind { always, every, adaptive };
  void judge_cycle();
  ScheduleCost cost_of(int every) const;  // every:K

  Kind kind_ = Kind::always;
  std::string text_ = "always";
  int every_ = 1;
  double price_ = 1;
  bool is_measured_ = false;

  int age_ = 0, solves_ = 0;  // of this cycle
  double cycle_iterations_ = 0;
  int last_iterations_ = 0;
  bool fresh_failed_ = false, failed_ = false;  // the last updated preconditioner failed; a lagged one did
  int patience_ = 0, wait_ = 0;                 // updates without lag after the last loss; those still to do

  std::vector<AgeRecord> ages_;
  int updates_ = 0, rescues_ = 0;
  double update_seconds_ = 0, solve_seconds_ = 0, iterations_ = 0;
};

}  // namespace weir
