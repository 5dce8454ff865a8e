#include "solvers/diagnosis/finding.hpp"

#include <cstdio>

namespace weir {

const char* to_string(Cause cause) {
  switch (cause) {
    case Cause::unknown:
      return "unknown";
    case Cause::matrix_not_finite:
      return "matrix_not_finite";
    case Cause::right_hand_side_not_finite:
      return "right_hand_side_not_finite";
    case Cause::guess_not_finite:
      return "guess_not_finite";
    case Cause::overflow:
      return "overflow";
    case Cause::float_range:
      return "float_range";
    case Cause::missing_diagonal:
      return "missing_diagonal";
    case Cause::zero_diagonal:
      return "zero_diagonal";
    case Cause::zero_pivot:
      return "zero_pivot";
    case Cause::null_space:
      return "null_space";
    case Cause::ill_conditioned:
      return "ill_conditioned";
    case Cause::scaling:
      return "scaling";
    case Cause::ordering:
      return "ordering";
    case Cause::not_symmetric:
      return "not_symmetric";
    case Cause::indefinite:
      return "indefinite";
    case Cause::preconditioner_not_symmetric:
      return "preconditioner_not_symmetric";
    case Cause::variable_preconditioner:
      return "variable_preconditioner";
    case Cause::stale_preconditioner:
      return "stale_preconditioner";
    case Cause::asynchronous_sweeps:
      return "asynchronous_sweeps";
    case Cause::breakdown:
      return "breakdown";
    case Cause::diverging:
      return "diverging";
    case Cause::restart:
      return "restart";
    case Cause::tolerance:
      return "tolerance";
    case Cause::too_few_iterations:
      return "too_few_iterations";
    case Cause::time_step:
      return "time_step";
    case Cause::growing_state:
      return "growing_state";
    case Cause::unphysical_state:
      return "unphysical_state";
    case Cause::first_not_finite:
      return "first_not_finite";
    case Cause::steps_exhausted:
      return "steps_exhausted";
  }
  return "unknown";
}

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

Finding& Finding::measured(std::string label, double value) { return measured(std::move(label), three_digits(value)); }

}  // namespace weir
