#include "miniapps/artificial_compressibility/options.hpp"

#include <algorithm>
#include <cmath>

#include "base/table_numbers.hpp"
#include "miniapps/structured/case.hpp"

namespace weir {

CoupledOptions read_coupled_options(const Table& config, bool steady, double reference_speed) {
  CoupledOptions o;
  o.steady = steady;
  o.pressure_dissipation = positive(config.table("numerics"), "pressure_dissipation", steady ? 1 : 0.2);
  const Table t = config.table("pseudo_time");
  o.speed = positive(t, "speed", reference_speed);
  o.cfl_start = positive(t, "cfl_start", steady ? 10 : 1e6);
  o.cfl_max = positive(t, "cfl_max", 1e6);
  if (o.cfl_max < o.cfl_start) t.fail("cfl_max", "cfl_max lies below cfl_start");
  o.exponent_up = not_negative(t, "exponent_up", 0.3);
  o.exponent_down = not_negative(t, "exponent_down", 1);
  o.relaxation = positive(t, "relaxation", 1);
  o.tolerance = not_negative(t, "tolerance", 1e-8);
  o.max_steps = t.get<int>("max_steps", steady ? 500 : 20);
  if (o.max_steps < 1) t.fail("max_steps", "at least one step must be allowed");
  return o;
}

double reference_speed(const IncompressibleCase& c) {
  double speed = 0;
  for (const Side& s : c.sides)
    speed = std::max(speed, std::hypot(s.velocity[0], s.velocity[1], s.velocity[2]) *
                                (std::abs(s.modulation.mean) + std::abs(s.modulation.amplitude)));
  const double carried = std::hypot(c.initial_velocity[0], c.initial_velocity[1], c.initial_velocity[2]);
  const bool vortices = c.initial == Initial::taylor_green_2d || c.initial == Initial::taylor_green_3d;
  speed = std::max(speed, carried + (vortices ? 1 : 0));
  const double force = std::hypot(c.body_force[0], c.body_force[1], c.body_force[2]) *
                       (std::abs(c.force_modulation.mean) + std::abs(c.force_modulation.amplitude));
  speed = std::max(speed, std::sqrt(force * reference_length(c)));
  return speed > 0 ? speed : 1;
}

double reference_length(const IncompressibleCase& c) {
  double length = c.grid.line[0].length();
  for (int d = 1; d < c.dim(); ++d) length = std::min(length, c.grid.line[static_cast<std::size_t>(d)].length());
  return length;
}

}  // namespace weir
