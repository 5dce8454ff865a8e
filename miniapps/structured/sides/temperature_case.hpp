// [temperature] of a structured case: a scalar that the flow carries and that drives it by buoyancy (Boussinesq).
#pragma once
#include "base/option.hpp"
#include "base/table.hpp"
#include "inputs/formula.hpp"

namespace weir {

// dT/dt + div(u T) = diffusivity lap T;  the flow feels the acceleration -expansion (T - reference) gravity.
struct TemperatureCase {
  bool exists = false;
  double diffusivity = 0;
  double expansion = 0, reference = 0;
  double gravity[3] = {};
  Formula initial;

  bool drives_flow() const { return expansion != 0 && (gravity[0] != 0 || gravity[1] != 0 || gravity[2] != 0); }
};

Options temperature_options();
// Of the whole case file; the patches' values are read with them.
TemperatureCase read_temperature(const Table& config, int dim);

}  // namespace weir
