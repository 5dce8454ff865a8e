// [temperature] and [scalar.NAME] of a structured case: scalars that the flow carries, and that can drive it by
// buoyancy (Boussinesq).
#pragma once
#include <string>
#include <vector>

#include "base/option.hpp"
#include "base/table.hpp"
#include "inputs/formula.hpp"

namespace weir {

// ds/dt + div(u s) = diffusivity lap s + source;  the flow feels the acceleration -expansion (s - reference) gravity.
struct ScalarCase {
  std::string name;  // "temperature" or NAME: name of the field and of the system [linear.NAME]
  double diffusivity = 0;
  double expansion = 0, reference = 0;
  double gravity[3] = {};
  Formula initial, source, exact;
  bool has_exact = false;
  // For the first time step: |s - reference| of the initial field and of a body, and the flux through a body's surface.
  double excess_within = 0, flux_of_body = 0;

  bool is_temperature() const { return name == "temperature"; }
  std::string symbol() const { return is_temperature() ? "T" : name; }  // name of the field in a probe
  std::string flux_name() const { return is_temperature() ? "heat_flux" : name + "_flux"; }
  bool drives_flow() const { return expansion != 0 && (gravity[0] != 0 || gravity[1] != 0 || gravity[2] != 0); }
  bool has_source() const { return !source.is_constant() || source.at({}, 0) != 0; }
};

Options temperature_options();
Options scalar_options();
// The keys `scalar` and `scalar_flux` in the table of a side or body, and the keys in these tables.
Options given_scalar_options();
Options name_in_scalar_options();
Options name_in_flux_options();

// The scalars of the case, the temperature first. The values on the sides are read with the sides.
std::vector<ScalarCase> read_scalars(const Table& config, int dim);

// The place in the table of a side or body that contains the value of a scalar, or its flux into the fluid: keys of the
// table itself for the temperature, keys in the tables `scalar` and `scalar_flux` for other scalars.
struct ScalarKeys {
  Table in;
  std::string key, name;  // key in the table, and its name in the case file: "scalar.salt"
  bool is_there() const { return in.has(key); }
  [[noreturn]] void fail(const std::string& message) const { in.fail(key, message); }
};
ScalarKeys value_keys(const Table& t, const ScalarCase& s);
ScalarKeys flux_keys(const Table& t, const ScalarCase& s);

// Rejects keys of scalars without a table [temperature] or [scalar.NAME].
void refuse_other_scalars(const Table& t, const std::vector<ScalarCase>& all);

}  // namespace weir
