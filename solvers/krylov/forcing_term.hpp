// Tolerance of the solves of an inexact Newton method, |b - A x| <= eta |b|, from the last reduction of the nonlinear
// residual R: Eisenstat & Walker 1996 (SIAM J. Sci. Comput. 17), choice 2, with their safeguards and those of Kelley
// (1995, 8.3.2):
//  eta_k = gamma (|R_k| / |R_{k-1}|)^alpha                                                      `ratio`
//  at least gamma eta_{k-1}^alpha while that is above 0.1: eta falls no faster than Newton      `safeguard`
//  at least half of the remaining reduction, goal / (2 |R_k|): avoids oversolving the last one  `goal`
//  at most `max`; the first of a phase: `initial`; for a step that is repeated: `again`
//  at most a limit that starts at `max_at_start` in each phase: it doubles after ten systems whose residual falls to a
//  fifth and halves after ten that do not halve theirs                                          `limit`
//  tolerance = "eisenstat_walker"
//  tolerance = { type = "eisenstat_walker", initial = 0.1, max = 0.3, max_at_start = 0.1, gamma = 0.9, alpha = 2.0 }
// Eisenstat & Walker use max = 0.9, for steps that cost their linear iterations alone. Here a step also has a residual
// and a Jacobian: with 0.9 a laminar aerofoil took twice as many steps as with 0.3, and no fewer iterations.
// Checkpoints contain |R_{k-1}| and eta_{k-1}.
#pragma once
#include <memory>

#include "base/archive.hpp"
#include "base/table.hpp"

namespace weir {

enum class ToleranceReason { fixed, initial, ratio, safeguard, goal, max, limit, again };
const char* to_string(ToleranceReason reason);

Options forcing_options();  // options of the table

struct ForcingRule {
  bool is_adaptive = false;  // false: fixed tolerance
  double initial = 0, max = 0, max_at_start = 0, gamma = 0, alpha = 0;

  ForcingRule() = default;
  explicit ForcingRule(const Table& options);  // [linear.SYSTEM]
  static bool is_given(const Table& options);  // true if [linear.SYSTEM] tolerance is not a number
};

class ForcingTerm {
 public:
  ForcingTerm() = default;  // fixed
  explicit ForcingTerm(const ForcingRule& rule);

  bool is_adaptive() const { return eta_ != nullptr; }
  std::shared_ptr<const double> shared() const { return eta_; }  // tolerance of the next solve
  ToleranceReason reason() const { return reason_; }

  // Called by the flow code; no effect if the tolerance is fixed.
  void begin_phase();  // new time level or order: the next residual has no predecessor
  void aim(double residual,
           double goal);  // norms of R at the state of the next system, and of the final residual (0: none)
  void again();           // the next system has the same state: its step was rejected
  void state(Archive& a);

 private:
  void look_at_progress(double residual);

  ForcingRule rule_;
  double residual_ = -1;  // |R| of the last system; negative: none in this phase
  double limit_ = 0;      // at most rule_.max
  double mark_ = -1;      // |R| `since_mark_` systems ago
  int since_mark_ = 0;
  ToleranceReason reason_ = ToleranceReason::fixed;
  std::shared_ptr<double> eta_;
};

}  // namespace weir
