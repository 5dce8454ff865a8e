#include "miniapps/compressible/case.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/table_option.hpp"
#include "mesh/generate/generators.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "mesh/unstructured/make_mesh.hpp"
#include "miniapps/compressible/convergence/coarse_start.hpp"
#include "miniapps/compressible/exact/riemann.hpp"
#include "miniapps/compressible/output.hpp"
#include "miniapps/compressible/sampling/history_points.hpp"
#include "solvers/krylov/forcing_term.hpp"
#include "solvers/parallel/rank_map.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr Option sutherland_keys[] = {
    {"constant", Option::number, "110.4", "constant of Sutherland's law", "(0, inf)", "K"},
    {"temperature", Option::number, "288.15", "temperature of the free stream", "(0, inf)", "K"}};

constexpr Option state_keys[] = {{"density", Option::number, "depends: required for formulas",
                                  "density, a number or a formula of x, y, t", "number or formula", "density"},
                                 {"velocity", Option::numbers, "depends: required for formulas",
                                  "velocity [u, v], numbers or formulas of x, y, t", "numbers or formulas", "velocity"},
                                 {"pressure", Option::number, "depends: required for formulas",
                                  "pressure, a number or a formula of x, y, t", "number or formula", "pressure"}};

constexpr Option flow_keys[] = {
    {"mach", Option::number, Option::required, "Mach number of the free stream", "(0, inf)"},
    {"angle_of_attack", Option::number, "0", "angle between the free stream and the x axis", "", "degrees"},
    {"reynolds", Option::number, "0", "Reynolds number based on reference_length and the free stream; 0: inviscid flow",
     "[0, inf)"},
    {"reference_length", Option::number, "1",
     "reference length of the Reynolds number, the force coefficients and the constants K of the limiters", "(0, inf)",
     "length"},
    {"moment_centre", Option::numbers, "[0, 0]", "point about which moments are taken, [x, y]", "", "length"},
    {"gamma", Option::number, "1.4", "ratio of specific heats", "(1, inf)"},
    {"prandtl", Option::number, "0.72", "Prandtl number", "(0, inf)"},
    {"sutherland", Option::table, "",
     "parameters of Sutherland's law of viscosity, or the text \"constant_viscosity\" for a constant viscosity", "", "",
     "", [] { return Options(sutherland_keys); }},
    {"turbulence", Option::text, "none",
     "turbulence model, fully turbulent, which requires reynolds and a no-slip wall; spalart_allmaras: negative "
     "variant; sst: Menter's SST model of 2003",
     "none | spalart_allmaras | sst"},
    {"turbulent_prandtl", Option::number, "0.9", "turbulent Prandtl number", "(0, inf)"},
    {"turbulent_freestream", Option::number, "3", "Spalart-Allmaras variable in the free stream", "[0, inf)",
     "free stream's viscosity"},
    {"turbulent_intensity", Option::number, "depends on mach: 7.746e-5 / mach",
     "turbulence intensity of the free stream, sqrt(2/3 k) (sst only)", "(0, inf)", "free stream's speed"},
    {"turbulent_viscosity_ratio", Option::number, "0.009", "eddy viscosity of the free stream (sst only)", "(0, inf)",
     "free stream's viscosity"},
    {"body_force", Option::numbers, "[0, 0]", "body force per unit volume, [fx, fy], numbers or formulas of x, y, t",
     "numbers or formulas", "density * velocity/time"},
    {"gravity", Option::numbers, "[0, 0]", "acceleration of gravity, [gx, gy]", "", "velocity/time"},
    {"start_from", Option::text, "",
     "run directory or checkpoint with the initial state, which is interpolated from another structured mesh of the "
     "same generator; a steady run then skips the first-order phase and, on the same mesh, measures its residual "
     "relative to that of the earlier run"},
    {"initial", Option::text, "freestream",
     "initial state, a name or a table { type = ... }; for exact solutions (all but freestream and formula) errors are "
     "reported",
     "freestream | isentropic_vortex | sod | ringleb | oblique_shock | riemann | formula"},
    {"exact", Option::table, "",
     "exact solution for the error quantities and for boundaries of type exact (default: the one of flow.initial)", "",
     "", "", [] { return Options(state_keys); }}};
constexpr Option side_keys[] = {
    {"density", Option::number, Option::required, "density of the state", "(0, inf)", "free stream's"},
    {"velocity", Option::numbers, "[0, 0]", "velocity [u, v] of the state", "", "free stream's speed"},
    {"pressure", Option::number, Option::required,
     "pressure of the state, in units in which the free-stream pressure is 1/(gamma mach^2)", "(0, inf)"}};
constexpr Option initial_keys[] = {
    {"type", Option::text, "freestream", "type of the initial state, one of the names for flow.initial",
     "freestream | isentropic_vortex | sod | ringleb | oblique_shock | riemann | formula"},
    {"centre", Option::numbers, "[0, 0]",
     "position of the vortex (isentropic_vortex), the corner (oblique_shock) or the diaphragm (sod, riemann)", "",
     "length"},
    {"strength", Option::number, "5", "strength of the vortex"},
    {"wedge_angle", Option::number, Option::required, "deflection angle of the oblique shock", "", "degrees"},
    {"left", Option::table, "", "state at x below `centre` (type riemann)", "", "", "",
     [] { return Options(side_keys); }},
    {"right", Option::table, "", "state at x above `centre` (type riemann)", "", "", "",
     [] { return Options(side_keys); }}};

constexpr Option numerics_keys[] = {
    {"flux", Option::text, "roe", "numerical flux between two cells", "roe | hllc | ausm_plus | van_leer | rusanov"},
    {"entropy_fix", Option::number, "0.1",
     "threshold of Harten's entropy fix (flux roe), as a fraction of the largest eigenvalue", "[0, inf)",
     "largest eigenvalue"},
    {"order", Option::integer, "2", "order of accuracy in space", "[1, 2]"},
    {"turbulence_order", Option::integer, "1", "order of the advection of the turbulence model", "[1, 2]"},
    {"gradient", Option::text, "least_squares", "method for the gradients of the linear reconstruction",
     "least_squares | green_gauss"},
    {"limiter", Option::text, "none", "limiter of the reconstruction; flows with shocks require one",
     "none | venkatakrishnan | barth_jespersen | michalak"},
    {"venkatakrishnan", Option::number, "5",
     "constant K of the limiter venkatakrishnan, with lengths in units of reference_length", "(0, inf)"},
    {"michalak", Option::number, "1",
     "constant K of the limiter michalak: differences below (K h / reference_length)^1.5 are not limited (h: cell "
     "size)",
     "(0, inf)"}};

constexpr Option pseudo_time_keys[] = {
    {"cfl_start", Option::number, "50",
     "initial CFL number, and its lower bound except after rejected steps; too large a value makes the first steps "
     "diverge",
     "(0, inf)"},
    {"cfl_max", Option::number, "1e4",
     "maximum CFL number; recommended for inviscid flows with jacobian = \"first_order\": 100 to 200", "(0, inf)"},
    {"exponent_down", Option::number, "1",
     "exponent of the factor (old / new residual)^exponent on the CFL number if the residual falls (paper: 0.25)",
     "[0, inf)"},
    {"exponent_up", Option::number, "0.5",
     "exponent of the factor (old / new residual)^exponent on the CFL number if the residual rises (paper: 0.3)",
     "[0, inf)"},
    {"growth", Option::number, "1", "factor applied to the CFL number after each full (not under-relaxed) step",
     "(0, inf)"},
    {"relaxation", Option::number, "0.5",
     "relative change of density and pressure per step above which an update is under-relaxed", "(0, inf)"},
    {"least_relaxation", Option::number, "0.2",
     "smallest under-relaxation factor of an update (line_search: before the line search)", "(0, 1]"},
    {"tolerance", Option::number, "1e-6",
     "tolerance of the energy residual and of the turbulence residual, each relative to its maximum over the first "
     "five steps; unsteady: per time step",
     "(0, inf)"},
    {"first_order_tolerance", Option::number, "0.1",
     "residual reduction at which the initial phase with the first-order scheme ends; 0: no such phase", "[0, inf)"},
    {"coarse_meshes", Option::integer, "0",
     "maximum number of coarser meshes on which a steady run starts, each with half the refinement of the next finer "
     "one",
     "[0, 6]"},
    {"coarse_tolerance", Option::number, "1e-2",
     "tolerance of the relative residual on the coarser meshes (coarse_meshes)", "(0, 1)"},
    {"force_tolerance", Option::number, "0",
     "variation of lift and drag over force_window steps below which a steady run ends; 0: off", "[0, inf)"},
    {"force_window", Option::integer, "50",
     "number of steps over which force_tolerance is applied, all of them after the first-order phase", "[2, 100000]"},
    {"max_steps", Option::integer, "500", "maximum number of steps (exit code 3 if the tolerance is missed)",
     "[0, inf)"},
    {"max_rejections", Option::integer, "12", "maximum number of times that one step is rejected and repeated",
     "[0, inf)"},
    {"rejected_cut", Option::number, "0.1", "factor applied to the CFL number after a rejected step", "(0, 1)"},
    {"line_search", Option::boolean, "false",
     "switch for backtracking, which halves the update until the unsteady residual grows by at most 1 % (replaces "
     "largest_growth); the second-order phase then restarts at cfl_start; recommended for turbulent flow with "
     "matrix_free"},
    {"largest_growth", Option::number, "10", "largest growth factor of the residual in an accepted step", "(0, inf)"},
    {"jacobian", Option::text, "first_order",
     "Jacobian of a pseudo-time step; first_order: assembled Jacobian of the first-order scheme; matrix_free: products "
     "with the Jacobian of the scheme itself (Newton's method), preconditioned by the first-order Jacobian",
     "matrix_free | first_order"},
    {"products", Option::text, "differences",
     "Jacobian-vector products of matrix_free; differences: finite differences of the residual; dual_numbers: exact "
     "derivatives, required for tolerances below 1e-6 and for strong shocks",
     "differences | dual_numbers"}};

constexpr Option matrix_keys[] = {{"matrix_storage", Option::text, "double",
                                   "precision of the stored Jacobian; float: requires a tolerance of at least 1e-5",
                                   "double | float", "", "matrix, single=float"}};

constexpr Option time_keys[] = {
    {"end", Option::number, "depends: required with dt",
     "end time of an unsteady run (BDF2); without end and dt the run is steady", "(0, inf)", "time"},
    {"dt", Option::number, "depends: required with end", "time step", "(0, inf)", "time"}};

void read_gas(const Table& t, GasModel& gas) {
  gas.gamma = t.get<double>("gamma");
  gas.prandtl = t.get<double>("prandtl");
  gas.mach = t.get<double>("mach");
  constexpr double largest = 1e100;  // so that its square and 1 / (gamma mach^2) are finite
  if (gas.mach > largest || gas.mach < 1 / largest) t.fail("mach", "'mach' must be between 1e-100 and 1e100");
  if (gas.gamma > largest) t.fail("gamma", "'gamma' must be at most 1e100");
  gas.reynolds = t.get<double>("reynolds");
  if (!t.has("sutherland") || t.is_table("sutherland")) {
    const Table s = t.table("sutherland");
    gas.sutherland = s.get<double>("constant") / s.get<double>("temperature");
  } else {
    t.choice("sutherland", {"constant_viscosity"}, "");
    gas.sutherland = -1;
  }
}

void read_pair(const Table& t, const char* key, double (&v)[2]) {
  const auto list = t.get<std::vector<double>>(key);
  if (list.size() != 2) t.fail(key, std::string(key) + " must have 2 numbers");
  v[0] = list[0];
  v[1] = list[1];
}

void read_side(const Table& initial, const char* key, PrimitiveState& s) {
  if (!initial.has(key))
    initial.fail(
        "type",
        "a Riemann problem requires 'left' and 'right', each { density = ..., velocity = [u, v], pressure = ... }");
  const Table t = initial.table(key);
  double velocity[2];
  read_pair(t, "velocity", velocity);
  s = {t.get<double>("density"), velocity[0], velocity[1], t.get<double>("pressure")};
}

void read_formula_flow(const Table& t, ExactFlow& f) {
  f.kind = FlowKind::formula;
  std::size_t k = 0;
  for (const char* key : {"density", "velocity", "pressure"}) {
    const std::vector<Formula> given = read_formulas(t, key, "xyt");
    const std::size_t count = key == std::string("velocity") ? 2 : 1;
    if (given.size() != count)
      t.fail(key, fmt::format("type = \"formula\" requires '{}' with {} number(s) or formula(s)", key, count));
    for (const Formula& formula : given) f.formula[k++] = formula;
  }
}

void read_initial(const Table& flow, CompressibleCase& c) {
  ExactFlow& f = c.initial;
  const bool is_table = flow.is_table("initial");
  const Table t = is_table ? flow.table("initial").described_by(initial_keys).described_by(state_keys) : flow;
  f.kind = get_enum<FlowKind>(t, is_table ? "type" : "initial");
  f.gamma = c.gas.gamma;
  f.mach = c.gas.mach;
  f.direction[0] = c.direction[0];
  f.direction[1] = c.direction[1];
  if (f.kind == FlowKind::formula) {
    if (!is_table)
      flow.fail("initial", "formulas require { type = \"formula\", density = ..., velocity = [...], pressure = ... }");
    read_formula_flow(t, f);
  } else if (is_table && f.kind != FlowKind::freestream)
    read_pair(t, "centre", f.centre);
  if (is_table && f.kind == FlowKind::isentropic_vortex) f.strength = t.get<double>("strength");
  if (f.kind == FlowKind::oblique_shock) {
    if (!is_table)
      flow.fail("initial", "an oblique shock requires { type = \"oblique_shock\", wedge_angle = DEGREES }");
    f.wedge_angle = t.get<double>("wedge_angle") * std::numbers::pi / 180;
  }
  if (f.kind == FlowKind::riemann) {
    if (!is_table)
      flow.fail("initial", "a Riemann problem requires { type = \"riemann\", left = {...}, right = {...} }");
    read_side(t, "left", f.left);
    read_side(t, "right", f.right);
    if (makes_vacuum(f.left, f.right, f.gamma))
      t.fail("right", "the two sides separate so fast that a vacuum forms between them");
  }
  f.prepare();
  if (f.kind == FlowKind::oblique_shock && f.shock_angle <= 0)
    t.fail("wedge_angle", "the shock is detached at this Mach number and wedge angle");
  c.exact = f;
  if (flow.has("exact")) read_formula_flow(flow.table("exact"), c.exact);
  c.has_exact = flow.has("exact") || (f.kind != FlowKind::freestream && f.kind != FlowKind::formula);
}

void read_flow(const Table& options, CompressibleCase& c) {
  const Table t = options.described_by(flow_keys);
  read_gas(t, c.gas);
  const double angle = t.get<double>("angle_of_attack") * std::numbers::pi / 180;
  c.direction[0] = std::cos(angle);
  c.direction[1] = std::sin(angle);
  c.reference_length = c.gas.length = t.get<double>("reference_length");
  c.start_from = t.get<std::string>("start_from");
  read_initial(t, c);
  const std::vector<Formula> force = read_formulas(t, "body_force", "xyt");
  if (!force.empty() && force.size() != 2) t.fail("body_force", "'body_force' must have 2 numbers or formulas");
  if (!force.empty()) c.body_force = {force[0], force[1]};
  double pair[2];
  read_pair(t, "gravity", pair);
  c.gravity = {pair[0], pair[1]};
  read_pair(t, "moment_centre", pair);
  c.moment_centre = {pair[0], pair[1]};
}

void read_turbulence(const Table& options, TurbulenceModel& m, const GasModel& gas) {
  const Table t = options.described_by(flow_keys);
  m.is_on = t.get<std::string>("turbulence") != "none";
  m.is_sst = t.get<std::string>("turbulence") == "sst";
  if (m.is_on && gas.reynolds == 0) t.fail("turbulence", "turbulent flow requires [flow] reynolds");
  m.prandtl = t.get<double>("turbulent_prandtl");
  // The units are typical of layers and wakes, so that the residuals are comparable with those of the flow.
  m.outside[0] = t.get<double>("turbulent_freestream");
  m.unit[0] = 1000;
  if (!m.is_sst) return;
  // k = 9e-9 a^2, the value of CFL3D and FUN3D
  const double intensity = t.get<double>("turbulent_intensity", std::sqrt(6e-9) / gas.mach);
  m.outside[0] = 1.5 * intensity * intensity;
  m.outside[1] = m.outside[0] / t.get<double>("turbulent_viscosity_ratio");
  m.unit = {0.01, 1};
}

void read_numerics(const Table& options, SpatialScheme& s) {
  const Table t = options.described_by(numerics_keys);
  s.flux = get_enum<FluxScheme>(t, "flux");
  s.entropy_fix = t.get<double>("entropy_fix");
  s.order = t.get<int>("order");
  s.gradient = get_enum<GradientScheme>(t, "gradient");
  s.limiter = get_enum<Limiter>(t, "limiter");
  s.venkatakrishnan = t.get<double>("venkatakrishnan");
  s.michalak = t.get<double>("michalak");
}

void read_pseudo_time(const Table& options, PseudoTimeOptions& o) {
  const Table t = options.described_by(pseudo_time_keys);
  o.cfl_start = t.get<double>("cfl_start");
  o.cfl_max = t.get<double>("cfl_max");
  if (o.cfl_max < o.cfl_start) t.fail("cfl_max", "'cfl_max' must not be less than 'cfl_start'");
  o.exponent_down = t.get<double>("exponent_down");
  o.exponent_up = t.get<double>("exponent_up");
  o.relaxation = t.get<double>("relaxation");
  o.least_relaxation = t.get<double>("least_relaxation");
  o.tolerance = t.get<double>("tolerance");
  o.first_order_tolerance = t.get<double>("first_order_tolerance");
  o.coarse_meshes = t.get<int>("coarse_meshes");
  o.coarse_tolerance = t.get<double>("coarse_tolerance");
  o.force_tolerance = t.get<double>("force_tolerance");
  o.force_window = t.get<int>("force_window");
  o.max_steps = t.get<int>("max_steps");
  o.max_rejections = t.get<int>("max_rejections");
  o.rejected_cut = t.get<double>("rejected_cut");
  o.largest_growth = t.get<double>("largest_growth");
  o.growth = t.get<double>("growth");
  o.line_search = t.get<bool>("line_search");
  o.matrix_free = t.get<std::string>("jacobian") == "matrix_free";
  const bool by_dual_numbers = t.get<std::string>("products") == "dual_numbers";
  o.dual_products = o.matrix_free && by_dual_numbers;
}

// Products with float matrices have relative errors of 1e-7.
void read_matrix(const Table& given, PseudoTimeOptions& o) {
  const Table linear = given.described_by(matrix_keys).described_by(linear_solver_options());
  o.float_jacobian = linear.get<std::string>("matrix_storage") == "float";
  if (o.float_jacobian && !o.matrix_free && linear.has("tolerance") && !ForcingRule::is_given(linear) &&
      linear.get<double>("tolerance", 1) < 1e-5)
    linear.fail("matrix_storage", "matrix_storage = \"float\" requires a tolerance of at least 1e-5");
}

void read_time(const Table& options, UnsteadyOptions& time) {
  const Table t = options.described_by(time_keys);
  if (!t.has("end") && !t.has("dt")) return;
  time.end = t.get<double>("end");
  time.dt = t.get<double>("dt");
  if (!(time.end / time.dt < 1e15)) t.fail("dt", "'end' / 'dt' exceeds 1e15 time steps");
}

}  // namespace

std::vector<KeyTable> compressible_keys() {
  std::vector<KeyTable> keys = probe_keys_of_case();
  keys.insert(keys.begin(),
              {{"mesh", "", mesh_options()},
               {"mesh.generator", "box", generator_options("box")},
               {"mesh.generator", "cylinder", generator_options("cylinder")},
               {"mesh.generator", "naca0012, naca", generator_options("naca")},
               {"mesh.generator", "wedge", generator_options("wedge")},
               {"mesh.generator", "c_grid", generator_options("c_grid")},
               {"ordering", "", ordering_options()},
               {"flow", "", flow_keys},
               {"flow.initial", "as a table", initial_keys},
               {"flow.initial", "formula", state_keys},
               {"flow.exact", "", state_keys},
               {"numerics", "", numerics_keys},
               {"time", "", time_keys},
               {"pseudo_time", "", pseudo_time_keys},
               {"linear.SYSTEM", "flow", matrix_keys},
               {"output", "", CompressibleOutput::field_options()},
               {"point", "", point_options()},
               {"surface", "", CompressibleOutput::surface_options()},
               {"ranks", "", rank_options()},
               {"boundary.MARKER", "", boundary_options("")},
               {"boundary.MARKER", "farfield, supersonic_inflow", boundary_options("farfield")},
               {"boundary.MARKER", "pressure_outlet", boundary_options("pressure_outlet")},
               {"boundary.MARKER", "mass_flow_outlet", boundary_options("mass_flow_outlet")},
               {"boundary.MARKER", "total_pressure_inlet", boundary_options("total_pressure_inlet")},
               {"boundary.MARKER", "isothermal_wall", boundary_options("isothermal_wall")},
               {"boundary.MARKER", "heat_flux_wall", boundary_options("heat_flux_wall")},
               {"boundary.MARKER", "adiabatic_wall, isothermal_wall, heat_flux_wall", boundary_options("moving")}});
  return keys;
}

CompressibleCase read_compressible_case(const Table& config) {
  CompressibleCase c;
  c.title = config.table("case").get("title", "");
  read_flow(config.table("flow"), c);
  read_turbulence(config.table("flow"), c.turbulence, c.gas);
  read_numerics(config.table("numerics"), c.scheme);
  c.turbulence.order = config.table("numerics").described_by(numerics_keys).get<int>("turbulence_order");
  read_pseudo_time(config.table("pseudo_time"), c.pseudo_time);
  c.scheme.has_products = c.pseudo_time.dual_products;
  read_matrix(config.table("linear").table("flow"), c.pseudo_time);
  read_time(config.table("time"), c.time);
  c.points = read_points(config);
  c.average_from = config.table("output").described_by(CompressibleOutput::field_options()).get<double>("average_from");
  if (c.pseudo_time.coarse_meshes > 0) require_coarser_meshes(config, c.is_unsteady());
  return c;
}

}  // namespace weir
