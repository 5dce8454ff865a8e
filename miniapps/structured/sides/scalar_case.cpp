#include "miniapps/structured/sides/scalar_case.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace weir {
namespace {

constexpr Option temperature_keys[] = {
    {"diffusivity", Option::number, Option::required, "diffusivity of the temperature", "(0, inf)", "length^2/time"},
    {"initial", Option::number, "0", "initial temperature, a number or a formula of x, y, z", "number or formula",
     "temperature"},
    {"source", Option::number, "0",
     "heat source divided by density and heat capacity, a number or a formula of x, y, z, t", "number or formula",
     "temperature/time"},
    {"exact", Option::number, "depends: no error is measured",
     "exact temperature, a formula of x, y, z, t, for the quantities error_temperature_l2 and error_temperature_max "
     "(incompressible)",
     "number or formula", "temperature"},
    {"expansion", Option::number, "0", "expansion coefficient: the buoyancy is -expansion (T - reference) gravity",
     "(-inf, inf)", "1/temperature"},
    {"gravity", Option::numbers, "[0, 0, 0]", "gravity vector for the buoyancy", "(-inf, inf)", "length/time^2"},
    {"reference", Option::number, "0", "reference temperature, at which the buoyancy is zero", "(-inf, inf)",
     "temperature"}};

constexpr Option scalar_keys[] = {
    {"diffusivity", Option::number, Option::required, "diffusivity of the scalar", "(0, inf)", "length^2/time"},
    {"initial", Option::number, "0", "initial value of the scalar, a number or a formula of x, y, z",
     "number or formula", "scalar"},
    {"source", Option::number, "0", "source of the scalar, a number or a formula of x, y, z, t", "number or formula",
     "scalar/time"},
    {"exact", Option::number, "depends: no error is measured",
     "exact solution for the scalar, a formula of x, y, z, t, for the quantities error_NAME_l2 and error_NAME_max "
     "(incompressible)",
     "number or formula", "scalar"},
    {"expansion", Option::number, "0", "expansion coefficient: the buoyancy is -expansion (scalar - reference) gravity",
     "(-inf, inf)", "1/scalar"},
    {"gravity", Option::numbers, "[0, 0, 0]", "gravity vector for the buoyancy", "(-inf, inf)", "length/time^2"},
    {"reference", Option::number, "0", "reference value of the scalar, at which the buoyancy is zero", "(-inf, inf)",
     "scalar"}};

constexpr Option given_keys[] = {
    {"scalar", Option::table, "", "values of the scalars on the side or body, one key scalar.NAME per scalar"},
    {"scalar_flux", Option::table, "",
     "fluxes of the scalars through the side or body, one key scalar_flux.NAME per scalar"}};
constexpr Option name_keys[] = {
    {"NAME", Option::number, "depends: required at an inlet, no flux elsewhere",
     "value of the scalar NAME on the side or body; a number or a formula of x, y, z, t (bodies: a number)",
     "number or formula", "scalar"}};
constexpr Option flux_name_keys[] = {{"NAME", Option::number, "0",
                                      "flux of the scalar NAME into the fluid, on wall and slip sides and on bodies; a "
                                      "number or a formula of x, y, z, t (bodies: a number)",
                                      "number or formula", "scalar * velocity"}};

// Names that are already used by fields, columns of tables or linear systems.
constexpr std::string_view taken[] = {"u",         "v",        "w",         "p",        "T",
                                      "x",         "y",        "z",         "t",        "velocity",
                                      "heat",      "pressure", "vorticity", "fluid",    "temperature",
                                      "flow",      "output",   "body",      "momentum", "advection_diffusion",
                                      "divergence"};

void check_name(const Table& scalars, const std::string& name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || !std::ranges::all_of(name, is_word))
    scalars.fail(
        name, "the name of a scalar must consist of letters, digits and '_' and must not begin with a digit, got \"" +
                  name + "\"");
  if (std::ranges::find(taken, name) != std::end(taken) || name.ends_with("_flux"))
    scalars.fail(name,
                 "a scalar cannot be called '" + name + "': a field, a linear system or a quantity has that name");
}

Formula read_one(const Table& t, const char* key, std::string_view variables) {
  const std::vector<Formula> all = read_formulas(t, key, variables);
  if (all.size() > 1) t.fail(key, "'" + std::string(key) + "' must be one number or formula");
  return all.empty() ? Formula() : all.front();
}

ScalarCase read_scalar(const Table& t, const std::string& name, int dim) {
  ScalarCase c;
  c.name = name;
  c.diffusivity = t.get<double>("diffusivity");
  c.initial = read_one(t, "initial", dim == 2 ? "xy" : "xyz");
  c.expansion = t.get<double>("expansion");
  c.reference = t.get<double>("reference");
  const auto gravity = t.get<std::vector<double>>("gravity");
  if (gravity.size() != 3 && gravity.size() != static_cast<std::size_t>(dim))
    t.fail("gravity", "gravity must have " + std::to_string(dim) + " numbers");
  std::copy(gravity.begin(), gravity.end(), c.gravity);
  const std::string_view place_and_time = dim == 2 ? "xyt" : "xyzt";
  c.source = read_one(t, "source", place_and_time);
  c.exact = read_one(t, "exact", place_and_time);
  c.has_exact = t.has("exact");
  return c;
}

ScalarKeys keys_of(const Table& t, const ScalarCase& s, const char* own, const char* table) {
  if (s.is_temperature()) return {t, own, own};
  return {t.has(table) ? t.table(table) : Table(), s.name, std::string(table) + "." + s.name};
}

}  // namespace

Options temperature_options() { return temperature_keys; }
Options scalar_options() { return scalar_keys; }
Options given_scalar_options() { return given_keys; }
Options name_in_scalar_options() { return name_keys; }
Options name_in_flux_options() { return flux_name_keys; }

std::vector<ScalarCase> read_scalars(const Table& config, int dim) {
  std::vector<ScalarCase> all;
  if (config.has("temperature"))
    all.push_back(read_scalar(config.table("temperature").described_by(temperature_keys), "temperature", dim));
  if (!config.has("scalar")) return all;
  const Table scalars = config.table("scalar");
  for (const std::string& name : scalars.keys()) {
    if (!scalars.is_table(name))
      scalars.fail(name, "[scalar] contains tables [scalar.NAME] only; '" + name + "' is not a table");
    check_name(scalars, name);
    all.push_back(read_scalar(scalars.table(name).described_by(scalar_keys), name, dim));
  }
  return all;
}

ScalarKeys value_keys(const Table& t, const ScalarCase& s) { return keys_of(t, s, "temperature", "scalar"); }
ScalarKeys flux_keys(const Table& t, const ScalarCase& s) { return keys_of(t, s, "heat_flux", "scalar_flux"); }

void refuse_other_scalars(const Table& t, const std::vector<ScalarCase>& all) {
  if (all.empty() || !all.front().is_temperature())
    for (const char* key : {"temperature", "heat_flux"})
      if (t.has(key)) t.fail(key, std::string(key) + " needs a table [temperature]");
  for (const char* table : {"scalar", "scalar_flux"}) {
    if (!t.has(table)) continue;
    const Table given = t.table(table);
    for (const std::string& name : given.keys()) {
      const auto is_it = [&](const ScalarCase& s) { return s.name == name; };
      if (name == "temperature") given.fail(name, "the temperature is set by the keys `temperature` and `heat_flux`");
      if (std::ranges::none_of(all, is_it))
        given.fail(name, std::string(table) + "." + name + " needs a table [scalar." + name + "]");
    }
  }
}

}  // namespace weir
