#include "miniapps/structured/sides/read_sides.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/table_node.hpp"
#include "base/table_option.hpp"
#include "miniapps/structured/sides/patch_values.hpp"

namespace weir {

const std::array<const char*, 6> side_names = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

namespace {

constexpr Option modulation_keys[] = {
    {"mean", Option::number, "1", "mean value of the factor mean + amplitude cos(angular_frequency t + phase)"},
    {"amplitude", Option::number, "0", "amplitude of the oscillation; 0: steady"},
    {"angular_frequency", Option::number, "0", "angular frequency of the oscillation", "", "radians/time"},
    {"phase", Option::number, "0", "phase of the oscillation at t = 0", "", "radians"}};

constexpr Option type_keys[] = {
    {"type", Option::text, Option::required,
     "type of the boundary condition; wall: no slip; slip: no normal velocity, no shear; inlet: prescribed velocity; "
     "outlet: convective condition; periodic: joined to the opposite side, which has the same type",
     "wall | slip | inlet | outlet | periodic"}};
constexpr Option range_keys[] = {
    {"range", Option::numbers, "depends: the whole side",
     "extent of a patch (if SIDE is an array of tables): [low, high] in each direction along the side, rounded to the "
     "nearest grid faces; the patches must cover the side without gaps or overlaps",
     "pairs of numbers", "length"}};
constexpr Option moving_keys[] = {
    {"velocity", Option::numbers, "[0, 0, 0]",
     "velocity on the side, as numbers or formulas of x, y, z, t; inlet: required, where a single value is the "
     "velocity along the inward normal; wall: velocity in the plane of the wall",
     "numbers or formulas", "velocity"},
    {"modulation", Option::table, "",
     "time-dependent factor of the velocity, mean + amplitude cos(angular_frequency t + phase)", "", "", "",
     [] { return Options(modulation_keys); }}};
constexpr Option inlet_keys[] = {
    {"profile", Option::text, "constant",
     "shape of the inlet profile; parabolic: `velocity` is the maximum in the middle, with 0 at the ends of the side "
     "or patch (mean 2/3 of the maximum, 4/9 in 3D); constant in a periodic direction and in z between slip sides",
     "constant | parabolic"}};

constexpr Option heat_keys[] = {
    {"temperature", Option::number, "depends: required at an inlet, other patches are adiabatic",
     "temperature of the side, a number or a formula of x, y, z, t", "number or formula", "temperature"},
    {"heat_flux", Option::number, "0",
     "heat flux into the fluid divided by density and heat capacity, on wall and slip sides; a number or a formula of "
     "x, y, z, t",
     "number or formula", "temperature * velocity"}};

const char* axis_names[] = {"x", "y", "z"};

Table described(const Table& options) {
  return options.described_by(type_keys)
      .described_by(range_keys)
      .described_by(moving_keys)
      .described_by(inlet_keys)
      .described_by(heat_keys)
      .described_by(given_scalar_options());
}

// The directions along a side, without z in 2D.
std::vector<int> directions_of(int side, int dim) {
  std::vector<int> all;
  for (int e = 0; e < dim; ++e)
    if (e != side / 2) all.push_back(e);
  return all;
}

int nearest_face(const GridLine& line, double x) {
  const auto closer = [x](double a, double b) { return std::abs(a - x) < std::abs(b - x); };
  return static_cast<int>(std::ranges::min_element(line.faces, closer) - line.faces.begin());
}

// [low, high] of an entry of the range; only numbers are allowed.
std::array<double, 2> range_of(const Table& t, const TableNode& n) {
  std::array<double, 2> ends{};
  bool good = n.kind == TableNode::Kind::array && n.items.size() == 2;
  for (std::size_t e = 0; good && e < 2; ++e) {
    const TableNode& item = *n.items[e];
    good = item.kind == TableNode::Kind::integer || item.kind == TableNode::Kind::number;
    ends[e] = item.kind == TableNode::Kind::integer ? static_cast<double>(item.integer) : item.number;
  }
  if (!good) t.fail("range", "'range' must be an array of [low, high], got " + inline_toml(n) + " in it");
  return ends;
}

void read_range(const Table& t, const IncompressibleCase& c, SidePatch& p) {
  for (int e = 0; e < 3; ++e) p.last[e] = c.grid.cells(e);
  if (!t.has("range")) return;
  TableNode& n = *t.node()->find("range");
  n.is_read = true;
  const std::vector<int> directions = directions_of(p.side, c.dim());
  if (n.kind != TableNode::Kind::array || n.items.size() != directions.size())
    t.fail("range", fmt::format("'range' must have {} intervals [low, high]: along {}", directions.size(),
                                directions.size() == 1
                                    ? axis_names[directions[0]]
                                    : std::string(axis_names[directions[0]]) + " and " + axis_names[directions[1]]));
  for (std::size_t q = 0; q < directions.size(); ++q) {
    const int e = directions[q];
    const GridLine& line = c.grid.line[e];
    const auto [low, high] = range_of(t, *n.items[q]);
    const double slack = 1e-9 * line.length();
    if (!(low >= line.faces.front() - slack && high <= line.faces.back() + slack && low < high))
      t.fail("range", fmt::format("'range' along {} must ascend and lie between {} and {}, got [{}, {}]", axis_names[e],
                                  line.faces.front(), line.faces.back(), low, high));
    p.first[e] = nearest_face(line, low);
    p.last[e] = nearest_face(line, high);
    if (p.first[e] == p.last[e])
      t.fail("range", fmt::format("'range' [{}, {}] contains no cell: both ends are nearest to the face {} = {}", low,
                                  high, axis_names[e], line.faces[p.first[e]]));
  }
}

// For the first time step, and for messages.
void take_largest(const IncompressibleCase& c, SidePatch& p) {
  const int d = p.side / 2, t1 = d == 0 ? 1 : 0, t2 = d == 2 ? 1 : 2;
  const GridLine &line1 = c.grid.line[t1], &line2 = c.grid.line[t2];
  double x[3] = {};
  x[d] = p.side % 2 ? c.grid.line[d].faces.back() : c.grid.line[d].faces.front();
  for (int j = p.first[t2]; j < p.last[t2]; ++j)
    for (int i = p.first[t1]; i < p.last[t1]; ++i) {
      x[t1] = line1.centre[i];
      x[t2] = line2.centre[j];
      for (int e = 0; e < 3; ++e) p.velocity[e] = std::max(p.velocity[e], std::abs(p.formula[e].at(x, 0)));
    }
}

bool is_zero(const Formula& f) {
  const double anywhere[3] = {};
  return f.is_constant() && f.at(anywhere, 0) == 0;
}

void read_velocity(const Table& t, const IncompressibleCase& c, SidePatch& p) {
  const int d = p.side / 2;
  const std::string_view variables = c.dim() == 2 ? "xyt" : "xyzt";
  if (!t.has("velocity") || t.node()->find("velocity")->kind == TableNode::Kind::array) {
    p.has_formula = read_vector(t, "velocity", c.dim(), p.velocity, p.formula, variables);
  } else {  // one value: along the inward normal
    if (p.type != SidePatch::Type::inlet) t.fail("velocity", "'velocity' of a wall must be an array, got one value");
    const Formula f = read_formulas(t, "velocity", variables).front();
    p.formula[d] = p.side % 2 ? -f : f;
    p.has_formula = !f.is_constant();
    if (!p.has_formula) p.velocity[d] = p.formula[d].at({}, 0);
  }
  if (p.has_formula && p.profile != SidePatch::Profile::constant)
    t.fail("profile", "`profile` applies to a numeric velocity; a formula already prescribes the profile");
  if (p.type == SidePatch::Type::wall && (p.velocity[d] != 0 || !is_zero(p.formula[d])))
    t.fail("velocity", "a wall moves in its own plane; only an inlet has a velocity normal to the side");
  if (p.has_formula) take_largest(c, p);
}

SideScalar read_scalar(const Table& t, const ScalarCase& s, const SidePatch& p, int dim) {
  const ScalarKeys value = value_keys(t, s), flux = flux_keys(t, s);
  SideScalar given;
  given.is_fixed = value.is_there();
  const bool is_wall = p.type == SidePatch::Type::wall || p.type == SidePatch::Type::slip;
  if (flux.is_there() && (given.is_fixed || !is_wall))
    flux.fail("'" + flux.name + "' can be used on a wall or slip patch only, and not together with `" + value.name +
              "`");
  if (p.type == SidePatch::Type::inlet && !given.is_fixed)
    t.fail("type",
           "an inlet needs the " + (s.is_temperature() ? s.name : "value `" + value.name + "`") + " of the inflow");
  if (given.is_fixed && !is_wall && p.type != SidePatch::Type::inlet)
    value.fail("'" + value.name + "' cannot be used on a patch of type " + t.get<std::string>("type"));
  const ScalarKeys& keys = given.is_fixed ? value : flux;
  const std::vector<Formula> all = read_formulas(keys.in, keys.key, dim == 2 ? "xyt" : "xyzt");
  if (all.size() > 1) keys.fail("'" + keys.name + "' must be one number or formula");
  if (!all.empty()) given.value = all.front();
  return given;
}

SidePatch read_patch(const Table& options, const IncompressibleCase& c, int side) {
  SidePatch p;
  p.side = side;
  const Table t = described(options);
  p.type = get_enum<SidePatch::Type>(t, "type");
  read_range(t, c, p);
  refuse_other_scalars(t, c.scalars);
  for (const ScalarCase& scalar : c.scalars) p.scalars.push_back(read_scalar(t, scalar, p, c.dim()));
  const bool takes_velocity = p.type == SidePatch::Type::wall || p.type == SidePatch::Type::inlet;
  for (const char* key : {"velocity", "profile", "modulation"})
    if (!takes_velocity && t.has(key))
      t.fail(key, std::string(key) + " cannot be used on a side of type " + t.get<std::string>("type"));
  if (!takes_velocity) return p;
  if (p.type == SidePatch::Type::inlet) p.profile = get_enum<SidePatch::Profile>(t, "profile");
  if (p.type == SidePatch::Type::inlet && !t.has("velocity")) t.fail("velocity", "an inlet needs a velocity");
  read_velocity(t, c, p);
  if (t.has("modulation")) p.modulation = read_modulation(t.table("modulation"));
  return p;
}

// Each cell of the side belongs to one patch.
void check_cover(const Table& boundary, const std::vector<Table>& tables, const IncompressibleCase& c, int side) {
  const int d = side / 2, t1 = d == 0 ? 1 : 0, t2 = d == 2 ? 1 : 2, n1 = c.grid.cells(t1);
  std::vector<int> taken(static_cast<std::size_t>(n1) * static_cast<std::size_t>(c.grid.cells(t2)), -1);
  const auto first = c.patches.end() - static_cast<std::ptrdiff_t>(tables.size());
  for (std::size_t q = 0; q < tables.size(); ++q) {
    const SidePatch& p = first[static_cast<std::ptrdiff_t>(q)];
    for (int j = p.first[t2]; j < p.last[t2]; ++j)
      for (int i = p.first[t1]; i < p.last[t1]; ++i) {
        int& who = taken[static_cast<std::size_t>(i + j * n1)];
        if (who >= 0)
          tables[q].fail("range", fmt::format("this patch of {} overlaps the one at {}", side_names[side],
                                              tables[static_cast<std::size_t>(who)].where("type")));
        who = static_cast<int>(q);
      }
  }
  const auto gap = std::ranges::find(taken, -1);
  if (gap == taken.end()) return;
  const int at[2] = {static_cast<int>(gap - taken.begin()) % n1, static_cast<int>(gap - taken.begin()) / n1};
  std::string place;
  for (const int e : directions_of(side, c.dim())) {
    const auto& faces = c.grid.line[e].faces;
    const int i = e == t1 ? at[0] : at[1];
    place += fmt::format("{}{} from {} to {}", place.empty() ? "" : ", ", axis_names[e], faces[i], faces[i + 1]);
  }
  boundary.fail(side_names[side],
                fmt::format("the patches of {} leave a gap: no patch has the cell with {}", side_names[side], place));
}

// Conditions that the linear systems can represent: their matrices are sums of 1D operators, with one kind of end
// condition per side.
void check_mixture(const std::vector<Table>& tables, const IncompressibleCase& c) {
  const auto first = c.patches.end() - static_cast<std::ptrdiff_t>(tables.size());
  for (std::size_t q = 1; q < tables.size(); ++q) {
    const SidePatch &p = first[static_cast<std::ptrdiff_t>(q)], &before = *first;
    if (p.type == SidePatch::Type::periodic || before.type == SidePatch::Type::periodic)
      tables[q].fail("type", "a periodic side cannot be divided into patches");
    for (std::size_t s = 0; s < c.scalars.size(); ++s)
      if (p.fixes(s) != before.fixes(s))
        tables[q].fail("type", fmt::format("the patches of {} mix prescribed {} and prescribed flux, but the discrete "
                                           "operator has one kind of condition per side",
                                           side_names[static_cast<std::size_t>(p.side)], c.scalars[s].name));
    if (p.has_velocity() != before.has_velocity())
      tables[q].fail("type",
                     "a side cannot have patches of type slip and patches with a velocity, because the discrete "
                     "momentum operator has one kind of condition per side");
  }
}

void read_side(const Table& boundary, IncompressibleCase& c, int side) {
  const char* name = side_names[side];
  const TableNode* n = boundary.node()->find(name);
  const std::vector<Table> tables =
      n->kind == TableNode::Kind::array ? boundary.tables(name) : std::vector<Table>{boundary.table(name)};
  if (tables.empty()) boundary.fail(name, std::string(name) + " has no patch");
  for (const Table& t : tables) c.patches.push_back(read_patch(t, c, side));
  check_cover(boundary, tables, c, side);
  check_mixture(tables, c);
}

// The inflow must equal the outflow: without an outlet the given fluxes must cancel.
void check_fluxes(const Table& t, const IncompressibleCase& c) {
  double gross = 0, in = 0, tolerance = 1e-10;
  int last = -1;
  bool balances = true;
  for (const SidePatch& p : c.patches)
    if (p.has_formula) tolerance = 1e-6;  // by quadrature
  for (const double time : {0.0, 0.37 * c.time.end, 0.81 * c.time.end}) {
    double net = 0;
    for (const SidePatch& p : c.patches) {
      if (p.type != SidePatch::Type::inlet) continue;
      const bool swings = !p.modulation.is_constant();
      SidePatch steady = p;
      if (swings) steady.modulation = {};
      const double flux = flux_of_patch(c, steady, time);
      net += flux;
      in += swings || depends_on_time(p.formula) ? std::abs(flux) : std::max(flux, 0.0);
      gross += std::abs(flux);
      last = p.side;
      if (swings && flux != 0) balances = false;
    }
    balances = balances && std::abs(net) <= tolerance * gross;
  }
  if (gross > 0 && in == 0)
    t.fail(side_names[last], "the velocity of an inlet must point into the domain; here no fluid flows in");
  if (!c.has_outlet() && gross > 0 && !balances)
    t.fail(side_names[last], "fluid flows in, but has no way out: one side must be an outlet");
}

}  // namespace

Options modulation_options() { return modulation_keys; }

std::vector<KeyTable> side_keys() {
  return {{"boundary.SIDE", "", type_keys},
          {"boundary.SIDE", "", range_keys},
          {"boundary.SIDE", "wall, inlet", moving_keys},
          {"boundary.SIDE", "inlet", inlet_keys},
          {"boundary.SIDE", "with [temperature]", heat_keys},
          {"boundary.SIDE", "with [scalar.NAME]", given_scalar_options()},
          {"boundary.SIDE.scalar", "", name_in_scalar_options()},
          {"boundary.SIDE.scalar_flux", "", name_in_flux_options()}};
}

Modulation read_modulation(const Table& t) {
  return {t.get<double>("mean"), t.get<double>("amplitude"), t.get<double>("angular_frequency"),
          t.get<double>("phase")};
}

void read_sides(const Table& t, IncompressibleCase& c) {
  const int dim = c.dim();
  for (int n = 0; n < 6; ++n) {
    const char* name = side_names[n];
    if (n >= 2 * dim) {
      if (t.has(name)) t.fail(name, "a grid of one cell in z is 2D and has no side " + std::string(name));
      SidePatch none;
      none.side = n;
      none.type = SidePatch::Type::periodic;
      c.patches.push_back(none);
      continue;
    }
    if (!t.has(name)) t.fail(name, "missing boundary: [boundary] must have an entry for " + std::string(name));
    read_side(t, c, n);
  }
  for (int d = 0; d < dim; ++d) {
    const bool low = c.side(d, 0).type == SidePatch::Type::periodic,
               high = c.side(d, 1).type == SidePatch::Type::periodic;
    const char* culprit = side_names[2 * d + (low ? 0 : 1)];
    if (low != high) t.fail(culprit, std::string(culprit) + " is periodic, but the opposite side is not");
  }
  check_fluxes(t, c);
}

std::vector<std::pair<std::string, std::string>> describe_divided_sides(const IncompressibleCase& c) {
  constexpr const char* types[] = {"wall", "slip", "inlet", "outlet", "periodic"};
  std::vector<std::pair<std::string, std::string>> all;
  for (int side = 0; side < 2 * c.dim(); ++side) {
    std::string text;
    int count = 0;
    for (const SidePatch& p : c.patches) {
      if (p.side != side) continue;
      ++count;
      text += fmt::format("{}{}", text.empty() ? "" : "; ", types[static_cast<int>(p.type)]);
      for (const int e : directions_of(side, c.dim()))
        text += fmt::format(" {} {:g} .. {:g} ({} cells)", axis_names[e], c.grid.line[e].faces[p.first[e]],
                            c.grid.line[e].faces[p.last[e]], p.last[e] - p.first[e]);
    }
    if (count > 1) all.emplace_back(side_names[side], text);
  }
  return all;
}

}  // namespace weir
