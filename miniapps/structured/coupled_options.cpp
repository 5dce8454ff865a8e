#include "miniapps/structured/coupled_options.hpp"

#include <algorithm>
#include <cmath>

#include "miniapps/structured/case.hpp"

namespace weir {

namespace {

constexpr Option numerics_keys[] = {{"pressure_dissipation", Option::number, "depends on time.steady: 0.2, steady 1",
                                     "factor of the Rhie-Chow term; a larger factor gives linear systems that are "
                                     "easier to solve, and more pseudo-time steps",
                                     "(0, inf)"}};

constexpr Option pseudo_time_keys[] = {
    {"speed", Option::number, "depends on the case: the largest speed of its boundaries, initial flow and force",
     "velocity scale U of the artificial compressibility 1/U^2", "(0, inf)", "velocity"},
    {"cfl_start", Option::number, "depends on time.steady: 1e6, steady 10", "CFL number of the first step", "(0, inf)"},
    {"cfl_max", Option::number, "1e6", "largest CFL number", "(0, inf)"},
    {"exponent_up", Option::number, "0.3",
     "exponent of the factor (old / new residual)^exponent on the CFL number if the residual rises", "[0, inf)"},
    {"exponent_down", Option::number, "1",
     "exponent of the factor (old / new residual)^exponent on the CFL number if the residual falls", "[0, inf)"},
    {"relaxation", Option::number, "1", "relaxation factor of an update", "(0, inf)"},
    {"tolerance", Option::number, "1e-8",
     "tolerance of the largest residual (root mean square) at the end; 0: always max_steps steps", "[0, inf)",
     "U/L and U^2/L"},
    {"max_steps", Option::integer, "depends on time.steady: 20 per time step, steady 500",
     "maximum number of pseudo-time steps; a run that misses the tolerance ends with exit code 3", "[1, inf)"}};

}  // namespace

std::vector<KeyTable> coupled_keys() {
  return {{"numerics", "artificial_compressibility", numerics_keys},
          {"pseudo_time", "artificial_compressibility", pseudo_time_keys}};
}

CoupledOptions read_coupled_options(const Table& config, bool steady, double reference_speed) {
  CoupledOptions o;
  o.steady = steady;
  o.pressure_dissipation =
      config.table("numerics").described_by(numerics_keys).get<double>("pressure_dissipation", steady ? 1 : 0.2);
  const Table t = config.table("pseudo_time").described_by(pseudo_time_keys);
  o.speed = t.get<double>("speed", reference_speed);
  o.cfl_start = t.get<double>("cfl_start", steady ? 10 : 1e6);
  o.cfl_max = t.get<double>("cfl_max");
  if (o.cfl_max < o.cfl_start) t.fail("cfl_max", "'cfl_max' must not be less than 'cfl_start'");
  o.exponent_up = t.get<double>("exponent_up");
  o.exponent_down = t.get<double>("exponent_down");
  o.relaxation = t.get<double>("relaxation");
  o.tolerance = t.get<double>("tolerance");
  o.max_steps = t.get<int>("max_steps", steady ? 500 : 20);
  return o;
}

double reference_speed(const IncompressibleCase& c) {
  double speed = 0;
  for (const SidePatch& s : c.patches)
    speed = std::max(speed, std::hypot(s.velocity[0], s.velocity[1], s.velocity[2]) * s.modulation.largest());
  const double carried = std::hypot(c.initial_velocity[0], c.initial_velocity[1], c.initial_velocity[2]);
  const bool vortices = c.initial == Initial::taylor_green_2d || c.initial == Initial::taylor_green_3d;
  speed = std::max(speed, carried + (vortices ? 1 : 0));
  const double force = std::hypot(c.body_force[0], c.body_force[1], c.body_force[2]) * c.force_modulation.largest();
  speed = std::max(speed, std::sqrt(force * reference_length(c)));
  return speed > 0 ? speed : 1;
}

double reference_length(const IncompressibleCase& c) {
  double length = c.grid.line[0].length();
  for (int d = 1; d < c.dim(); ++d) length = std::min(length, c.grid.line[d].length());
  return length;
}

}  // namespace weir
