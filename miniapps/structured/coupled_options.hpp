// Options of the coupled scheme: [numerics] and [pseudo_time].
#pragma once
#include "base/key_table.hpp"
#include "base/table.hpp"

namespace weir {

struct CoupledOptions {
  bool steady = false;              // [time] steady: no physical time, one pseudo-time step per step
  double pressure_dissipation = 0;  // epsilon of lines.hpp
  double speed = 0;                 // U, the square root of Chorin's compressibility parameter
  double cfl_start = 0, cfl_max = 0;
  double exponent_up = 0, exponent_down = 0;  // exponents of the ratio of residuals, if it rises and if it falls
  double relaxation = 1;
  double tolerance = 0;  // limit on the largest residual, in units of U / L and U^2 / L; 0: always max_steps steps
  int max_steps = 0;     // maximum number of steps per run (steady) or per time step
};

std::vector<KeyTable> coupled_keys();

struct IncompressibleCase;

// reference_speed is used if the case does not set `speed`.
CoupledOptions read_coupled_options(const Table& config, bool steady, double reference_speed);

// A typical speed of the flow, from its sides, its initial field or its force.
double reference_speed(const IncompressibleCase& c);
// The shortest side of the box.
double reference_length(const IncompressibleCase& c);

}  // namespace weir
