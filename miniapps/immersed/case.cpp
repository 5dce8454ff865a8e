#include "miniapps/immersed/case.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "mesh/body/motion/read_motion.hpp"
#include "mesh/body/read_body.hpp"

namespace weir {
namespace {

constexpr std::size_t most_bodies = 100;

constexpr Option body_keys[] = {
    {"name", Option::text, "depends: body, or body1, body2, ...",
     "name of the body in quantities and files, if there are several bodies"},
    {"reference_velocity", Option::number, "1", "velocity U in drag = F / (0.5 density U^2 area) and in strouhal",
     "(0, inf)", "velocity"},
    {"reference_length", Option::number, "1", "length scale of strouhal and wake_length", "(0, inf)", "length"},
    {"reference_area", Option::number, "depends on reference_length: equal to it",
     "reference area of the drag and lift coefficients; in 2D a length, because forces are per unit depth", "(0, inf)",
     "length^2"},
    {"control_volume", Option::numbers, "depends on the grid: all cells but the outermost ones",
     "box [x0, y0(, z0), x1, y1(, z1)] for the forces by the momentum balance, rounded to the nearest grid faces; with "
     "several bodies it is set for the first one and applies to all",
     "", "length"}};

constexpr Option heat_keys[] = {
    {"temperature", Option::number, "depends: not prescribed, heat_flux applies",
     "temperature of the surface of the body", "(-inf, inf)", "temperature"},
    {"heat_flux", Option::number, "0",
     "heat flux from the surface of the body into the fluid, divided by density and heat capacity", "(-inf, inf)",
     "temperature * velocity"}};

constexpr Option output_keys[] = {
    {"average_from", Option::number, "0", "start time of the force statistics", "", "time"},
    {"forces_period", Option::number, "0",
     "period of the prescribed motion, for the quantity drag_noise; 0: drag_noise is not computed", "[0, inf)",
     "time"}};

constexpr Option numerics_keys[] = {
    {"order", Option::integer, "2",
     "order of accuracy of the advection; 4: fourth order where two neighbours on each side are fluid, and a cubic "
     "wall condition, for boundary layers with few cells on a fixed body (CFL number up to about 0.7)",
     "[2, 4]"}};

constexpr Option ranks_keys[] = {
    {"body_layers", Option::integer, "0",
     "number of cell layers around the part of a rank in which a rank classifies cells; 0: as many as needed",
     "[0, 1000]"}};

void refuse_what_has_no_meaning(const Table& config, const ImmersedCase& c) {
  const Table flow = config.table("flow");
  if (c.flow.scheme != Scheme::fractional_step)
    flow.fail("scheme", "the immersed miniapp supports scheme = \"fractional_step\" only");
  if (!(c.flow.viscosity > 0)) flow.fail("viscosity", "a flow around a body requires a positive viscosity");
  for (int d = 0; d < c.flow.dim(); ++d)
    if (c.flow.grid.cells(d) < 3)
      config.table("grid").fail("cells",
                                "a flow around a body needs at least three cells in each direction, or one in z (2D)");
  if (c.flow.has_exact()) flow.fail("exact", "exact solutions are not available with an immersed body");
  for (const ScalarCase& s : c.flow.scalars)
    if (s.has_exact)
      (s.is_temperature() ? config : config.table("scalar"))
          .table(s.name)
          .fail("exact", "exact solutions are not available with an immersed body");
  if (body_tables(config).empty())
    config.fail("body", "missing table [body]: the body in the flow (or [[body]] for each of several)");
}

std::vector<WallScalar> read_walls(const Table& given, std::vector<ScalarCase>& scalars) {
  const Table body = given.described_by(heat_keys).described_by(given_scalar_options());
  refuse_other_scalars(body, scalars);
  std::vector<WallScalar> walls;
  for (ScalarCase& s : scalars) {
    const ScalarKeys value = value_keys(body, s), flux = flux_keys(body, s);
    if (value.is_there() && flux.is_there())
      flux.fail("a body has either a " + value.name + " or a " + flux.name + ", not both");
    if (value.is_there()) {
      walls.push_back({true, value.in.get<double>(value.key)});
      s.excess_within = std::max(s.excess_within, std::abs(walls.back().value - s.reference));
    } else {
      s.flux_of_body = std::max(s.flux_of_body, std::abs(flux.in.get<double>(flux.key, 0.0)));
      walls.push_back({false, -flux.in.get<double>(flux.key, 0.0) / s.diffusivity});
    }
  }
  return walls;
}

// [body] control_volume = [x0, y0(, z0), x1, y1(, z1)], to the nearest faces; by default all but the outermost cells.
// To a slip side itself: nothing leaves through it but what pressure does, and a body may cross it.
CellBox read_control_volume(const Table& body, const IncompressibleCase& c) {
  const Grid& grid = c.grid;
  const int dim = c.dim();
  CellBox box;
  for (int d = 0; d < dim; ++d) {
    box.low[d] = 1;
    box.high[d] = grid.cells(d) - 1;
  }
  if (!body.has("control_volume")) return box;
  const auto list = body.get<std::vector<double>>("control_volume");
  if (list.size() != static_cast<std::size_t>(2 * dim))
    body.fail("control_volume", "'control_volume' must have " + std::to_string(2 * dim) +
                                    " numbers: the lower and the upper corner of the box");
  for (int d = 0; d < dim; ++d) {
    const auto s = static_cast<std::size_t>(d);
    const auto& faces = grid.line[s].faces;
    const auto nearest = [&](double x) {
      const auto closer = [x](double a, double b) { return std::abs(a - x) < std::abs(b - x); };
      return static_cast<int>(std::ranges::min_element(faces, closer) - faces.begin());
    };
    const auto margin = [&](int end) {
      return !c.is_periodic(d) && c.side(d, end).type == SidePatch::Type::slip ? 0 : 1;
    };
    box.low[d] = std::max(nearest(list[s]), margin(0));
    box.high[d] = std::min(nearest(list[s + static_cast<std::size_t>(dim)]), grid.cells(d) - margin(1));
    if (box.high[d] - box.low[d] < 4)
      body.fail("control_volume", "'control_volume' must be at least four cells wide and lie inside the box");
  }
  return box;
}

void check_name(const Table& t, const ImmersedCase& c, const std::string& name) {
  const auto is_word = [](char x) { return std::isalnum(static_cast<unsigned char>(x)) || x == '_'; };
  if (name.empty() || !std::ranges::all_of(name, is_word))
    t.fail("name", "a body's name is made of letters, digits and _; got \"" + name + "\"");
  if (std::ranges::find(c.bodies, name, &BodyCase::name) != c.bodies.end())
    t.fail("name", "two bodies have the name " + name);
}

void read_bodies(const Table& config, ImmersedCase& c) {
  const std::vector<Table> tables = body_tables(config);
  if (tables.size() > most_bodies)
    tables[most_bodies].fail("type", "a case has at most " + std::to_string(most_bodies) + " bodies");
  for (const Table& given : tables) {
    const Table t = given.described_by(body_keys);
    BodyCase body;
    const std::string number = tables.size() > 1 ? std::to_string(c.bodies.size() + 1) : "";
    body.name = t.get<std::string>("name", "body" + number);
    check_name(t, c, body.name);
    body.forces = c.forces;  // of [output]
    body.forces.velocity = t.get<double>("reference_velocity");
    body.forces.length = t.get<double>("reference_length");
    body.forces.area = t.get<double>("reference_area", body.forces.length);
    if (c.bodies.empty())
      c.box = read_control_volume(t, c.flow);
    else if (t.has("control_volume"))
      t.fail("control_volume", "one control volume contains all bodies: give it in the first [[body]]");
    body.walls = read_walls(given, c.flow.scalars);
    c.bodies.push_back(std::move(body));
  }
  c.forces = c.bodies.front().forces;
}

}  // namespace

std::vector<Table> body_tables(const Table& config) {
  if (!config.has("body")) return {};
  return config.is_table("body") ? std::vector{config.table("body")} : config.tables("body");
}

std::vector<KeyTable> immersed_keys() {
  std::vector<KeyTable> tables = structured_keys();
  for (const KeyTable& table : carried_keys()) tables.push_back(table);
  tables.insert(tables.end(), {{"body", "", body_options()},
                               {"body", "", body_keys},
                               {"output", "", output_keys},
                               {"body", "with [temperature]", heat_keys},
                               {"body", "with [scalar.NAME]", given_scalar_options()},
                               {"body.scalar", "", name_in_scalar_options()},
                               {"body.scalar_flux", "", name_in_flux_options()},
                               {"numerics", "", numerics_keys},
                               {"ranks", "", ranks_keys}});
  for (const char* type : {"cylinder", "ellipsoid", "aerofoil", "box", "polygon", "stl", "left_ventricle"})
    tables.push_back({"body", type == std::string_view("cylinder") ? "cylinder, sphere" : type, body_options(type)});
  for (const char* type : {"translation", "oscillation", "rotation", "deformation", "table"})
    tables.push_back({"body.motion", type, motion_options(type)});
  return tables;
}

int read_body_layers(const Table& config) {
  return config.table("ranks").described_by(ranks_keys).get<int>("body_layers");
}

double surface_spacing(const Grid& grid) {
  double h = std::numeric_limits<double>::infinity();
  for (int d = 0; d < (grid.is_2d() ? 2 : 3); ++d)
    for (const double w : grid.line[d].width) h = std::min(h, w);
  return h;
}

ImmersedCase read_immersed_case(const Table& config) {
  ImmersedCase c;
  c.flow = read_incompressible_case(config);
  refuse_what_has_no_meaning(config, c);
  const Table output = config.table("output").described_by(output_keys);
  c.forces.average_from = output.get<double>("average_from");
  c.forces.period = output.get<double>("forces_period");
  read_bodies(config, c);
  const Table numerics = config.table("numerics").described_by(numerics_keys);
  c.order = numerics.get<int>("order");
  if (c.order == 3) numerics.fail("order", "'order' must be 2 or 4");
  const auto moves = [](const Table& body) { return body.has("motion"); };
  if (c.order == 4 && std::ranges::any_of(body_tables(config), moves))
    numerics.fail("order",
                  "order = 4 requires a fixed body: with a moving one the change of stencil makes the forces noisy");
  return c;
}

}  // namespace weir
