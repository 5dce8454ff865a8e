#include "miniapps/structured/case.hpp"

#include "base/table_option.hpp"
#include "mesh/structured/read_grid.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/structured/plan.hpp"
#include "miniapps/structured/ranks.hpp"
#include "miniapps/structured/sides/read_sides.hpp"
#include "miniapps/structured/time/growth.hpp"
#include "solvers/parallel/rank_map.hpp"

namespace weir {

namespace {

constexpr Option force_keys[] = {
    {"direction", Option::numbers, "[0, 0, 0]",
     "body force per unit mass, multiplied by mean + amplitude cos(angular_frequency t + phase)", "(-inf, inf)",
     "length/time^2"}};

constexpr Option flow_keys[] = {
    {"scheme", Option::text, "fractional_step",
     "time integration scheme; fractional_step: separate systems for momentum and pressure; "
     "artificial_compressibility: one system for all unknowns, [linear.flow] (incompressible only)",
     "fractional_step | artificial_compressibility"},
    {"viscosity", Option::number, Option::required, "dynamic viscosity: kinematic viscosity times density", "[0, inf)",
     "density * length^2/time"},
    {"density", Option::number, "1", "constant density of the fluid", "(0, inf)", "density"},
    {"body_force", Option::numbers, "[0, 0, 0]",
     "body force per unit mass: a vector of numbers or formulas of x, y, z, t, or a table { direction = [..], mean, "
     "amplitude, angular_frequency, phase } for a force that oscillates in time",
     "numbers or formulas", "length/time^2"},
    {"initial", Option::text, "rest",
     "initial velocity field; rest: zero velocity; uniform: initial_velocity; taylor_green_2d: Taylor-Green vortices "
     "moving with initial_velocity; turbulent_channel: Reichardt's profile between walls in y; formula: formulas of x, "
     "y, z in initial_velocity, or exact_velocity at t = 0 if these are not given",
     "rest | uniform | taylor_green_2d | taylor_green_3d | poiseuille | womersley | turbulent_channel | formula"},
    {"initial_velocity", Option::numbers, "[0, 0, 0]",
     "initial velocity, as numbers for initial = \"uniform\" and \"taylor_green_2d\", as formulas of x, y, z for "
     "\"formula\"",
     "numbers or formulas", "velocity"},
    {"initial_perturbation", Option::number, "0", "amplitude of the waves added to initial = \"turbulent_channel\"",
     "(-inf, inf)", "u_tau"},
    {"exact", Option::text, "depends on initial: the same if it is an exact solution",
     "exact solution for the quantities error_velocity_l2, error_velocity_max and error_pressure_l2",
     "none | taylor_green_2d | poiseuille | womersley | formula"},
    {"exact_velocity", Option::numbers, "[0, 0, 0]",
     "exact velocity for exact = \"formula\", as formulas of x, y, z, t", "numbers or formulas", "velocity"},
    {"exact_pressure", Option::number, "depends: error_pressure_l2 is not measured",
     "exact pressure for exact = \"formula\", as a formula of x, y, z, t", "number or formula", "pressure"},
    {"turbulence", Option::text, "none",
     "turbulence model; k_omega (Wilcox 1988) requires artificial_compressibility, initial = \"turbulent_channel\" and "
     "no inlet or outlet",
     "none | k_omega"}};

constexpr Option time_keys[] = {
    {"end", Option::number, Option::required, "end time of the run", "(0, inf)", "time"},
    {"dt", Option::number, "depends on time.cfl: exactly one of dt and cfl is given", "fixed time step", "(0, inf)",
     "time"},
    {"cfl", Option::number, "depends on time.dt: exactly one of dt and cfl is given",
     "CFL number from which the time step is computed; at most 1 with fractional_step", "(0, inf)"},
    {"steady_tolerance", Option::number, "0",
     "tolerance of the steady-state criterion: the run ends when max |du/dt|, and U max |ds/dt| / S for each scalar s, "
     "are below it (U: largest speed, S: largest deviation of s from its mean); 0: off",
     "[0, inf)", "velocity/time"},
    {"steady_relative", Option::boolean, "false",
     "switch for a steady-state criterion that is relative and includes the pressure: steady_tolerance (unit 1/time) "
     "then limits max |du/dt| / U, max |ds/dt| / S and max |dp/dt| / max(P, density U^2), where S and P are the "
     "largest "
     "deviations from the mean and U is at least viscosity / length of the box (fractional_step, immersed)"},
    {"steady_every", Option::integer, "10", "number of steps between two evaluations of the steady-state criterion",
     "[1, inf)", "steps"}};
constexpr Option coupled_time_keys[] = {{"steady", Option::boolean, "false",
                                         "switch for a steady flow without physical time, which ends by the criteria "
                                         "of [pseudo_time] (artificial_compressibility)"}};

void read_vector(const Table& t, const char* key, int dim, double (&v)[3]) {
  const auto list = t.get<std::vector<double>>(key);
  if (list.size() != 3 && list.size() != static_cast<std::size_t>(dim))
    t.fail(key, std::string(key) + " must have " + std::to_string(dim) + " numbers");
  std::copy(list.begin(), list.end(), v);
}

std::string_view place_of_dim(int dim) { return dim == 2 ? "xy" : "xyz"; }
std::string_view place_and_time_of_dim(int dim) { return dim == 2 ? "xyt" : "xyzt"; }

void read_body_force(const Table& t, IncompressibleCase& c) {
  if (t.is_table("body_force")) {
    const Table f = t.table("body_force").described_by(force_keys).described_by(modulation_options());
    read_vector(f, "direction", c.dim(), c.body_force);
    c.force_modulation = read_modulation(f);
    return;
  }
  c.force_has_formula =
      read_vector(t, "body_force", c.dim(), c.body_force, c.force_formula, place_and_time_of_dim(c.dim()));
  if (c.force_has_formula) c.take_largest_force();
}

void read_initial_velocity(const Table& t, const std::string& initial, IncompressibleCase& c) {
  if (c.initial == Initial::formula) {
    if (!t.has("initial_velocity") && c.exact != Initial::exact_formula)
      t.fail("initial", "initial = \"formula\" needs initial_velocity");
    c.initial_formula = c.exact_velocity;  // at t = 0
    if (t.has("initial_velocity") &&
        !read_vector(t, "initial_velocity", c.dim(), c.initial_velocity, c.initial_formula, place_of_dim(c.dim())))
      for (std::size_t d = 0; d < 3; ++d) c.initial_formula[d] = Formula(c.initial_velocity[d]);
    return;
  }
  if (c.initial == Initial::uniform || c.initial == Initial::taylor_green_2d) {
    if (has_formula(t, "initial_velocity")) t.fail("initial_velocity", "formulas need initial = \"formula\"");
    read_vector(t, "initial_velocity", c.dim(), c.initial_velocity);
  } else if (t.has("initial_velocity")) {
    t.fail("initial_velocity", "initial_velocity has no effect with initial = \"" + initial + "\"");
  }
  if (c.initial == Initial::uniform && !t.has("initial_velocity"))
    t.fail("initial", "initial = \"uniform\" needs initial_velocity");
}

void read_exact(const Table& t, const std::string& initial, IncompressibleCase& c) {
  const bool is_exact = initial == "taylor_green_2d" || initial == "poiseuille" || initial == "womersley";
  const std::string exact = t.get("exact", is_exact ? initial : "none");
  if (exact == "formula") {
    c.exact = Initial::exact_formula;
    if (!t.has("exact_velocity")) t.fail("exact", "exact = \"formula\" needs exact_velocity");
    double numbers[3] = {};
    if (!read_vector(t, "exact_velocity", c.dim(), numbers, c.exact_velocity, place_and_time_of_dim(c.dim())))
      for (std::size_t d = 0; d < 3; ++d) c.exact_velocity[d] = Formula(numbers[d]);
    const auto pressure = read_formulas(t, "exact_pressure", place_and_time_of_dim(c.dim()));
    if (pressure.size() > 1) t.fail("exact_pressure", "'exact_pressure' must be one number or formula");
    c.exact_has_pressure = !pressure.empty();
    if (c.exact_has_pressure) c.exact_pressure = pressure.front();
    return;
  }
  for (const char* key : {"exact_velocity", "exact_pressure"})
    if (t.has(key)) t.fail(key, std::string(key) + " needs exact = \"formula\"");
  if (exact != "none") c.exact = static_cast<Initial>(place_of_word(t, "initial", exact));
}

void read_flow(const Table& options, IncompressibleCase& c) {
  const Table t = options.described_by(flow_keys);
  c.scheme = get_enum<Scheme>(t, "scheme");
  c.density = t.get<double>("density");
  c.viscosity = t.get<double>("viscosity") / c.density;
  read_body_force(t, c);
  const auto initial = t.get<std::string>("initial");
  c.initial = get_enum<Initial>(t, "initial");
  read_exact(t, initial, c);
  read_initial_velocity(t, initial, c);
  const auto either = [&](Initial kind) { return c.initial == kind || c.exact == kind; };
  if ((either(Initial::poiseuille) || either(Initial::womersley)) && !(c.viscosity > 0))
    t.fail("viscosity", "this flow needs a positive viscosity");
  if (c.force_has_formula &&
      (either(Initial::poiseuille) || either(Initial::womersley) || either(Initial::turbulent_channel)))
    t.fail("body_force", "this flow requires a body force given as numbers");
  if (either(Initial::womersley) && !(c.force_modulation.amplitude != 0 && c.force_modulation.angular_frequency > 0))
    t.fail("body_force",
           "initial or exact \"womersley\" requires an oscillating body_force = { direction, amplitude, "
           "angular_frequency }");
  if (c.initial == Initial::turbulent_channel) {
    if (!(c.viscosity > 0) || c.body_force[0] == 0)
      t.fail("initial", "a turbulent channel requires a positive viscosity and a body force along x");
    c.initial_perturbation = t.get<double>("initial_perturbation");
  }
  if (c.initial == Initial::taylor_green_3d && c.dim() == 2)
    t.fail("initial", "initial = \"taylor_green_3d\" needs a 3D grid");
}

SidePatch::Type type_of(const IncompressibleCase& c, int side) { return c.side(side / 2, side % 2).type; }

// These are flows between walls, driven by a body force and uniform along the walls.
void check_exact(const Table& t, const IncompressibleCase& c) {
  if (c.exact != Initial::poiseuille && c.exact != Initial::womersley) return;
  for (int n = 0; n < 2 * c.dim(); ++n)
    if (type_of(c, n) == SidePatch::Type::inlet || type_of(c, n) == SidePatch::Type::outlet)
      t.fail(t.has("exact") ? "exact" : "initial",
             std::string("this flow is not an exact solution, because of the inlet or outlet at ") + side_names[n] +
                 "; set exact = \"none\"");
}

// The model supports walls, slip and periodic sides, and the initial flow of a turbulent channel.
void read_turbulence(const Table& t, IncompressibleCase& c) {
  if (t.described_by(flow_keys).get<std::string>("turbulence") == "none") return;
  c.turbulence = Turbulence::k_omega;
  if (c.scheme != Scheme::artificial_compressibility)
    t.fail("turbulence", "turbulence = \"k_omega\" needs scheme = \"artificial_compressibility\"");
  if (c.initial != Initial::turbulent_channel)
    t.fail("turbulence", "turbulence = \"k_omega\" needs initial = \"turbulent_channel\"");
  for (int n = 0; n < 2 * c.dim(); ++n) {
    const SidePatch::Type type = type_of(c, n);
    if (type == SidePatch::Type::inlet || type == SidePatch::Type::outlet)
      t.fail("turbulence",
             std::string("turbulence = \"k_omega\" does not support the inlet or outlet at ") + side_names[n]);
  }
}

// Artificial compressibility supports one condition per side, given by numbers.
void refuse_for_coupled(const Table& config, const IncompressibleCase& c) {
  if (c.scheme != Scheme::artificial_compressibility) return;
  const std::string needs = " are not supported by scheme = \"artificial_compressibility\"";
  for (const ScalarCase& s : c.scalars)
    config.fail(s.is_temperature() ? "temperature" : "scalar",
                (s.is_temperature() ? "[temperature]" : "[scalar." + s.name + "]") +
                    std::string(" needs scheme = \"fractional_step\""));
  if (c.force_has_formula) config.table("flow").fail("body_force", "formulas of the body force" + needs);
  const Table boundary = config.table("boundary");
  for (std::size_t n = 0; n < c.patches.size(); ++n) {
    const char* side = side_names[static_cast<std::size_t>(c.patches[n].side)];
    if (c.patches[n].has_formula) boundary.fail(side, "formulas of a side's velocity" + needs);
    if (n > 0 && c.patches[n].side == c.patches[n - 1].side) boundary.fail(side, "patches of a side" + needs);
  }
}

void read_time(const Table& options, Scheme scheme, TimeControl& time) {
  Table t = options.described_by(time_keys);
  if (scheme == Scheme::artificial_compressibility) {
    t = t.described_by(coupled_time_keys);
    time.steady = t.get<bool>("steady");
  }
  if (time.steady) {
    for (const char* key : {"end", "dt", "cfl", "steady_tolerance", "steady_relative", "steady_every"})
      if (t.has(key))
        t.fail(key, std::string(key) + " has no effect with steady = true: the criteria of [pseudo_time] end the run");
    return;
  }
  time.end = t.get<double>("end");
  if (t.has("dt") && t.has("cfl")) t.fail("cfl", "'dt' and 'cfl' are alternatives: give one of them");
  if (!t.has("dt") && !t.has("cfl")) t.fail("dt", "[time] needs dt or cfl");
  if (t.has("dt")) {
    time.dt = t.get<double>("dt");
  } else {
    time.cfl = t.get<double>("cfl");
    if (scheme == Scheme::fractional_step && time.cfl > 1)
      t.fail("cfl", "the CFL number must be at most 1, because advection is explicit");
  }
  time.steady_tolerance = t.get<double>("steady_tolerance");
  time.steady_every = t.get<int>("steady_every");
  time.steady_relative = t.get<bool>("steady_relative");
  if (time.steady_relative && scheme == Scheme::artificial_compressibility)
    t.fail("steady_relative",
           "steady_relative needs scheme = \"fractional_step\"; steady = true is the criterion of "
           "all equations of artificial compressibility");
}

}  // namespace

std::vector<KeyTable> structured_keys() {
  std::vector<KeyTable> keys = probe_keys_of_case();
  for (const KeyTable& table : history_reference_keys()) keys.push_back(table);
  keys.insert(keys.begin(), {{"grid", "", grid_options()},
                             {"flow", "", flow_keys},
                             {"flow.body_force", "as a table", force_keys},
                             {"flow.body_force", "as a table", modulation_options()},
                             {"time", "", time_keys},
                             {"output", "", FlowOutput::options()},
                             {"surface", "", side_surface_options()},
                             {"ranks", "", partition_options()},
                             {"ranks", "", rank_options()}});
  const std::vector<KeyTable> sides = side_keys();
  keys.insert(keys.begin() + 4, sides.begin(), sides.end());
  return keys;
}

std::vector<KeyTable> carried_keys() {
  return {{"temperature", "", temperature_options()}, {"scalar.NAME", "", scalar_options()}};
}

std::vector<KeyTable> incompressible_keys() {
  std::vector<KeyTable> keys = structured_keys(), coupled = coupled_keys();
  for (const KeyTable& table : carried_keys()) keys.push_back(table);
  keys.push_back({"output", "fractional_step", Growth::options()});
  keys.push_back({"output", "", history_options()});
  keys.push_back({"time", "artificial_compressibility", coupled_time_keys});
  keys.insert(keys.end(), coupled.begin(), coupled.end());
  return keys;
}

bool read_vector(const Table& t, const char* key, int dim, double (&v)[3], VectorFormula& f,
                 std::string_view variables) {
  if (!has_formula(t, key)) {
    read_vector(t, key, dim, v);
    return false;
  }
  const std::vector<Formula> list = read_formulas(t, key, variables);
  if (list.size() != 3 && list.size() != static_cast<std::size_t>(dim))
    t.fail(key, std::string(key) + " must have " + std::to_string(dim) + " numbers or formulas");
  std::copy(list.begin(), list.end(), f.begin());
  return true;
}

IncompressibleCase read_incompressible_case(const Table& config) {
  IncompressibleCase c;
  c.title = config.table("case").get("title", "");
  const Table grid = config.table("grid");
  c.grid = read_grid(grid);
  for (int d = 0; d < c.dim(); ++d)
    if (c.grid.cells(d) < 2)
      grid.fail("cells", "x and y need at least two cells each; z needs one cell (2D) or at least two (3D)");
  read_flow(config.table("flow"), c);
  read_time(config.table("time"), c.scheme, c.time);
  c.scalars = read_scalars(config, c.dim());
  read_sides(config.table("boundary"), c);
  check_exact(config.table("flow"), c);
  read_turbulence(config.table("flow"), c);
  refuse_for_coupled(config, c);
  c.take_initial_excess();
  if (c.scheme == Scheme::artificial_compressibility)
    c.coupled = read_coupled_options(config, c.time.steady, reference_speed(c));
  return c;
}

}  // namespace weir
