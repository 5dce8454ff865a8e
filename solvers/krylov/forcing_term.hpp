// Tolerance of the solves of an inexact Newton method, |b - A x| <= eta |b|, from the last reduction of the nonlinear
// residual R: Eisenstat & Walker 1996 (SIAM J. Sci. Comput. 17), choice 2, with their safeguards and those of Kelley
// (1995, 8.3.2):
//  eta_k = gamma (|R_k| / |R_{k-1}|)^alpha                                                      `ratio`
//  at least gamma eta_{k-1}^alpha while this is above 0.1, so that eta falls no faster than the
//  quadratic convergence of Newton's method                                                     `safeguard`
//  at least half of the remaining reduction, goal / (2 |R_k|), to avoid oversolving the last system  `goal`
//  at most the option max                                                                       `max`
//  the option initial for the first system of a phase                                           `initial`
//  unchanged for a step that is repeated                                                        `again`
//  at most a limit, which is max_at_start at the start of each phase. It is doubled if ten systems have reduced the
//  nonlinear residual below a fifth, and halved (not below 0.01) if they have not halved it     `limit`
// The name on the right is the reason that is recorded. Options:
//  tolerance = "eisenstat_walker"
//  tolerance = { type = "eisenstat_walker", initial = 0.1, max = 0.3, max_at_start = 0.1, gamma = 0.9, alpha = 2.0 }
// Eisenstat & Walker use max = 0.9, which suits steps whose cost is the linear iterations. Here a step also computes a
// residual and a Jacobian: with 0.9 a laminar aerofoil took twice as many steps as with 0.3, and no fewer iterations.
// Checkpoints contain |R_{k-1}|, eta_{k-1} and the limit.
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
  // residual: |R| at the state of the next system; goal: |R| at which the phase ends (0: none).
  void aim(double residual, double goal);
  void again();  // the next system has the same state: its step was rejected
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
