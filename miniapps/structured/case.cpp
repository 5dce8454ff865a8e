#include "miniapps/structured/case.hpp"

#include <map>

#include "mesh/structured/read_grid.hpp"

namespace weir {

const std::array<const char*, 6> side_names = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

namespace {

void read_vector(const Table& t, const char* key, int dim, double (&v)[3]) {
  const auto list = t.get<std::vector<double>>(key, std::vector<double>(3, 0.0));
  if (list.size() != 3 && list.size() != static_cast<std::size_t>(dim))
    t.fail(key, std::string(key) + " must have " + std::to_string(dim) + " numbers");
  for (std::size_t c = 0; c < list.size(); ++c) {
    if (!std::isfinite(list[c])) t.fail(key, std::string(key) + " must be finite");
    v[c] = list[c];
  }
}

Modulation read_modulation(const Table& t) {
  Modulation m;
  m.mean = t.get<double>("mean", m.mean);
  m.amplitude = t.get<double>("amplitude", m.amplitude);
  m.angular_frequency = t.get<double>("angular_frequency", m.angular_frequency);
  m.phase = t.get<double>("phase", m.phase);
  return m;
}

Side read_side(const Table& t, int dim, int d) {
  Side s;
  const std::string type = t.choice("type", {"wall", "slip", "inlet", "outlet", "periodic"}, "wall");
  static const std::map<std::string, Side::Type> types = {{"wall", Side::Type::wall},
                                                          {"slip", Side::Type::slip},
                                                          {"inlet", Side::Type::inlet},
                                                          {"outlet", Side::Type::outlet},
                                                          {"periodic", Side::Type::periodic}};
  s.type = types.at(type);
  const bool takes_velocity = s.type == Side::Type::wall || s.type == Side::Type::inlet;
  for (const char* key : {"velocity", "profile", "modulation"})
    if (!takes_velocity && t.has(key)) t.fail(key, std::string(key) + " means nothing on a side of type " + type);
  if (!takes_velocity) return s;
  if (s.type == Side::Type::inlet && !t.has("velocity")) t.fail("velocity", "an inlet needs a velocity");
  read_vector(t, "velocity", dim, s.velocity);
  if (s.type == Side::Type::inlet && t.choice("profile", {"constant", "parabolic"}, "constant") == "parabolic")
    s.profile = Side::Profile::parabolic;
  if (t.has("modulation")) s.modulation = read_modulation(t.table("modulation"));
  if (s.type == Side::Type::wall && s.velocity[d] != 0)
    t.fail("velocity", "a wall moves in its own plane; a velocity normal to it is an inlet's");
  return s;
}

void read_boundary(const Table& t, IncompressibleCase& c) {
  const int dim = c.dim();
  for (int n = 0; n < 6; ++n) {
    const char* name = side_names[static_cast<std::size_t>(n)];
    Side& s = c.sides[static_cast<std::size_t>(n)];
    if (n >= 2 * dim) {
      if (t.has(name)) t.fail(name, "a grid of one cell in z is 2D and has no side " + std::string(name));
      s.type = Side::Type::periodic;
      continue;
    }
    if (!t.has(name)) t.fail(name, "missing boundary: [boundary] must say what " + std::string(name) + " is");
    const Table entry = t.table(name);
    if (!entry.has("type")) entry.fail("type", std::string(name) + " needs a type");
    s = read_side(entry, dim, n / 2);
  }
  for (int d = 0; d < dim; ++d) {
    const bool low = c.side(d, 0).type == Side::Type::periodic, high = c.side(d, 1).type == Side::Type::periodic;
    const char* culprit = side_names[static_cast<std::size_t>(2 * d + (low ? 0 : 1))];
    if (low != high) t.fail(culprit, std::string(culprit) + " is periodic and the opposite side is not");
  }
}

// What flows in must flow out: without an outlet the fluxes given must cancel. The profile's mean: 2/3 a direction.
void check_fluxes(const Table& t, const IncompressibleCase& c) {
  double net = 0, gross = 0;
  int last = -1;
  bool has_outlet = false;
  for (int n = 0; n < 2 * c.dim(); ++n) {
    const Side& s = c.sides[static_cast<std::size_t>(n)];
    const int d = n / 2;
    has_outlet = has_outlet || s.type == Side::Type::outlet;
    if (s.type != Side::Type::inlet) continue;
    double flux = s.velocity[d] * (n % 2 == 0 ? 1 : -1) * (s.modulation.is_constant() ? s.modulation.mean : 1);
    for (int a = 0; a < c.dim(); ++a) {
      if (a == d) continue;
      flux *= c.grid.line[static_cast<std::size_t>(a)].length();
      if (s.profile == Side::Profile::parabolic && !c.is_periodic(a)) flux *= 2.0 / 3.0;
    }
    net += flux;
    gross += std::abs(flux);
    last = n;
    if (!s.modulation.is_constant() && flux != 0) net = 1e300;
  }
  if (!has_outlet && gross > 0 && std::abs(net) > 1e-10 * gross)
    t.fail(side_names[static_cast<std::size_t>(last)], "fluid flows in and has no way out: one side must be an outlet");
}

void read_flow(const Table& t, IncompressibleCase& c) {
  if (t.choice("scheme", {"fractional_step", "artificial_compressibility"}, "fractional_step") != "fractional_step")
    c.scheme = Scheme::artificial_compressibility;
  c.density = t.get<double>("density", 1.0);
  if (!(c.density > 0)) t.fail("density", "the density must be positive");
  c.viscosity = t.get<double>("viscosity") / c.density;
  if (!(c.viscosity >= 0) || !std::isfinite(c.viscosity)) t.fail("viscosity", "the viscosity must not be negative");
  if (t.is_table("body_force")) {
    const Table f = t.table("body_force");
    read_vector(f, "direction", c.dim(), c.body_force);
    c.force_modulation = read_modulation(f);
  } else {
    read_vector(t, "body_force", c.dim(), c.body_force);
  }
  static const std::map<std::string, Initial> kinds = {{"rest", Initial::rest},
                                                       {"uniform", Initial::uniform},
                                                       {"taylor_green_2d", Initial::taylor_green_2d},
                                                       {"taylor_green_3d", Initial::taylor_green_3d},
                                                       {"poiseuille", Initial::poiseuille},
                                                       {"womersley", Initial::womersley},
                                                       {"turbulent_channel", Initial::turbulent_channel}};
  const std::string initial = t.choice(
      "initial",
      {"rest", "uniform", "taylor_green_2d", "taylor_green_3d", "poiseuille", "womersley", "turbulent_channel"},
      "rest");
  c.initial = kinds.at(initial);
  const bool is_exact = initial == "taylor_green_2d" || initial == "poiseuille" || initial == "womersley";
  const std::string exact =
      t.choice("exact", {"none", "taylor_green_2d", "poiseuille", "womersley"}, is_exact ? initial : "none");
  c.exact = exact == "none" ? Initial::rest : kinds.at(exact);
  if (t.has("initial_velocity") && c.initial != Initial::uniform && c.initial != Initial::taylor_green_2d)
    t.fail("initial_velocity", "initial_velocity means nothing with initial = \"" + initial + "\"");
  read_vector(t, "initial_velocity", c.dim(), c.initial_velocity);
  const auto either = [&](Initial kind) { return c.initial == kind || c.exact == kind; };
  if ((either(Initial::poiseuille) || either(Initial::womersley)) && !(c.viscosity > 0))
    t.fail("viscosity", "this flow needs a positive viscosity");
  if (either(Initial::womersley) && !(c.force_modulation.amplitude != 0 && c.force_modulation.angular_frequency > 0))
    t.fail("body_force", "Womersley's flow needs an oscillating body force");
  if (c.initial == Initial::turbulent_channel) {
    if (!(c.viscosity > 0) || c.body_force[0] == 0)
      t.fail("initial", "a turbulent channel needs a viscosity and a body force along x");
    c.initial_perturbation = t.get<double>("initial_perturbation", 0.0);
    if (!std::isfinite(c.initial_perturbation)) t.fail("initial_perturbation", "the perturbation must be finite");
  }
  if (c.initial == Initial::taylor_green_3d && c.dim() == 2)
    t.fail("initial", "initial = \"taylor_green_3d\" needs a 3D grid");
}

// The model knows walls, slip and periodic sides, and starts from the channel's first guess.
void read_turbulence(const Table& t, IncompressibleCase& c) {
  if (t.choice("turbulence", {"none", "k_omega"}, "none") == "none") return;
  c.turbulence = Turbulence::k_omega;
  if (c.scheme != Scheme::artificial_compressibility)
    t.fail("turbulence", "turbulence = \"k_omega\" needs scheme = \"artificial_compressibility\"");
  if (c.initial != Initial::turbulent_channel)
    t.fail("turbulence", "turbulence = \"k_omega\" needs initial = \"turbulent_channel\"");
  for (int n = 0; n < 2 * c.dim(); ++n) {
    const Side::Type type = c.sides[static_cast<std::size_t>(n)].type;
    if (type == Side::Type::inlet || type == Side::Type::outlet)
      t.fail("turbulence", std::string("turbulence = \"k_omega\" does not know what flows in or out at ") +
                               side_names[static_cast<std::size_t>(n)]);
  }
}

void read_time(const Table& t, Scheme scheme, TimeControl& time) {
  if (scheme == Scheme::artificial_compressibility) time.steady = t.get<bool>("steady", false);
  if (time.steady) {
    for (const char* key : {"end", "dt", "cfl", "steady_tolerance", "steady_every"})
      if (t.has(key))
        t.fail(key, std::string(key) + " means nothing where steady = true: [pseudo_time] says when it ends");
    return;
  }
  time.end = t.get<double>("end");
  if (!(time.end > 0) || !std::isfinite(time.end)) t.fail("end", "the end time must be positive");
  if (t.has("dt") && t.has("cfl")) t.fail("cfl", "dt and cfl contradict each other: give one");
  if (!t.has("dt") && !t.has("cfl")) t.fail("dt", "[time] needs dt or cfl");
  if (t.has("dt")) {
    time.dt = t.get<double>("dt");
    if (!(time.dt > 0) || !std::isfinite(time.dt)) t.fail("dt", "the time step must be positive");
  } else {
    time.cfl = t.get<double>("cfl");
    const bool is_explicit = scheme == Scheme::fractional_step;
    if (!(time.cfl > 0) || !std::isfinite(time.cfl)) t.fail("cfl", "the CFL number must be positive");
    if (is_explicit && time.cfl > 1) t.fail("cfl", "the CFL number of explicit advection lies between 0 and 1");
  }
  time.steady_tolerance = t.get<double>("steady_tolerance", 0.0);
  if (!(time.steady_tolerance >= 0)) t.fail("steady_tolerance", "the tolerance must not be negative (0: off)");
  time.steady_every = t.get<int>("steady_every", time.steady_every);
  if (time.steady_every < 1) t.fail("steady_every", "at least one step lies between two looks");
}

}  // namespace

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
  read_turbulence(config.table("flow"), c);
  read_time(config.table("time"), c.scheme, c.time);
  if (c.scheme == Scheme::artificial_compressibility)
    c.coupled = read_coupled_options(config, c.time.steady, reference_speed(c));
  return c;
}

}  // namespace weir
