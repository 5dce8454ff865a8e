#include "solvers/diagnosis/finding.hpp"

#include <cstdio>
#include <iterator>

namespace weir {
namespace {

// In the order of Cause.
constexpr const char* names[] = {"unknown",
                                 "refused",
                                 "matrix_not_finite",
                                 "right_hand_side_not_finite",
                                 "guess_not_finite",
                                 "preconditioner_failed",
                                 "overflow",
                                 "underflow",
                                 "float_range",
                                 "missing_diagonal",
                                 "zero_diagonal",
                                 "zero_pivot",
                                 "null_space",
                                 "ill_conditioned",
                                 "scaling",
                                 "ordering",
                                 "not_symmetric",
                                 "indefinite",
                                 "preconditioner_not_symmetric",
                                 "variable_preconditioner",
                                 "stale_preconditioner",
                                 "asynchronous_sweeps",
                                 "breakdown",
                                 "diverging",
                                 "restart",
                                 "tolerance",
                                 "too_few_iterations",
                                 "time_step",
                                 "growing_state",
                                 "unphysical_state",
                                 "first_not_finite",
                                 "steps_exhausted",
                                 "limiter_cycle"};
static_assert(std::size(names) == static_cast<std::size_t>(Cause::limiter_cycle) + 1);

}  // namespace

const char* to_string(Cause cause) { return names[static_cast<int>(cause)]; }

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

Finding& Finding::measured(std::string label, double value) { return measured(std::move(label), three_digits(value)); }

}  // namespace weir
