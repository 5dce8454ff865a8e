// [boundary]: one condition per marker.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/files.hpp"
#include "mesh/read/read_mesh.hpp"
#include "miniapps/compressible/case.hpp"

namespace weir {
namespace {

constexpr Option type_keys[] = {
    {"type", Option::text, Option::required,
     "kind of boundary; farfield: characteristic; slip_wall: no normal velocity; symmetry: slip_wall without forces; "
     "adiabatic_wall: no "
     "slip, no heat flux; isothermal_wall: no slip; both require reynolds; supersonic_inflow: all variables "
     "prescribed; "
     "supersonic_outflow: all extrapolated; pressure_outlet: subsonic, pressure prescribed, the rest extrapolated; "
     "exact: "
     "time-dependent exact solution of flow.initial",
     "farfield | slip_wall | symmetry | adiabatic_wall | isothermal_wall | supersonic_inflow | supersonic_outflow | "
     "pressure_outlet | exact"}};
constexpr Option outside_keys[] = {{"density", Option::number, "depends on the free stream: 1",
                                    "density outside the boundary", "(0, inf)", "free stream's"},
                                   {"velocity", Option::numbers, "depends on the free stream",
                                    "velocity outside the boundary, [u, v]", "", "free stream's speed"},
                                   {"pressure", Option::number, "depends on the free stream: 1/(gamma mach^2)",
                                    "pressure outside the boundary", "(0, inf)"}};
constexpr Option outlet_keys[] = {
    {"pressure", Option::number, "depends on the free stream: 1/(gamma mach^2)", "pressure at the outlet", "(0, inf)"}};
constexpr Option wall_keys[] = {
    {"temperature", Option::number, Option::required, "temperature of the wall", "(0, inf)", "free stream's"}};

// The state outside the boundary: the free stream, or as given by the entry.
void read_outside(const Table& t, const CompressibleCase& c, std::array<double, 4>& outside) {
  outside = c.free_stream();
  outside[0] = t.get<double>("density", outside[0]);
  outside[3] = t.get<double>("pressure", outside[3]);
  const auto velocity = t.get<std::vector<double>>("velocity", {outside[1], outside[2]});
  if (velocity.size() != 2) t.fail("velocity", "velocity must have 2 numbers");
  outside[1] = velocity[0];
  outside[2] = velocity[1];
}

FlowBoundary read_entry(const Table& options, const std::string& name, const CompressibleCase& c) {
  static const std::map<std::string, BoundaryType> types = {{"farfield", BoundaryType::farfield},
                                                            {"slip_wall", BoundaryType::slip_wall},
                                                            {"symmetry", BoundaryType::slip_wall},
                                                            {"adiabatic_wall", BoundaryType::adiabatic_wall},
                                                            {"isothermal_wall", BoundaryType::isothermal_wall},
                                                            {"supersonic_inflow", BoundaryType::supersonic_inflow},
                                                            {"supersonic_outflow", BoundaryType::supersonic_outflow},
                                                            {"pressure_outlet", BoundaryType::pressure_outlet},
                                                            {"exact", BoundaryType::exact}};
  const auto type = options.described_by(type_keys).get<std::string>("type");
  const Table t = options.described_by(type_keys).described_by(boundary_options(type));
  FlowBoundary b;
  b.name = name;
  b.condition.type = types.at(type);
  b.is_viscous = type == "adiabatic_wall" || type == "isothermal_wall";
  b.is_wall = b.is_viscous || type == "slip_wall";
  b.is_exact = type == "exact";
  if (b.is_viscous && c.gas.reynolds == 0)
    t.fail("type", "a no-slip wall requires viscosity, but [flow] has no reynolds number; did you mean slip_wall?");
  if (type == "farfield" || type == "supersonic_inflow") read_outside(t, c, b.condition.outside);
  if (type == "pressure_outlet") {
    b.condition.outside = c.free_stream();
    b.condition.outside[3] = t.get<double>("pressure", b.condition.outside[3]);
  }
  if (type == "isothermal_wall") b.condition.temperature = t.get<double>("temperature");
  if (type == "supersonic_inflow") {
    const auto& s = b.condition.outside;
    if (s[1] * s[1] + s[2] * s[2] <= c.gas.gamma * s[3] / s[0])
      t.fail("type",
             "the stream outside is subsonic, but supersonic_inflow prescribes all variables; did you mean farfield?");
  }
  return b;
}

}  // namespace

Options boundary_options(std::string_view type) {
  if (type.empty()) return type_keys;
  if (type == "farfield" || type == "supersonic_inflow") return outside_keys;
  if (type == "pressure_outlet") return outlet_keys;
  if (type == "isothermal_wall") return wall_keys;
  return {};
}

void take_periods(const UnstructuredMesh& mesh, CompressibleCase& c) {
  for (const auto& shift : mesh.shift)
    for (int d = 0; d < 2; ++d) c.initial.period[d] = std::max(c.initial.period[d], std::abs(shift[d]));
}

std::vector<FlowBoundary> read_flow_boundary(const Table& config, const CompressibleCase& c,
                                             const UnstructuredMesh& mesh) {
  const Table boundary = config.table("boundary");
  require_conditions(mesh, "the mesh", boundary);
  std::vector<FlowBoundary> entries;
  for (const Patch& p : mesh.patches) {
    entries.push_back(read_entry(boundary.table(p.name), p.name, c));
    const std::string why = entries.back().is_wall ? why_no_file_name(p.name) : "";
    if (!why.empty()) boundary.fail(p.name, "'" + p.name + "' has a file of its own, surface/MARKER.csv: " + why);
  }
  if (c.turbulence.is_on && std::ranges::none_of(entries, &FlowBoundary::is_viscous))
    config.table("flow").fail("turbulence",
                              "spalart_allmaras requires a no-slip wall in [boundary], for the wall distance");
  return entries;
}

std::vector<BoundaryCondition> conditions_of(const std::vector<FlowBoundary>& boundary) {
  std::vector<BoundaryCondition> conditions;
  for (const FlowBoundary& b : boundary) conditions.push_back(b.condition);
  return conditions;
}

}  // namespace weir
