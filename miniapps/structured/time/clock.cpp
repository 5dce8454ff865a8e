#include "miniapps/structured/time/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir {

StepSize::StepSize(const IncompressibleCase& c, std::function<double(double)> wall_rate)
    : dt(c.time.dt), control_(c.time), wall_rate_(std::move(wall_rate)), case_(&c) {}

// An acceleration a t^p makes the speed a t^(p + 1) / (p + 1); with the Courant number one at t, 1 / t = (a / h)^(1 /
// (p + 2)). Of a given scalar p is 0, of a source 1, of a flux 1/2: the scalar at a wall is then 2 flux sqrt(t / (pi
// diffusivity)).
double StepSize::start_rate(double t) const {
  const IncompressibleCase& c = *case_;
  double rate = 0;
  for (int d = 0; d < c.dim(); ++d) {
    const auto& width = c.grid.line[d].width;
    const double h = *std::ranges::min_element(width);
    double buoyancy = 0, growing = 0;
    for (std::size_t s = 0; s < c.scalars.size(); ++s) {
      const ScalarCase& scalar = c.scalars[s];
      if (!scalar.drives_flow()) continue;
      const double weight = std::abs(scalar.expansion * scalar.gravity[d]);
      buoyancy += std::abs(std::abs(scalar.expansion) * c.largest_excess(s, t) * scalar.gravity[d]);
      growing += std::cbrt(weight * c.largest_source(s, t) / h);
      growing += std::pow(weight * c.largest_flux(s, t) / (std::sqrt(scalar.diffusivity) * h), 0.4);
    }
    rate += c.largest_speed(d, t) / h + std::sqrt((c.largest_force(d, t) + buoyancy) / h) + growing;
  }
  return rate;
}

// Short enough also for the forces and sides that drive the flow during the step.
double StepSize::first_step() const {
  constexpr double rounding = 1 + 1e-9;
  double step = std::min(control_.cfl / start_rate(0), control_.end);
  const auto rate = [&](double part) { return start_rate(part * step); };
  while (step * std::max({rate(1), rate(0.618), rate(0.271)}) > control_.cfl * rounding) step *= 0.8;
  return step;
}

// Evaluated at three times in the step that no period divides, because an oscillating wall may be at rest at its end.
double StepSize::within_wall_limit(double time, double step) const {
  const auto rate = [&](double part) { return wall_rate_(time + part * step); };
  while (step > 0 && step * std::max({rate(1), rate(0.618), rate(0.271)}) > control_.cfl) step *= 0.8;
  return step;
}

double StepSize::next(double time, double rate) {
  if (control_.steady) return 1;
  if (needs_rate()) {
    if (!std::isfinite(rate)) last_cfl_ = rate;
    const double wanted = control_.cfl / rate;
    if (dt == 0)
      dt = std::min(first_step(), wanted);
    else if (dt > wanted || dt < 0.8 * wanted)
      dt = std::min(0.95 * wanted, 1.2 * dt);
    if (wall_rate_) dt = within_wall_limit(time, dt);
    largest = std::max(largest, dt);
  }
  const double left = control_.end - time;
  if (left < 1.01 * dt) return left;
  return left < (2 - 1e-9) * dt ? left / 2 : dt;  // no tiny last step: forces on moving bodies grow as 1 / dt
}

// The flow has blown up if speeds have grown by a factor of a million and more than a billion steps remain. The first
// criterion alone would stop flows that start from rest, the second one cases with a distant end that end early.
std::string StepSize::why_collapsed(double time, std::int64_t step) const {
  constexpr double collapse = 1e-6, most_steps = 1e9;
  if (!std::isfinite(last_cfl_)) return fmt::format("the flow blows up: NaN or Inf before step {}", step);
  if (!needs_rate()) {
    if (!(last_cfl_ > std::max(1.0, first_cfl_) / collapse)) return "";
    return fmt::format("the flow blows up: its CFL number has grown from {:.3g} to {:.3g} before step {}", first_cfl_,
                       last_cfl_, step);
  }
  if (last_cfl_ > 100 * control_.cfl)
    return fmt::format("the flow blows up: its CFL number before step {} is {:.3g} instead of {:.3g}", step, last_cfl_,
                       control_.cfl);
  if (!(dt < collapse * largest) || !(control_.end - time > most_steps * dt)) return "";
  return fmt::format("the flow blows up: its CFL number has reduced dt from {:.3g} to {:.3g} at step {}", largest, dt,
                     step);
}

void StepSize::saw(double cfl) {
  last_cfl_ = cfl;
  if (first_cfl_ == 0) first_cfl_ = cfl;
}

}  // namespace weir
