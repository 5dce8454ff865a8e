// How far the solves of an inexact Newton method go, |b - A x| <= eta |b|, by what the last step has done to the nonlinear
// residual R: Eisenstat & Walker 1996 (SIAM J. Sci. Comput. 17), choice 2, with their safeguards and Kelley's (1995, 8.3.2):
//   eta_k = gamma (|R_k| / |R_{k-1}|)^alpha                                                       `ratio`
//   not below gamma eta_{k-1}^alpha, while that is above 0.1: eta falls no faster than Newton     `safeguard`
//   not below half of what the goal still asks for, goal / (2 |R_k|): the last solve is no waste  `goal`
//   not above `max`; the first of a phase: `initial`; that of a step that is tried again: `again`
//   `max` has to be earned: a phase begins with `max_at_start`. Ten systems that take the residual to a fifth double the
//   limit, ten that do not halve it halve it: what loose solves leave is the same part of the error each time  `limit`
//   tolerance = "eisenstat_walker"
//   tolerance = { type = "eisenstat_walker", initial = 0.1, max = 0.3, max_at_start = 0.1, gamma = 0.9, alpha = 2.0 }
// Their eta_max is 0.9, for steps that cost their linear iterations alone. Here a step has a residual and a Jacobian as well:
// with 0.9 a laminar aerofoil took twice as many steps as with 0.3, and no fewer iterations.
// Checkpoints hold |R_{k-1}| and eta_{k-1}.
#pragma once
#include <memory>

#include "base/archive.hpp"
#include "base/table.hpp"

namespace weir {

enum class ToleranceReason { fixed, initial, ratio, safeguard, goal, max, limit, again };
const char* to_string(ToleranceReason reason);

Options forcing_options();  // of the table

struct ForcingRule {
  bool is_adaptive = false;  // else the tolerance is fixed
  double initial = 0, max = 0, max_at_start = 0, gamma = 0, alpha = 0;

  ForcingRule() = default;
  explicit ForcingRule(const Table& options);  // [linear.SYSTEM]
  static bool is_given(const Table& options);  // [linear.SYSTEM] tolerance is no number
};

class ForcingTerm {
 public:
  ForcingTerm() = default;  // fixed
  explicit ForcingTerm(const ForcingRule& rule);

  bool is_adaptive() const { return eta_ != nullptr; }
  std::shared_ptr<const double> shared() const { return eta_; }  // the tolerance of the next solve
  ToleranceReason reason() const { return reason_; }

  // Of the flow code; nothing happens where the tolerance is fixed.
  void begin_phase();  // the next residual is no successor of the last: another time level or order
  void aim(double residual,
           double goal);  // norms of R at the state of the next system, and that to be reached; 0: none
  void again();           // the next system is of the same state: its step was rejected
  void state(Archive& a);

 private:
  void look_at_progress(double residual);

  ForcingRule rule_;
  double residual_ = -1;  // of the last system; negative: the phase has none
  double limit_ = 0;      // at most rule_.max
  double mark_ = -1;      // the residual `since_mark_` systems ago
  int since_mark_ = 0;
  ToleranceReason reason_ = ToleranceReason::fixed;
  std::shared_ptr<double> eta_;
};

}  // namespace weir
