#include "miniapps/structured/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir {

StepSize::StepSize(const IncompressibleCase& c, std::function<double(double)> wall_rate)
    : dt(c.time.dt), control_(c.time), wall_rate_(std::move(wall_rate)) {
  for (int d = 0; d < c.dim(); ++d) {
    const auto& width = c.grid.line[d].width;
    const double h = *std::min_element(width.begin(), width.end());
    double speed = 0;
    for (const SidePatch& s : c.patches) speed = std::max(speed, std::abs(s.velocity[d]) * s.modulation.largest());
    const double force = std::abs(c.body_force[d]) * c.force_modulation.largest() + c.largest_buoyancy(d);
    start_rate_ += speed / h + std::sqrt(force / h);
  }
}

// At three times of the step, which no period divides: a wall that swings may stand still at its end.
double StepSize::within_wall_limit(double time, double step) const {
  const auto rate = [&](double part) { return wall_rate_(time + part * step); };
  while (step > 0 && step * std::max({rate(1), rate(0.618), rate(0.271)}) > control_.cfl) step *= 0.8;
  return step;
}

double StepSize::next(double time, double rate) {
  if (control_.steady) return 1;
  if (needs_rate()) {
    const double wanted = control_.cfl / std::max(dt == 0 ? start_rate_ : 0, rate);
    if (dt == 0)
      dt = std::min(wanted, control_.end);
    else if (dt > wanted || dt < 0.8 * wanted)
      dt = std::min(0.95 * wanted, 1.2 * dt);
    if (wall_rate_) dt = within_wall_limit(time, dt);
    largest = std::max(largest, dt);
  }
  const double left = control_.end - time;
  if (left < 1.01 * dt) return left;
  return left < (2 - 1e-9) * dt ? left / 2 : dt;  // no sliver at the end: forces on moving bodies go like 1 / dt
}

// Speeds that grow by a factor of a million, with more than a billion steps to go, are no flow's: the one bound alone would
// stop a flow that starts from rest, the other one a case whose end is far away because it ends by itself.
std::string StepSize::why_collapsed(double time, std::int64_t step) const {
  constexpr double collapse = 1e-6, most_steps = 1e9;
  if (!needs_rate()) {
    if (!(last_cfl_ > std::max(1.0, first_cfl_) / collapse)) return "";
    return fmt::format("the flow blows up: before step {} its CFL number is {:.3g}, from {:.3g} before", step,
                       last_cfl_, first_cfl_);
  }
  if (!(dt < collapse * largest) || !(control_.end - time > most_steps * dt)) return "";
  return fmt::format("the flow blows up: at step {} its CFL number has cut dt to {:.3g}, from {:.3g} before", step, dt,
                     largest);
}

void StepSize::saw(double cfl) {
  last_cfl_ = cfl;
  if (first_cfl_ == 0) first_cfl_ = cfl;
}

}  // namespace weir
