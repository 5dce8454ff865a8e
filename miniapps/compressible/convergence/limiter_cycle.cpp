#include "miniapps/compressible/convergence/limiter_cycle.hpp"

#include <cmath>

namespace weir {
namespace {

constexpr int trial_steps = 20;
constexpr double convincing = 0.1;  // residual reduction in these steps

double length(const std::array<double, 5>& norm) { return std::hypot(std::hypot(norm[0], norm[1]), norm[2], norm[3]); }

// Number of cells in which the limiter of a variable switched on or off.
double changes(const std::vector<double>& before, const std::vector<double>& after) {
  constexpr double on = 0.999;
  double cells = 0;
  for (std::size_t i = 0; i + 4 <= before.size(); i += 4) {
    bool changed = false;
    for (std::size_t k = i; k < i + 4; ++k) changed = changed || (before[k] < on) != (after[k] < on);
    if (changed) ++cells;
  }
  return cells;
}

// Steps from the current state; returns the last residual, or the first below `enough`.
template <class Space>
double residual_after(CompressibleFlow<Space>& flow, int steps, double enough) {
  Timings apart;  // excludes the trial from the run's timings
  for (int i = 0; i < steps && length(flow.pseudo.control.norm) > enough; ++i)
    if (flow.pseudo.attempt(apart).is_interrupted()) break;
  return length(flow.pseudo.control.norm);
}

Finding finding_of(const PseudoTimeOptions& options, Limiter limiter) {
  Finding f(Cause::limiter_cycle,
            "the residual stalls because the limiter switches on and off in some cells between steps");
  if (limiter == Limiter::barth_jespersen) {
    f.key = "numerics.limiter";
    f.change = "\"venkatakrishnan\", which is smooth";
  } else if (!options.dual_products) {
    f.key = "pseudo_time.products";
    f.change =
        "\"dual_numbers\", with jacobian = \"matrix_free\": Newton's method with the derivative of the limiter; on "
        "aerofoils also a larger K of the limiter";
  } else {
    f.key = "pseudo_time.force_tolerance";
    f.change = "1e-5, so that lift and drag end the run; or a larger K of the limiter";
  }
  return f;
}

}  // namespace

template <class Space>
std::optional<Finding> limiter_cycle(CompressibleFlow<Space>& flow) {
  PseudoTime<Space>& pseudo = flow.pseudo;
  const Limiter limiter = flow.c.scheme.limiter;
  if (flow.c.is_unsteady() || limiter == Limiter::none || pseudo.control.order != 2) return {};
  const PseudoTimeControl control = pseudo.control;
  const std::vector<double> state = pseudo.state().to_vector();
  const auto go_back = [&] {
    pseudo.state().upload(state);
    pseudo.control = control;
    pseudo.resume();
  };
  go_back();
  const std::vector<double> before = flow.space.limiter_values();
  residual_after(flow, 1, 0);
  const double changed = sum_over_ranks(flow.space, changes(before, flow.space.limiter_values()));
  go_back();
  flow.space.freeze_limiter(pseudo.state());
  const double start = length(control.norm), frozen = residual_after(flow, trial_steps, convincing * start);
  flow.space.thaw_limiter();
  go_back();
  if (changed == 0 || !(frozen <= convincing * start)) return {};
  Finding f = finding_of(flow.c.pseudo_time, limiter);
  f.measured("cells whose limiter switches on or off in one more step",
             three_digits(changed) + " of " + std::to_string(flow.cells));
  f.measured("residual with the limiter frozen, after at most " + std::to_string(trial_steps) + " steps",
             three_digits(start) + " to " + three_digits(frozen));
  return f;
}

template std::optional<Finding> limiter_cycle<Host>(CompressibleFlow<Host>&);
template std::optional<Finding> limiter_cycle<Device>(CompressibleFlow<Device>&);

}  // namespace weir
