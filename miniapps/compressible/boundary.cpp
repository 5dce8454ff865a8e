// [boundary]: one condition per marker.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/files.hpp"
#include "mesh/read/read_mesh.hpp"
#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/quantities.hpp"

namespace weir {
namespace {

constexpr Option type_keys[] = {
    {"type", Option::text, Option::required,
     "type of the boundary condition (no-slip walls require reynolds); farfield: characteristic condition with the "
     "free stream; slip_wall: no normal velocity; symmetry: slip_wall that does not count in the forces; "
     "adiabatic_wall: no slip, no heat flux; isothermal_wall: no slip, prescribed temperature; heat_flux_wall: no "
     "slip, prescribed heat flux; supersonic_inflow: all variables prescribed; supersonic_outflow: all variables "
     "extrapolated; pressure_outlet: subsonic, pressure prescribed, all else extrapolated; mass_flow_outlet: subsonic, "
     "mass flux prescribed, all else extrapolated; total_pressure_inlet: subsonic, total pressure, total temperature "
     "and direction prescribed; exact: time-dependent state of flow.exact or flow.initial",
     "farfield | slip_wall | symmetry | adiabatic_wall | isothermal_wall | heat_flux_wall | supersonic_inflow | "
     "supersonic_outflow | pressure_outlet | mass_flow_outlet | total_pressure_inlet | exact"}};
constexpr Option outside_keys[] = {
    {"density", Option::number, "depends on the free stream: 1",
     "density outside the boundary, a number or a formula of x, y, t", "number or formula", "density"},
    {"velocity", Option::numbers, "depends on the free stream",
     "velocity outside the boundary, [u, v], numbers or formulas of x, y, t", "numbers or formulas", "velocity"},
    {"pressure", Option::number, "depends on the free stream: 1/(gamma mach^2)",
     "pressure outside the boundary, a number or a formula of x, y, t", "number or formula", "pressure"}};
constexpr Option outlet_keys[] = {{"pressure", Option::number, "depends on the free stream: 1/(gamma mach^2)",
                                   "pressure at the outlet, a number or a formula of x, y, t", "number or formula",
                                   "pressure"}};
constexpr Option mass_flow_keys[] = {
    {"mass_flux", Option::number, Option::required,
     "density times velocity along the outward normal, a number or a formula of x, y, t; limited by the sonic value",
     "number or formula", "density * velocity"}};
constexpr Option inlet_keys[] = {
    {"total_pressure", Option::number, Option::required, "total pressure, a number or a formula of x, y, t",
     "number or formula", "pressure"},
    {"total_temperature", Option::number, Option::required, "total temperature, a number or a formula of x, y, t",
     "number or formula", "temperature"},
    {"direction", Option::numbers, "depends: the inward normal",
     "direction of the velocity, [dx, dy] of any length, numbers or formulas of x, y, t", "numbers or formulas"}};
constexpr Option moving_keys[] = {
    {"velocity", Option::numbers, "[0, 0]",
     "velocity of the wall, [u, v], numbers or formulas of x, y, t; its normal component is ignored",
     "numbers or formulas", "velocity"},
    {"angular_velocity", Option::number, "0", "rotation of the wall about `centre`, counterclockwise", "",
     "radians/time"},
    {"centre", Option::numbers, "[0, 0]", "centre of the rotation of the wall", "", "length"}};
constexpr Option isothermal_keys[] = {{"temperature", Option::number, Option::required,
                                       "temperature of the wall, a number or a formula of x, y, t", "number or formula",
                                       "temperature"}};
constexpr Option heat_flux_keys[] = {{"heat_flux", Option::number, Option::required,
                                      "heat flux from the wall into the fluid, a number or a formula of x, y, t",
                                      "number or formula", "density * velocity^3"}};

struct TypeInfo {
  std::string_view name;
  BoundaryType type;
  Options keys;
};
const TypeInfo types[] = {{"farfield", BoundaryType::farfield, outside_keys},
                          {"supersonic_inflow", BoundaryType::supersonic_inflow, outside_keys},
                          {"supersonic_outflow", BoundaryType::supersonic_outflow, {}},
                          {"pressure_outlet", BoundaryType::pressure_outlet, outlet_keys},
                          {"mass_flow_outlet", BoundaryType::mass_flow_outlet, mass_flow_keys},
                          {"total_pressure_inlet", BoundaryType::total_pressure_inlet, inlet_keys},
                          {"slip_wall", BoundaryType::slip_wall, {}},
                          {"symmetry", BoundaryType::slip_wall, {}},
                          {"adiabatic_wall", BoundaryType::adiabatic_wall, {}},
                          {"isothermal_wall", BoundaryType::isothermal_wall, isothermal_keys},
                          {"heat_flux_wall", BoundaryType::heat_flux_wall, heat_flux_keys},
                          {"exact", BoundaryType::exact, {}}};
const TypeInfo& info_of(std::string_view name) { return *std::ranges::find(types, name, &TypeInfo::name); }

Formula read_one(const Table& t, const char* key, double fallback) {
  const std::vector<Formula> given = read_formulas(t, key, "xyt");
  if (given.size() > 1) t.fail(key, std::string(key) + " must be one number or formula");
  return given.empty() ? Formula(fallback) : given.front();
}
Formula read_required(const Table& t, const char* key) {
  if (!t.has(key)) t.fail("type", "the type '" + t.get<std::string>("type") + "' requires '" + key + "'");
  return read_one(t, key, 0);
}

std::array<Formula, 2> read_two(const Table& t, const char* key, std::array<double, 2> fallback) {
  const std::vector<Formula> given = read_formulas(t, key, "xyt");
  if (given.empty()) return {Formula(fallback[0]), Formula(fallback[1])};
  if (given.size() != 2) t.fail(key, std::string(key) + " must have 2 numbers or formulas");
  return {given[0], given[1]};
}

void read_wall(const Table& t, BoundaryData& d) {
  d.velocity = read_two(t, "velocity", {0, 0});
  d.angular_velocity = t.get<double>("angular_velocity");
  const auto centre = t.get<std::vector<double>>("centre");
  if (centre.size() != 2) t.fail("centre", "'centre' must have 2 numbers");
  d.centre = {centre[0], centre[1]};
}

void read_data(const Table& t, const CompressibleCase& c, FlowBoundary& b) {
  BoundaryData& d = b.data;
  const std::array<double, 4> free = c.free_stream();
  switch (b.condition.type) {
    case BoundaryType::farfield:
    case BoundaryType::supersonic_inflow: {
      const auto velocity = read_two(t, "velocity", {free[1], free[2]});
      d.outside = {read_one(t, "density", free[0]), velocity[0], velocity[1], read_one(t, "pressure", free[3])};
      return;
    }
    case BoundaryType::pressure_outlet:
      d.outside = {free[0], free[1], free[2], read_one(t, "pressure", free[3])};
      return;
    case BoundaryType::mass_flow_outlet:
      d.amount = read_required(t, "mass_flux");
      return;
    case BoundaryType::total_pressure_inlet:
      d.amount = read_required(t, "total_pressure");
      d.temperature = read_required(t, "total_temperature");
      d.velocity = read_two(t, "direction", {0, 0});
      return;
    case BoundaryType::isothermal_wall:
      d.temperature = read_required(t, "temperature");
      return read_wall(t, d);
    case BoundaryType::heat_flux_wall:
      d.amount = read_required(t, "heat_flux");
      return read_wall(t, d);
    case BoundaryType::adiabatic_wall:
      return read_wall(t, d);
    default:
      return;
  }
}

// The key whose value is impossible at this place and time, and why.
struct Refusal {
  const char* key = nullptr;
  std::string why;
};
Refusal refusal_of(const BoundaryCondition& b, double gamma) {
  const auto positive = [](const char* key, double value) -> Refusal {
    if (value > 0 && std::isfinite(value)) return {};
    return {key, fmt::format("'{}' must be positive, got {:g}", key, value)};
  };
  const auto& [rho, u, v, p] = b.outside;
  switch (b.type) {
    case BoundaryType::farfield:
    case BoundaryType::supersonic_inflow:
      if (const Refusal r = positive("density", rho); r.key) return r;
      if (const Refusal r = positive("pressure", p); r.key) return r;
      if (b.type == BoundaryType::supersonic_inflow && u * u + v * v <= gamma * p / rho)
        return {
            "type",
            "the state outside is subsonic, but supersonic_inflow prescribes all variables; did you mean farfield?"};
      return {};
    case BoundaryType::pressure_outlet:
      return positive("pressure", p);
    case BoundaryType::mass_flow_outlet:
      return positive("mass_flux", b.amount);
    case BoundaryType::total_pressure_inlet:
      if (const Refusal r = positive("total_pressure", b.amount); r.key) return r;
      if (!std::isfinite(b.velocity[0] + b.velocity[1])) return {"direction", "'direction' must point into the domain"};
      return positive("total_temperature", b.temperature);
    case BoundaryType::isothermal_wall:
      return positive("temperature", b.temperature);
    default:
      return {};
  }
}

FlowBoundary read_entry(const Table& options, const Patch& patch, const CompressibleCase& c,
                        const UnstructuredMesh& mesh) {
  const auto type = options.described_by(type_keys).get<std::string>("type");
  const TypeInfo& info = info_of(type);
  FlowBoundary b;
  b.name = patch.name;
  b.gamma = c.gas.gamma;
  b.condition.type = info.type;
  b.is_viscous = type.ends_with("_wall") && type != "slip_wall";
  b.is_wall = b.is_viscous || type == "slip_wall";
  b.is_exact = type == "exact";
  const Table t = options.described_by(type_keys).described_by(info.keys).described_by(
      b.is_viscous ? Options(moving_keys) : Options());
  if (b.is_viscous && c.gas.reynolds == 0)
    t.fail("type", "a no-slip wall requires viscosity, but [flow] has no reynolds number; did you mean slip_wall?");
  read_data(t, c, b);
  const BoundaryData& d = b.data;
  const auto any = [](const auto& formulas, auto is) { return std::ranges::any_of(formulas, is); };
  const auto varies = [](const Formula& f) { return !f.is_constant(); };
  const auto moves = [&](const Formula& f) { return varies(f) || f.at({}, 0) != 0; };
  b.varies = any(d.outside, varies) || any(d.velocity, moves) || varies(d.temperature) || varies(d.amount) ||
             d.angular_velocity != 0 || info.type == BoundaryType::total_pressure_inlet;
  const auto in_time = [](const Formula& f) { return f.depends_on_time(); };
  b.depends_on_time =
      any(d.outside, in_time) || any(d.velocity, in_time) || in_time(d.temperature) || in_time(d.amount);
  for (int f = patch.first; f < patch.first + (b.varies ? patch.count : 1); ++f) {
    b.condition = b.unchecked_at(mesh.face_centre[f], mesh.normal[f], 0);
    if (const Refusal r = refusal_of(b.condition, b.gamma); r.key) t.fail(r.key, r.why);
  }
  return b;
}

}  // namespace

BoundaryCondition FlowBoundary::unchecked_at(const std::array<double, 2>& place, const std::array<double, 2>& normal,
                                             double t) const {
  const double x[3] = {place[0], place[1], 0};
  BoundaryCondition b = condition;
  for (std::size_t k = 0; k < 4; ++k) b.outside[k] = data.outside[k].at(x, t);
  b.temperature = data.temperature.at(x, t);
  b.amount = data.amount.at(x, t);
  b.velocity = {data.velocity[0].at(x, t), data.velocity[1].at(x, t)};
  auto& [u, v] = b.velocity;
  if (is_viscous) {
    u -= data.angular_velocity * (x[1] - data.centre[1]);
    v += data.angular_velocity * (x[0] - data.centre[0]);
    const double through = u * normal[0] + v * normal[1];
    u -= through * normal[0];
    v -= through * normal[1];
  }
  if (b.type == BoundaryType::total_pressure_inlet) {
    if (data.velocity[0].is_constant() && data.velocity[1].is_constant() && u == 0 && v == 0)
      u = -normal[0], v = -normal[1];
    const double inwards = -(u * normal[0] + v * normal[1]), length = std::hypot(u, v);
    const double scale = inwards > 1e-3 * length ? 1 / length : std::numeric_limits<double>::quiet_NaN();
    u *= scale;
    v *= scale;
  }
  return b;
}

BoundaryCondition FlowBoundary::at(const std::array<double, 2>& place, const std::array<double, 2>& normal,
                                   double t) const {
  const BoundaryCondition b = unchecked_at(place, normal, t);
  if (const Refusal r = refusal_of(b, gamma); r.key)
    throw Error(Exit::usage,
                fmt::format("boundary '{}' at ({:g}, {:g}), t = {:g}: {}", name, place[0], place[1], t, r.why));
  return b;
}

Options boundary_options(std::string_view type) {
  if (type.empty()) return type_keys;
  if (type == "moving") return moving_keys;
  return info_of(type).keys;
}

void take_periods(const UnstructuredMesh& mesh, CompressibleCase& c) {
  for (const auto& shift : mesh.shift)
    for (int d = 0; d < 2; ++d)
      c.exact.period[d] = c.initial.period[d] = std::max(c.initial.period[d], std::abs(shift[d]));
}

std::vector<FlowBoundary> read_flow_boundary(const Table& config, const CompressibleCase& c,
                                             const UnstructuredMesh& mesh) {
  const Table boundary = config.table("boundary");
  require_conditions(mesh, "the mesh", boundary);
  std::vector<FlowBoundary> entries;
  for (const Patch& p : mesh.patches) {
    entries.push_back(read_entry(boundary.table(p.name), p, c, mesh));
    const std::string why = entries.back().is_wall ? why_no_file_name(p.name) : "";
    if (!why.empty()) boundary.fail(p.name, "'" + p.name + "' is written to the file surface/MARKER.csv: " + why);
  }
  if (c.turbulence.is_on && std::ranges::none_of(entries, &FlowBoundary::is_viscous))
    config.table("flow").fail("turbulence",
                              "a turbulence model requires a no-slip wall in [boundary], for the wall distance");
  name_walls(entries);
  return entries;
}

std::vector<BoundaryCondition> conditions_of(const std::vector<FlowBoundary>& boundary) {
  std::vector<BoundaryCondition> conditions;
  for (const FlowBoundary& b : boundary) conditions.push_back(b.condition);
  return conditions;
}

}  // namespace weir
