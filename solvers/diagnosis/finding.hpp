// A cause of a failure with measured values and a recommendation. examine() (failed_solve.hpp) finds causes of failed
// solves, the failure diagnostics (miniapps/study) those of a flow.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace weir {

enum class Cause {
  unknown,
  refused,  // the method or the preconditioner does not support this matrix
  // numbers
  matrix_not_finite,
  right_hand_side_not_finite,
  guess_not_finite,
  preconditioner_failed,  // of a plugin: an error, or NaN from finite values
  overflow,
  underflow,
  float_range,
  // the matrix
  missing_diagonal,
  zero_diagonal,
  zero_pivot,
  null_space,
  ill_conditioned,
  scaling,
  ordering,
  // the method and its preconditioner
  not_symmetric,
  indefinite,
  preconditioner_not_symmetric,
  variable_preconditioner,
  stale_preconditioner,
  asynchronous_sweeps,
  breakdown,
  diverging,
  restart,
  tolerance,
  too_few_iterations,
  // the flow
  time_step,
  growing_state,
  unphysical_state,
  first_not_finite,
  steps_exhausted,
  limiter_cycle,
};
const char* to_string(Cause cause);  // "null_space"

struct Finding {
  Finding() = default;
  Finding(Cause of, std::string sentence) : cause(of), what(std::move(sentence)) {}

  Cause cause = Cause::unknown;
  std::string what;                                           // one sentence
  std::vector<std::pair<std::string, std::string>> evidence;  // measured quantities and their values
  std::string key, change;                                    // "linear.pressure.max_iterations", "raise it to 60"

  Finding& measured(std::string label, std::string text) {
    evidence.emplace_back(std::move(label), std::move(text));
    return *this;
  }
  Finding& measured(std::string label, double value);
  Finding advising(std::string which_key, std::string what_change) {  // the last call
    key = std::move(which_key);
    change = std::move(what_change);
    return std::move(*this);
  }
};

std::string three_digits(double value);  // "1.23e-05"

}  // namespace weir
