#include "miniapps/compressible/case.hpp"

#include <cmath>
#include <numbers>

#include "base/table_option.hpp"
#include "mesh/generate/generators.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "mesh/unstructured/make_mesh.hpp"
#include "miniapps/compressible/convergence/coarse_start.hpp"
#include "miniapps/compressible/exact/riemann.hpp"
#include "miniapps/compressible/output.hpp"
#include "solvers/krylov/forcing_term.hpp"
#include "solvers/parallel/rank_map.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr Option sutherland_keys[] = {{"constant", Option::number, "110.4", "of Sutherland's law", "(0, inf)", "K"},
                                      {"temperature", Option::number, "288.15", "of the free stream", "(0, inf)", "K"}};

constexpr Option flow_keys[] = {
    {"mach", Option::number, Option::required, "of the free stream", "(0, inf)"},
    {"angle_of_attack", Option::number, "0", "of the free stream against x", "", "degrees"},
    {"reynolds", Option::number, "0", "by reference_length and the free stream; 0: inviscid", "[0, inf)"},
    {"reference_length", Option::number, "1", "of reynolds, of force coefficients and of the limiters' K", "(0, inf)",
     "length"},
    {"gamma", Option::number, "1.4", "ratio of specific heats", "(1, inf)"},
    {"prandtl", Option::number, "0.72", "Prandtl number", "(0, inf)"},
    {"sutherland", Option::table, "", "Sutherland's law of viscosity; or the word \"constant_viscosity\"", "", "", "",
     [] { return Options(sutherland_keys); }},
    {"turbulence", Option::text, "none",
     "spalart_allmaras: the negative variant, fully turbulent; needs reynolds and a no-slip wall",
     "none | spalart_allmaras"},
    {"turbulent_prandtl", Option::number, "0.9", "Prandtl number of the eddies", "(0, inf)"},
    {"turbulent_freestream", Option::number, "3", "spalart_allmaras's variable in the free stream", "[0, inf)",
     "free stream's viscosity"},
    {"start_from", Option::text, "",
     "a run directory, or a checkpoint: the last state of that run is the first one here, and a steady run begins with "
     "its "
     "own order. Another mesh must be of the same generator, with rows of cells: interpolated"},
    {"initial", Option::text, "freestream",
     "or { type = ... }; all but freestream are exact solutions, which errors are measured against",
     "freestream | isentropic_vortex | sod | ringleb | oblique_shock | riemann"}};
constexpr Option side_keys[] = {
    {"density", Option::number, Option::required, "", "(0, inf)", "free stream's"},
    {"velocity", Option::numbers, "[0, 0]", "[u, v]", "", "free stream's speed"},
    {"pressure", Option::number, Option::required, "1/(gamma mach^2) in the free stream", "(0, inf)"}};
constexpr Option initial_keys[] = {
    {"type", Option::text, "freestream", "as `initial`",
     "freestream | isentropic_vortex | sod | ringleb | oblique_shock | riemann"},
    {"centre", Option::numbers, "[0, 0]", "of the vortex, the corner, the diaphragm", "", "length"},
    {"strength", Option::number, "5", "of the vortex"},
    {"wedge_angle", Option::number, Option::required, "of the oblique shock", "", "degrees"},
    {"left", Option::table, "", "of riemann: the state left of centre", "", "", "", [] { return Options(side_keys); }},
    {"right", Option::table, "", "of riemann: the state right of it", "", "", "", [] { return Options(side_keys); }}};

constexpr Option numerics_keys[] = {
    {"flux", Option::text, "roe", "numerical flux between two cells", "roe | hllc | ausm_plus | van_leer | rusanov"},
    {"entropy_fix", Option::number, "0.1", "Harten's, of roe", "[0, inf)", "largest eigenvalue"},
    {"order", Option::integer, "2", "of accuracy in space", "[1, 2]"},
    {"turbulence_order", Option::integer, "1", "of the advection of spalart_allmaras's variable", "[1, 2]"},
    {"gradient", Option::text, "least_squares", "of the reconstruction", "least_squares | green_gauss"},
    {"limiter", Option::text, "none", "of the reconstruction; flows with shocks need one",
     "none | venkatakrishnan | barth_jespersen | michalak"},
    {"venkatakrishnan", Option::number, "5", "K of that limiter, with lengths over reference_length", "(0, inf)"},
    {"michalak", Option::number, "1",
     "K of that limiter: differences below (K h / reference_length)^1.5 are not limited", "(0, inf)"}};

constexpr Option pseudo_time_keys[] = {
    {"cfl_start", Option::number, "50", "first and smallest CFL number; large first steps diverge", "(0, inf)"},
    {"cfl_max", Option::number, "1e4", "largest CFL number; inviscid with first_order: 100 to 200", "(0, inf)"},
    {"exponent_down", Option::number, "1",
     "CFL number times (old residual / new residual)^exponent where the residual falls (the paper: 0.25)", "[0, inf)"},
    {"exponent_up", Option::number, "0.5", "the same where it rises (the paper: 0.3)", "[0, inf)"},
    {"growth", Option::number, "1", "factor of the CFL number at each step that was not under-relaxed", "(0, inf)"},
    {"relaxation", Option::number, "0.5", "largest relative change of density and pressure in a step", "(0, inf)"},
    {"least_relaxation", Option::number, "0.2", "smallest factor of an update", "(0, 1]"},
    {"tolerance", Option::number, "1e-6",
     "of the energy residual, relative to its largest of the first five steps; unsteady: of each time step",
     "(0, inf)"},
    {"first_order_tolerance", Option::number, "0.1",
     "the first-order scheme runs until its residual has fallen by this factor; 0: second order at once", "[0, inf)"},
    {"coarse_meshes", Option::integer, "0",
     "a steady flow begins on at most so many coarser meshes of its generator, each of half the refinement", "[0, 6]"},
    {"coarse_tolerance", Option::number, "1e-2", "the same as tolerance, on those meshes", "(0, 1)"},
    {"force_tolerance", Option::number, "0",
     "a steady run also ends where lift and drag have each stayed within this over force_window steps; 0: it does not",
     "[0, inf)"},
    {"force_window", Option::integer, "50", "steps of the scheme's own order that force_tolerance looks at",
     "[2, 100000]"},
    {"max_steps", Option::integer, "500", "a run that misses the tolerance ends with exit code 3", "[0, inf)"},
    {"max_rejections", Option::integer, "12", "of one step, before the run stops", "[0, inf)"},
    {"rejected_cut", Option::number, "0.1", "factor of the CFL number after a rejected step", "(0, 1)"},
    {"line_search", Option::boolean, "false",
     "halve an update until the residual with its pseudo-time derivative does not grow, instead of largest_growth; the "
     "scheme of "
     "second order begins at cfl_start again: with matrix_free for turbulent flow"},
    {"largest_growth", Option::number, "10", "a step that multiplies the residual by more is rejected", "(0, inf)"},
    {"jacobian", Option::text, "first_order",
     "first_order: backward Euler with that scheme's Jacobian; matrix_free: Newton's method, preconditioned by it",
     "matrix_free | first_order"},
    {"products", Option::text, "differences",
     "of matrix_free: differences of the residual, or its derivative by dual numbers: exact, for tolerances below 1e-6 "
     "and "
     "for strong shocks",
     "differences | dual_numbers"}};

constexpr Option matrix_keys[] = {{"matrix_storage", Option::text, "double",
                                   "precision of the stored Jacobian; float is for tolerances of 1e-5 and more",
                                   "double | float", "", "matrix, single=float"}};

constexpr Option time_keys[] = {{"end", Option::number, "depends: required with dt",
                                 "of an unsteady run (BDF2); without end and dt it is steady", "(0, inf)", "time"},
                                {"dt", Option::number, "depends: required with end", "time step", "(0, inf)", "time"}};

void read_gas(const Table& t, GasModel& gas) {
  gas.gamma = t.get<double>("gamma");
  gas.prandtl = t.get<double>("prandtl");
  gas.mach = t.get<double>("mach");
  constexpr double largest = 1e100;  // its square and the free stream's pressure, 1 / (gamma mach^2), are numbers
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
    initial.fail("type",
                 "a Riemann problem needs left and right = { density = ..., velocity = [u, v], pressure = ... }");
  const Table t = initial.table(key);
  double velocity[2];
  read_pair(t, "velocity", velocity);
  s = {t.get<double>("density"), velocity[0], velocity[1], t.get<double>("pressure")};
}

void read_initial(const Table& flow, CompressibleCase& c) {
  ExactFlow& f = c.initial;
  const bool is_table = flow.is_table("initial");
  const Table t = is_table ? flow.table("initial").described_by(initial_keys) : flow;
  f.kind = get_enum<FlowKind>(t, is_table ? "type" : "initial");
  f.gamma = c.gas.gamma;
  f.mach = c.gas.mach;
  f.direction[0] = c.direction[0];
  f.direction[1] = c.direction[1];
  if (is_table && f.kind != FlowKind::freestream) read_pair(t, "centre", f.centre);
  if (is_table && f.kind == FlowKind::isentropic_vortex) f.strength = t.get<double>("strength");
  if (f.kind == FlowKind::oblique_shock) {
    if (!is_table) flow.fail("initial", "an oblique shock needs { type = \"oblique_shock\", wedge_angle = DEGREES }");
    f.wedge_angle = t.get<double>("wedge_angle") * std::numbers::pi / 180;
  }
  if (f.kind == FlowKind::riemann) {
    if (!is_table) flow.fail("initial", "a Riemann problem needs { type = \"riemann\", left = {...}, right = {...} }");
    read_side(t, "left", f.left);
    read_side(t, "right", f.right);
    if (makes_vacuum(f.left, f.right, f.gamma))
      t.fail("right", "the two sides part so fast that a vacuum opens between them");
  }
  f.prepare();
  if (f.kind == FlowKind::oblique_shock && f.shock_angle <= 0)
    t.fail("wedge_angle", "at this Mach number the shock of such a wedge is detached");
  c.has_exact = f.kind != FlowKind::freestream;
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
}

void read_turbulence(const Table& options, TurbulenceModel& m, const GasModel& gas) {
  const Table t = options.described_by(flow_keys);
  m.is_on = t.get<std::string>("turbulence") != "none";
  if (m.is_on && gas.reynolds == 0) t.fail("turbulence", "a turbulent flow needs [flow] reynolds");
  m.prandtl = t.get<double>("turbulent_prandtl");
  m.outside = t.get<double>("turbulent_freestream");
  m.unit = 1000;  // layers and wakes reach that: its residual is then about as large as the flow's, in one norm with it
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
  if (o.cfl_max < o.cfl_start) t.fail("cfl_max", "cfl_max must not be below cfl_start");
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

// Products with floats are off by 1e-7 of what they are made of.
void read_matrix(const Table& given, PseudoTimeOptions& o) {
  const Table linear = given.described_by(matrix_keys).described_by(linear_solver_options());
  o.float_jacobian = linear.get<std::string>("matrix_storage") == "float";
  if (o.float_jacobian && !o.matrix_free && linear.has("tolerance") && !ForcingRule::is_given(linear) &&
      linear.get<double>("tolerance", 1) < 1e-5)
    linear.fail("matrix_storage", "a matrix of floats is for tolerances of 1e-5 and more");
}

void read_time(const Table& options, UnsteadyOptions& time) {
  const Table t = options.described_by(time_keys);
  if (!t.has("end") && !t.has("dt")) return;
  time.end = t.get<double>("end");
  time.dt = t.get<double>("dt");
  if (!(time.end / time.dt < 1e15)) t.fail("dt", "more time steps than can be counted: 'end' over 'dt'");
}

}  // namespace

std::vector<KeyTable> compressible_keys() {
  std::vector<KeyTable> keys = probe_keys_of_case();
  keys.insert(keys.begin(), {{"mesh", "", mesh_options()},
                             {"mesh.generator", "box", generator_options("box")},
                             {"mesh.generator", "cylinder", generator_options("cylinder")},
                             {"mesh.generator", "naca0012, naca", generator_options("naca")},
                             {"mesh.generator", "bump", generator_options("bump")},
                             {"mesh.generator", "wedge", generator_options("wedge")},
                             {"mesh.generator", "c_grid", generator_options("c_grid")},
                             {"ordering", "", ordering_options()},
                             {"flow", "", flow_keys},
                             {"flow.initial", "as a table", initial_keys},
                             {"numerics", "", numerics_keys},
                             {"time", "", time_keys},
                             {"pseudo_time", "", pseudo_time_keys},
                             {"linear.SYSTEM", "flow", matrix_keys},
                             {"output", "", CompressibleOutput::field_options()},
                             {"surface", "", CompressibleOutput::surface_options()},
                             {"ranks", "", rank_options()},
                             {"boundary.MARKER", "", boundary_options("")},
                             {"boundary.MARKER", "farfield, supersonic_inflow", boundary_options("farfield")},
                             {"boundary.MARKER", "pressure_outlet", boundary_options("pressure_outlet")},
                             {"boundary.MARKER", "isothermal_wall", boundary_options("isothermal_wall")}});
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
  if (c.pseudo_time.coarse_meshes > 0) require_coarser_meshes(config, c.is_unsteady());
  return c;
}

}  // namespace weir
