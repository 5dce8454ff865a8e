#include "miniapps/structured/sides/temperature_case.hpp"

#include <algorithm>
#include <vector>

namespace weir {
namespace {

constexpr Option temperature_keys[] = {
    {"diffusivity", Option::number, Option::required, "of the temperature (or any scalar)", "(0, inf)",
     "length^2/time"},
    {"initial", Option::number, "0", "of x, y, z", "number or formula", "temperature"},
    {"expansion", Option::number, "0", "buoyancy: the flow feels -expansion (T - reference) gravity", "(-inf, inf)",
     "1/temperature"},
    {"gravity", Option::numbers, "[0, 0, 0]", "of buoyancy", "(-inf, inf)", "length/time^2"},
    {"reference", Option::number, "0", "temperature without buoyancy", "(-inf, inf)", "temperature"}};

}  // namespace

Options temperature_options() { return temperature_keys; }

TemperatureCase read_temperature(const Table& config, int dim) {
  TemperatureCase c;
  if (!config.has("temperature")) return c;
  c.exists = true;
  const Table t = config.table("temperature").described_by(temperature_keys);
  c.diffusivity = t.get<double>("diffusivity");
  const std::vector<Formula> initial = read_formulas(t, "initial", dim == 2 ? "xy" : "xyz");
  if (initial.size() > 1) t.fail("initial", "'initial' must be one number or formula");
  if (!initial.empty()) c.initial = initial.front();
  c.expansion = t.get<double>("expansion");
  c.reference = t.get<double>("reference");
  const auto gravity = t.get<std::vector<double>>("gravity");
  if (gravity.size() != 3 && gravity.size() != static_cast<std::size_t>(dim))
    t.fail("gravity", "gravity must have " + std::to_string(dim) + " numbers");
  std::copy(gravity.begin(), gravity.end(), c.gravity);
  return c;
}

}  // namespace weir
