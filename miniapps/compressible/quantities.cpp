#include "miniapps/compressible/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "miniapps/compressible/compressible.hpp"
#include "physics/gas.hpp"
#include "physics/spalart_allmaras.hpp"

namespace weir {
namespace {

void add_surface(const CompressibleCase& c, const std::vector<WallSurface>& surfaces, const Forces& forces,
                 const std::vector<Forces>& of_walls, std::map<std::string, double>& q) {
  q["moment"] = forces.moment;
  for (std::size_t k = 0; k < of_walls.size(); ++k) {
    const Forces& f = of_walls[k];
    const std::string wall = "_" + surfaces[k].result_name;
    q["lift" + wall] = f.lift();
    q["drag" + wall] = f.drag();
    q["moment" + wall] = f.moment;
    if (surfaces[k].is_viscous) q["heat" + wall] = f.heat;
  }
  q["lift"] = forces.lift();
  q["drag"] = forces.drag();
  q["drag_pressure"] = forces.drag_pressure;
  q["drag_viscous"] = forces.drag_viscous;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const WallSurface& s : surfaces)
    for (const double cp : s.cp) {
      low = std::min(low, cp);
      high = std::max(high, cp);
    }
  q["cp_min"] = low;
  q["cp_max"] = high;
  for (const WallSurface& s : surfaces)
    if (s.is_viscous) q["separation"] = separation_point(s) / c.reference_length;
  for (const WallSurface& s : surfaces)
    for (const double y_plus : s.y_plus) q["y_plus_max"] = std::max(q["y_plus_max"], y_plus);
}

bool is_flat_along_x(const WallSurface& s) {
  return std::ranges::all_of(s.normal_y, [](double n) { return n < -1 + 1e-12; });
}

// cf = 0.664115 / sqrt(Re_x), Re_x = Re x / reference_length from the leading edge (Blasius 1908).
double blasius_error(const CompressibleCase& c, const WallSurface& s) {
  double begin = std::numeric_limits<double>::infinity(), error = 0;
  for (std::size_t f = 0; f < s.x.size(); ++f) begin = std::min(begin, s.x[f] - 0.5 * s.area[f]);
  for (std::size_t f = 0; f < s.x.size(); ++f) {
    const double x = (s.x[f] - begin) / c.reference_length;
    if (x < 0.3 || x > 1) continue;
    error = std::max(error, std::abs(s.cf[f] * std::sqrt(c.gas.reynolds * x) / 0.664115 - 1));
  }
  return error;
}

void add_errors(const CompressibleCase& c, const FlowFields& f, double time, std::map<std::string, double>& q) {
  double volume = 0, l1 = 0, l2 = 0, most = 0, pressure = 0, velocity = 0;
  for (int i = 0; i < f.mesh.cells(); ++i) {
    const auto& x = f.mesh.centre[i];
    const PrimitiveState s = f.at(i), e = c.exact.at(x[0], x[1], time);
    const double V = f.mesh.volume[i], d = std::abs(s[0] - e[0]), dp = s[3] - e[3], du = s[1] - e[1], dv = s[2] - e[2];
    volume += V;
    l1 += V * d;
    l2 += V * d * d;
    most = std::max(most, d);
    pressure += V * dp * dp;
    velocity += V * (du * du + dv * dv);
  }
  q["error_density_l1"] = l1 / volume;
  q["error_density_l2"] = std::sqrt(l2 / volume);
  q["error_density_max"] = most;
  q["error_pressure_l2"] = std::sqrt(pressure / volume);
  q["error_velocity_l2"] = std::sqrt(velocity / volume);
}

// The wall behind the shock without its ends, and the ray through `centre` on which the pressure is half-way between
// its values before and behind the shock.
void add_shock(const CompressibleCase& c, const FlowFields& f, const std::vector<WallSurface>& surfaces,
               std::map<std::string, double>& q) {
  const ExactFlow& flow = c.initial;
  const double before = c.free_pressure();
  double area = 0, sum = 0, end = flow.centre[0];
  for (const WallSurface& s : surfaces)
    for (const double x : s.x) end = std::max(end, x);
  const double length = end - flow.centre[0];
  for (const WallSurface& s : surfaces)
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      const double along = (s.x[i] - flow.centre[0]) / length;
      if (along < 0.4 || along > 0.9) continue;
      area += s.area[i];
      sum += s.area[i] * (1 + 0.5 * s.cp[i] / before);
    }
  q["pressure_ratio"] = sum / area;
  const double behind = before * sum / area;
  double xy = 0, xx = 0;
  for (int i = 0; i < f.mesh.cells(); ++i) {
    const double x = f.mesh.centre[i][0] - flow.centre[0], y = f.mesh.centre[i][1] - flow.centre[1];
    if (x < 0.3 * length) continue;
    const double level = (f.at(i)[3] - before) / (behind - before);
    const double weight = std::max(0.0, 1 - std::abs(2 * level - 1)) * f.mesh.volume[i];
    xy += weight * x * y;
    xx += weight * x * x;
  }
  q["shock_angle"] = std::atan2(xy, xx) * 180 / std::numbers::pi;
  q["shock_angle_error"] = q["shock_angle"] - flow.shock_angle * 180 / std::numbers::pi;
  const double wall[2] = {std::cos(flow.wedge_angle), std::sin(flow.wedge_angle)};
  const double exact = flow.at(flow.centre[0] + length * wall[0], flow.centre[1] + length * wall[1], 0)[3] / before;
  q["pressure_ratio_error"] = q["pressure_ratio"] / exact - 1;
}

constexpr const char* wall_coefficients[] = {"lift_", "drag_", "moment_", "heat_"};  // the last one of no-slip walls

constexpr Quantity quantity_list[] = {
    {"entropy_error", "",
     "root mean square of s / s_inf - 1, with s = p / rho^gamma and s_inf its value in the free stream"},
    {"mach_max", "", "largest Mach number"},
    {"lift", "", "lift coefficient"},
    {"drag", "", "drag coefficient"},
    {"moment", "", "moment coefficient about moment_centre, counterclockwise, based on reference_length squared"},
    {"lift_NAME", "", "lift coefficient of the wall NAME"},
    {"drag_NAME", "", "drag coefficient of the wall NAME"},
    {"moment_NAME", "", "moment coefficient of the wall NAME"},
    {"heat_NAME", "", "coefficient of the heat flux into the no-slip wall NAME, based on reference_length"},
    {"lift_mean", "", "mean lift coefficient of an unsteady run, from average_from on"},
    {"drag_mean", "", "mean drag coefficient of an unsteady run, from average_from on"},
    {"lift_amplitude", "", "half of (maximum - minimum) of the lift coefficient"},
    {"drag_amplitude", "", "half of (maximum - minimum) of the drag coefficient"},
    {"strouhal", "",
     "Strouhal number: frequency of the lift times reference_length divided by the speed of the free stream"},
    {"lift_phase", "degrees", "phase at time 0 of the oscillation of the lift"},
    {"drag_phase", "degrees", "phase at time 0 of the oscillation of the drag with twice the frequency of the lift"},
    {"drag_pressure", "", "pressure part of the drag coefficient"},
    {"drag_viscous", "", "friction part of the drag coefficient"},
    {"cp_min", "", "smallest pressure coefficient on the walls"},
    {"cp_max", "", "largest pressure coefficient on the walls"},
    {"separation", "", "x / reference_length at which the skin friction of the upper side changes sign"},
    {"y_plus_max", "", "largest y+ of the cells at the walls (turbulent)"},
    {"eddy_viscosity_max", "", "largest eddy viscosity divided by the viscosity of the free stream (turbulent)"},
    {"cf_blasius_error", "",
     "largest relative difference between the skin friction of a flat plate and Blasius's, 0.3 < x < 1"},
    {"error_density_l1", "density", "mean difference between the density and the exact solution"},
    {"error_density_l2", "density", "root mean square of the difference between the density and the exact solution"},
    {"error_density_max", "density", "largest difference between the density and the exact solution"},
    {"pressure_ratio", "", "pressure after an oblique shock divided by the pressure before it"},
    {"pressure_ratio_error", "", "relative error of pressure_ratio with respect to the exact oblique shock"},
    {"shock_angle", "degrees", "angle of an oblique shock"},
    {"shock_angle_error", "degrees", "difference between shock_angle and the exact angle"},
    {"residual_drop", "",
     "last residual divided by the largest one of the first steps (steady); 0: not above rounding errors"},
    {"linear_iterations", "", "number of linear iterations of all steps (steady)"},
    {"steps_second_order", "", "number of steps after the first-order phase (steady)"},
    {"point_NAME", "", "field value at a [[point]] after the last step"},
    {"value_NAME", "", "cp or cf of a [[surface]] at x = `at`"}};

constexpr Quantity column_list[] = {
    {"residual_density, residual_momentum_x, residual_momentum_y, residual_energy", "",
     "l2 norm of the residual of each equation"},
    {"residual_turbulence", "", "l2 norm of the residual of the turbulence model (turbulent)"},
    {"lift, drag, moment", "", "force and moment coefficients of all walls"},
    {"lift_NAME, drag_NAME, moment_NAME, heat_NAME", "",
     "force, moment and heat flux coefficients of the wall NAME (heat: no-slip walls only)"},
    {"point_NAME", "", "field value at a [[point]]"},
    {"linear_iterations", "", "number of linear iterations since the start, including rejected steps"},
    {"order", "", "order of the scheme in space"}};

}  // namespace

Results compressible_results() {
  Results all;
  all.add("compressible", quantity_list, column_list);
  return all;
}

PrimitiveState FlowFields::at(int cell) const {
  const std::size_t u = values() * static_cast<std::size_t>(cell);
  return to_primitive({U[u], U[u + 1], U[u + 2], U[u + 3]}, gamma);
}

double mach_number(const PrimitiveState& s, double gamma) {
  return std::sqrt((s[1] * s[1] + s[2] * s[2]) * s[0] / (gamma * s[3]));
}

double eddy_viscosity_of(const FlowFields& fields, int cell, const CompressibleCase& c) {
  if (fields.eddy_viscosity.size() > 0) return fields.eddy_viscosity[fields.values() * static_cast<std::size_t>(cell)];
  const PrimitiveState s = fields.at(cell);
  Gas gas;
  gas.viscosity = 1;  // of the free stream
  gas.sutherland = c.gas.sutherland;
  const double mu = viscosity(gas, c.gas.gamma * c.gas.mach * c.gas.mach * s[3] / s[0]);
  const double rho_nu = fields.U[fields.values() * static_cast<std::size_t>(cell) + 4] * c.turbulence.unit[0];
  return spalart_allmaras::eddy_viscosity(mu, rho_nu);
}

double entropy_of(const PrimitiveState& s, const CompressibleCase& c) {
  return s[3] / std::pow(s[0], c.gas.gamma) / c.free_pressure() - 1;
}

void name_walls(std::vector<FlowBoundary>& boundary) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  };
  const auto is_taken = [&](const std::string& name) {
    const auto is_quantity = [&](const Quantity& q) {
      return std::ranges::any_of(wall_coefficients, [&](const char* of) { return of + name == q.name; });
    };
    return std::ranges::any_of(quantity_list, is_quantity) ||
           std::ranges::count(boundary, name, &FlowBoundary::result_name) > 0;
  };
  for (FlowBoundary& b : boundary) {
    if (!b.is_wall) continue;
    std::string name = b.name;
    std::ranges::replace_if(
        name, [&](char c) { return !is_plain(c); }, '_');
    while (is_taken(name)) name += "_wall";
    b.result_name = name;
  }
}

void add_wall_names(const FlowBoundary& b, std::vector<std::string>& names) {
  if (!b.is_wall) return;
  for (const char* of : wall_coefficients)
    if (b.is_viscous || of != wall_coefficients[3]) names.push_back(of + b.result_name);
}

std::vector<std::string> quantity_names(const CompressibleCase& c, const std::vector<FlowBoundary>& boundary) {
  std::vector<std::string> names = {"entropy_error", "mach_max"};
  const auto any = [&](auto is) { return std::ranges::any_of(boundary, is); };
  if (any([](const FlowBoundary& b) { return b.is_wall; }))
    names.insert(names.end(), {"lift", "drag", "moment", "drag_pressure", "drag_viscous", "cp_min", "cp_max"});
  for (const FlowBoundary& b : boundary) add_wall_names(b, names);
  if (c.is_unsteady() && any([](const FlowBoundary& b) { return b.is_wall; }))
    names.insert(names.end(), std::begin(statistics_names), std::end(statistics_names));
  for (const HistoryPoint& p : c.points) names.push_back("point_" + p.name);
  if (any([](const FlowBoundary& b) { return b.is_viscous; }))
    names.insert(names.end(), {"separation", "cf_blasius_error"});
  if (c.turbulence.is_on) names.insert(names.end(), {"y_plus_max", "eddy_viscosity_max"});
  if (c.has_exact)
    names.insert(names.end(), {"error_density_l1", "error_density_l2", "error_density_max", "error_pressure_l2",
                               "error_velocity_l2"});
  if (c.initial.kind == FlowKind::oblique_shock)
    names.insert(names.end(), {"pressure_ratio", "pressure_ratio_error", "shock_angle", "shock_angle_error"});
  if (!c.is_unsteady()) names.insert(names.end(), {"residual_drop", "linear_iterations", "steps_second_order"});
  return names;
}

std::map<std::string, double> flow_quantities(const CompressibleCase& c, const FlowFields& f,
                                              const std::vector<WallSurface>& surfaces, const Forces& forces,
                                              const std::vector<Forces>& of_walls, double time) {
  std::map<std::string, double> q;
  double volume = 0, entropy = 0, mach = 0;
  for (int i = 0; i < f.mesh.cells(); ++i) {
    const PrimitiveState s = f.at(i);
    const double e = entropy_of(s, c);
    volume += f.mesh.volume[i];
    entropy += f.mesh.volume[i] * e * e;
    mach = std::max(mach, mach_number(s, c.gas.gamma));
    if (c.turbulence.is_on) q["eddy_viscosity_max"] = std::max(q["eddy_viscosity_max"], eddy_viscosity_of(f, i, c));
  }
  q["entropy_error"] = std::sqrt(entropy / volume);
  q["mach_max"] = mach;
  if (!surfaces.empty()) add_surface(c, surfaces, forces, of_walls, q);
  if (surfaces.size() == 1 && surfaces[0].is_viscous && is_flat_along_x(surfaces[0]))
    q["cf_blasius_error"] = blasius_error(c, surfaces[0]);
  if (c.has_exact) add_errors(c, f, time, q);
  if (c.initial.kind == FlowKind::oblique_shock && !surfaces.empty()) add_shock(c, f, surfaces, q);
  return q;
}

}  // namespace weir
