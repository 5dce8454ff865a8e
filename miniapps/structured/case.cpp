#include "miniapps/structured/case.hpp"

#include <algorithm>

#include "base/table_option.hpp"
#include "mesh/structured/read_grid.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/structured/ranks.hpp"
#include "solvers/parallel/rank_map.hpp"

namespace weir {

const std::array<const char*, 6> side_names = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

namespace {

constexpr Option modulation_keys[] = {
    {"mean", Option::number, "1", "of the factor mean + amplitude cos(angular_frequency t + phase)"},
    {"amplitude", Option::number, "0", "of the oscillation; 0: steady"},
    {"angular_frequency", Option::number, "0", "of the oscillation", "", "radians/time"},
    {"phase", Option::number, "0", "of the oscillation", "", "radians"}};

constexpr Option force_keys[] = {
    {"direction", Option::numbers, "[0, 0, 0]", "of the force, times the factor", "(-inf, inf)", "length/time^2"}};

constexpr Option flow_keys[] = {
    {"scheme", Option::text, "fractional_step",
     "artificial_compressibility: all unknowns of a cell are solved together ([linear.flow]; incompressible alone)",
     "fractional_step | artificial_compressibility"},
    {"viscosity", Option::number, Option::required, "dynamic: kinematic times density", "[0, inf)",
     "density length^2/time"},
    {"density", Option::number, "1", "constant", "(0, inf)", "density"},
    {"body_force", Option::numbers, "[0, 0, 0]",
     "acceleration; or { direction = [..], mean, amplitude, angular_frequency, phase }, as `modulation` of a boundary",
     "(-inf, inf)", "length/time^2"},
    {"initial", Option::text, "rest",
     "uniform: initial_velocity; taylor_green_2d: carried along by it; turbulent_channel: Reichardt's profile between "
     "walls in y",
     "rest | uniform | taylor_green_2d | taylor_green_3d | poiseuille | womersley | turbulent_channel"},
    {"initial_velocity", Option::numbers, "[0, 0, 0]", "of initial = \"uniform\" and \"taylor_green_2d\"",
     "(-inf, inf)", "velocity"},
    {"initial_perturbation", Option::number, "0", "of turbulent_channel: amplitude of the waves on top", "(-inf, inf)",
     "u_tau"},
    {"exact", Option::text, "depends on initial: the same where that is a solution",
     "what error_velocity_* and error_pressure_l2 are measured against",
     "none | taylor_green_2d | poiseuille | womersley"},
    {"turbulence", Option::text, "none",
     "k_omega (Wilcox 1988) needs artificial_compressibility, initial = \"turbulent_channel\" and no inlet or outlet",
     "none | k_omega"}};

constexpr Option side_keys[] = {{"type", Option::text, Option::required,
                                 "wall: no slip; slip: no normal velocity, no shear; inlet: velocity given; outlet: "
                                 "convective; periodic: both ends",
                                 "wall | slip | inlet | outlet | periodic"}};
constexpr Option moving_keys[] = {
    {"velocity", Option::numbers, "[0, 0, 0]", "inlet: required; wall: in its own plane", "(-inf, inf)", "velocity"},
    {"modulation", Option::table, "", "factor of the velocity, mean + amplitude cos(angular_frequency t + phase)", "",
     "", "", [] { return Options(modulation_keys); }}};
constexpr Option inlet_keys[] = {{"profile", Option::text, "constant",
                                  "parabolic: `velocity` in the middle of the side, 0 at its ends (mean 2/3; 3D 4/9)",
                                  "constant | parabolic"}};

constexpr Option time_keys[] = {
    {"end", Option::number, Option::required, "of the run", "(0, inf)", "time"},
    {"dt", Option::number, "depends on time.cfl: one of both is given", "fixed time step", "(0, inf)", "time"},
    {"cfl", Option::number, "depends on time.dt: one of both is given",
     "CFL number that sets dt; at most 1 with fractional_step", "(0, inf)"},
    {"steady_tolerance", Option::number, "0", "the run ends where max |du/dt| falls below; 0: off", "[0, inf)",
     "velocity/time"},
    {"steady_every", Option::integer, "10", "between two evaluations of it", "[1, inf)", "steps"}};
constexpr Option coupled_time_keys[] = {
    {"steady", Option::boolean, "false",
     "no physical time: [pseudo_time] says when it ends (artificial_compressibility)"}};

void read_vector(const Table& t, const char* key, int dim, double (&v)[3]) {
  const auto list = t.get<std::vector<double>>(key);
  if (list.size() != 3 && list.size() != static_cast<std::size_t>(dim))
    t.fail(key, std::string(key) + " must have " + std::to_string(dim) + " numbers");
  std::copy(list.begin(), list.end(), v);
}

Modulation read_modulation(const Table& t) {
  return {t.get<double>("mean"), t.get<double>("amplitude"), t.get<double>("angular_frequency"),
          t.get<double>("phase")};
}

Side read_side(const Table& options, int dim, int d) {
  Side s;
  const Table t = options.described_by(side_keys).described_by(moving_keys).described_by(inlet_keys);
  s.type = get_enum<Side::Type>(t, "type");
  const bool takes_velocity = s.type == Side::Type::wall || s.type == Side::Type::inlet;
  for (const char* key : {"velocity", "profile", "modulation"})
    if (!takes_velocity && t.has(key))
      t.fail(key, std::string(key) + " means nothing on a side of type " + t.get<std::string>("type"));
  if (!takes_velocity) return s;
  if (s.type == Side::Type::inlet) s.profile = get_enum<Side::Profile>(t, "profile");
  if (s.type == Side::Type::inlet && !t.has("velocity")) t.fail("velocity", "an inlet needs a velocity");
  read_vector(t, "velocity", dim, s.velocity);
  if (t.has("modulation")) s.modulation = read_modulation(t.table("modulation"));
  if (s.type == Side::Type::wall && s.velocity[d] != 0)
    t.fail("velocity", "a wall moves in its own plane; a velocity normal to it is an inlet's");
  return s;
}

void read_boundary(const Table& t, IncompressibleCase& c) {
  const int dim = c.dim();
  for (int n = 0; n < 6; ++n) {
    const char* name = side_names[n];
    Side& s = c.sides[n];
    if (n >= 2 * dim) {
      if (t.has(name)) t.fail(name, "a grid of one cell in z is 2D and has no side " + std::string(name));
      s.type = Side::Type::periodic;
      continue;
    }
    if (!t.has(name)) t.fail(name, "missing boundary: [boundary] must say what " + std::string(name) + " is");
    s = read_side(t.table(name), dim, n / 2);
  }
  for (int d = 0; d < dim; ++d) {
    const bool low = c.side(d, 0).type == Side::Type::periodic, high = c.side(d, 1).type == Side::Type::periodic;
    const char* culprit = side_names[2 * d + (low ? 0 : 1)];
    if (low != high) t.fail(culprit, std::string(culprit) + " is periodic and the opposite side is not");
  }
}

// What flows in must flow out: without an outlet the fluxes given must cancel. The profile's mean: 2/3 a direction.
void check_fluxes(const Table& t, const IncompressibleCase& c) {
  double net = 0, gross = 0, in = 0;
  int last = -1;
  bool has_outlet = false;
  for (int n = 0; n < 2 * c.dim(); ++n) {
    const Side& s = c.sides[n];
    const int d = n / 2;
    has_outlet = has_outlet || s.type == Side::Type::outlet;
    if (s.type != Side::Type::inlet) continue;
    double flux = s.velocity[d] * (n % 2 == 0 ? 1 : -1) * (s.modulation.is_constant() ? s.modulation.mean : 1);
    for (int a = 0; a < c.dim(); ++a) {
      if (a == d) continue;
      flux *= c.grid.line[a].length();
      if (s.profile == Side::Profile::parabolic && !c.is_periodic(a)) flux *= 2.0 / 3.0;
    }
    net += flux;
    in += s.modulation.is_constant() ? std::max(flux, 0.0) : std::abs(flux);
    gross += std::abs(flux);
    last = n;
    if (!s.modulation.is_constant() && flux != 0) net = 1e300;
  }
  if (gross > 0 && in == 0)
    t.table(side_names[last]).fail("velocity", "an inlet's velocity points into the domain; here nothing flows in");
  if (!has_outlet && gross > 0 && std::abs(net) > 1e-10 * gross)
    t.fail(side_names[last], "fluid flows in and has no way out: one side must be an outlet");
}

void read_flow(const Table& options, IncompressibleCase& c) {
  const Table t = options.described_by(flow_keys);
  c.scheme = get_enum<Scheme>(t, "scheme");
  c.density = t.get<double>("density");
  c.viscosity = t.get<double>("viscosity") / c.density;
  if (t.is_table("body_force")) {
    const Table f = t.table("body_force").described_by(force_keys).described_by(modulation_keys);
    read_vector(f, "direction", c.dim(), c.body_force);
    c.force_modulation = read_modulation(f);
  } else {
    read_vector(t, "body_force", c.dim(), c.body_force);
  }
  const auto initial = t.get<std::string>("initial");
  c.initial = get_enum<Initial>(t, "initial");
  const bool is_exact = initial == "taylor_green_2d" || initial == "poiseuille" || initial == "womersley";
  const std::string exact = t.get("exact", is_exact ? initial : "none");
  if (exact != "none") c.exact = static_cast<Initial>(place_of_word(t, "initial", exact));
  if (c.initial == Initial::uniform || c.initial == Initial::taylor_green_2d)
    read_vector(t, "initial_velocity", c.dim(), c.initial_velocity);
  else if (t.has("initial_velocity"))
    t.fail("initial_velocity", "initial_velocity means nothing with initial = \"" + initial + "\"");
  if (c.initial == Initial::uniform && !t.has("initial_velocity"))
    t.fail("initial", "initial = \"uniform\" needs initial_velocity");
  const auto either = [&](Initial kind) { return c.initial == kind || c.exact == kind; };
  if ((either(Initial::poiseuille) || either(Initial::womersley)) && !(c.viscosity > 0))
    t.fail("viscosity", "this flow needs a positive viscosity");
  if (either(Initial::womersley) && !(c.force_modulation.amplitude != 0 && c.force_modulation.angular_frequency > 0))
    t.fail("body_force", "Womersley's flow needs an oscillating body force");
  if (c.initial == Initial::turbulent_channel) {
    if (!(c.viscosity > 0) || c.body_force[0] == 0)
      t.fail("initial", "a turbulent channel needs a viscosity and a body force along x");
    c.initial_perturbation = t.get<double>("initial_perturbation");
  }
  if (c.initial == Initial::taylor_green_3d && c.dim() == 2)
    t.fail("initial", "initial = \"taylor_green_3d\" needs a 3D grid");
}

// Flows between walls that a body force drives, the same all along.
void check_exact(const Table& t, const IncompressibleCase& c) {
  if (c.exact != Initial::poiseuille && c.exact != Initial::womersley) return;
  for (int n = 0; n < 2 * c.dim(); ++n)
    if (c.sides[n].type == Side::Type::inlet || c.sides[n].type == Side::Type::outlet)
      t.fail(t.has("exact") ? "exact" : "initial",
             std::string("this flow is no exact solution beside the inlet or outlet at ") + side_names[n] +
                 "; exact = \"none\" measures no error");
}

// The model knows walls, slip and periodic sides, and starts from the channel's first guess.
void read_turbulence(const Table& t, IncompressibleCase& c) {
  if (t.described_by(flow_keys).get<std::string>("turbulence") == "none") return;
  c.turbulence = Turbulence::k_omega;
  if (c.scheme != Scheme::artificial_compressibility)
    t.fail("turbulence", "turbulence = \"k_omega\" needs scheme = \"artificial_compressibility\"");
  if (c.initial != Initial::turbulent_channel)
    t.fail("turbulence", "turbulence = \"k_omega\" needs initial = \"turbulent_channel\"");
  for (int n = 0; n < 2 * c.dim(); ++n) {
    const Side::Type type = c.sides[n].type;
    if (type == Side::Type::inlet || type == Side::Type::outlet)
      t.fail("turbulence",
             std::string("turbulence = \"k_omega\" does not know what flows in or out at ") + side_names[n]);
  }
}

void read_time(const Table& options, Scheme scheme, TimeControl& time) {
  Table t = options.described_by(time_keys);
  if (scheme == Scheme::artificial_compressibility) {
    t = t.described_by(coupled_time_keys);
    time.steady = t.get<bool>("steady");
  }
  if (time.steady) {
    for (const char* key : {"end", "dt", "cfl", "steady_tolerance", "steady_every"})
      if (t.has(key))
        t.fail(key, std::string(key) + " means nothing where steady = true: [pseudo_time] says when it ends");
    return;
  }
  time.end = t.get<double>("end");
  if (t.has("dt") && t.has("cfl")) t.fail("cfl", "dt and cfl contradict each other: give one");
  if (!t.has("dt") && !t.has("cfl")) t.fail("dt", "[time] needs dt or cfl");
  if (t.has("dt")) {
    time.dt = t.get<double>("dt");
  } else {
    time.cfl = t.get<double>("cfl");
    if (scheme == Scheme::fractional_step && time.cfl > 1)
      t.fail("cfl", "the CFL number of explicit advection lies between 0 and 1");
  }
  time.steady_tolerance = t.get<double>("steady_tolerance");
  time.steady_every = t.get<int>("steady_every");
}

}  // namespace

std::vector<KeyTable> structured_keys() {
  std::vector<KeyTable> keys = probe_keys_of_case();
  for (const KeyTable& table : history_reference_keys()) keys.push_back(table);
  keys.insert(keys.begin(), {{"grid", "", grid_options()},
                             {"flow", "", flow_keys},
                             {"flow.body_force", "as a table", force_keys},
                             {"flow.body_force", "as a table", modulation_keys},
                             {"boundary.SIDE", "", side_keys},
                             {"boundary.SIDE", "wall, inlet", moving_keys},
                             {"boundary.SIDE", "inlet", inlet_keys},
                             {"time", "", time_keys},
                             {"output", "", FlowOutput::options()},
                             {"ranks", "", partition_options()},
                             {"ranks", "", rank_options()}});
  return keys;
}

std::vector<KeyTable> incompressible_keys() {
  std::vector<KeyTable> keys = structured_keys(), coupled = coupled_keys();
  keys.push_back({"time", "artificial_compressibility", coupled_time_keys});
  keys.insert(keys.end(), coupled.begin(), coupled.end());
  return keys;
}

IncompressibleCase read_incompressible_case(const Table& config) {
  IncompressibleCase c;
  c.title = config.table("case").get("title", "");
  const Table grid = config.table("grid");
  c.grid = read_grid(grid);
  for (int d = 0; d < c.dim(); ++d)
    if (c.grid.cells(d) < 2) grid.fail("cells", "a direction with flow needs at least two cells");
  read_flow(config.table("flow"), c);
  const Table boundary = config.table("boundary");
  read_boundary(boundary, c);
  check_fluxes(boundary, c);
  check_exact(config.table("flow"), c);
  read_turbulence(config.table("flow"), c);
  read_time(config.table("time"), c.scheme, c.time);
  if (c.scheme == Scheme::artificial_compressibility)
    c.coupled = read_coupled_options(config, c.time.steady, reference_speed(c));
  return c;
}

}  // namespace weir
