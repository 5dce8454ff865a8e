// Hybrid mesh of a NACA 4-digit airfoil: layers of quadrilaterals on the wall, triangles to the far field.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <stdexcept>

#include "mesh/generate/airfoil.hpp"
#include "mesh/generate/generators.hpp"
#include "mesh/generate/size_field.hpp"
#include "mesh/generate/spacing.hpp"
#include "mesh/generate/triangles.hpp"

namespace weir {
namespace {

constexpr Option naca_keys[] = {
    {"profile", Option::text, Option::required, "digits of the NACA 4-digit section (type naca)"},
    {"trailing_edge", Option::text, "closed",
     "form of the trailing edge; open: blunt; extended: the surfaces continued to their intersection",
     "closed | open | extended"},
    {"far_field", Option::number, "20", "radius of the far field; use 100 for an accurate lift", "[2, 1e4]", "chords"},
    {"wall_faces", Option::integer, "200", "number of faces on the upper and lower side of the wall together",
     "[20, inf)"},
    {"leading_spacing", Option::number, "0.0014", "size of the faces at the leading edge", "(0, inf)", "chords"},
    {"trailing_spacing", Option::number, "0.0025", "size of the faces at the trailing edge", "(0, inf)", "chords"},
    {"layers", Option::integer, "20", "number of layers of quadrilaterals at the wall; 0: triangles only", "[0, inf)"},
    {"first_height", Option::number, "5e-5", "height of the first layer", "(0, inf)", "chords"},
    {"layer_growth", Option::number, "1.26", "ratio of the heights of neighbouring layers", "[1, 3]"},
    {"near_growth", Option::number, "0.125",
     "growth of the triangle size per unit of distance from the aerofoil, within one chord of it", "[0.01, 0.5]"},
    {"far_growth", Option::number, "0.16",
     "growth of the triangle size per unit of distance from the aerofoil, beyond one chord", "[0.01, 0.5]"},
    {"fan", Option::number, "depends: 20.05", "angle of a column of cells in the fan around the trailing edge",
     "[2, 60]", "degrees"},
    {"wake_length", Option::number, "0", "length of the refined wake behind the trailing edge", "[0, inf)", "chords"},
    {"wake_size", Option::number, "0.03", "triangle size in the refined wake", "(0, inf)", "chords"},
    {"shape", Option::text, "hybrid", "cell shapes; triangles: the quadrilaterals of the layers are halved",
     "hybrid | triangles"},
    {"refinement", Option::number, "1",
     "uniform refinement factor; 1 gives about 13,000 cells, and their number grows with its square", "[0.2, 60]"},
    {"cells", Option::integer, "depends on refinement", "approximate number of cells (alternative to refinement)",
     "[500, inf)"}};

struct Naca {
  double thickness = 0.12, camber = 0, camber_position = 0.4;  // of the chord: NACA 0012
  TrailingEdge trailing_edge;
  double far_field, refinement = 1;
  int wall_faces, layers;
  double leading_spacing, trailing_spacing, first_height, layer_growth;
  double fan_angle;  // radians per column of the fan at the trailing edge
  double near_growth, far_growth, wake_length, wake_size;
  bool halves_layers;
};

// Clockwise from the trailing edge: lower side, nose, upper side, and the base if blunt.
std::vector<Point> contour(const Naca& o) {
  const Airfoil airfoil(o.thickness, o.camber, o.camber_position, o.trailing_edge);
  const int n = std::max(4, static_cast<int>(std::lround(0.5 * o.wall_faces * o.refinement)));
  const double leading = o.leading_spacing / o.refinement, trailing = o.trailing_spacing / o.refinement;
  const auto lower = airfoil_side(airfoil, -1, n, leading, trailing),
             upper = airfoil_side(airfoil, 1, n, leading, trailing);
  std::vector<Point> wall(lower.rbegin(), lower.rend());
  wall.insert(wall.end(), upper.begin() + 1, upper.end());
  if (airfoil.is_sharp()) {
    wall.pop_back();
    return wall;
  }
  const Point top = upper.back(), bottom = lower.back();
  const int base = std::max(1, static_cast<int>(std::lround(distance(top, bottom) / trailing)));
  for (int i = 1; i < base; ++i) {
    const double w = static_cast<double>(i) / base;
    wall.push_back({top[0] + w * (bottom[0] - top[0]), top[1] + w * (bottom[1] - top[1])});
  }
  return wall;
}

struct LayerOptions {
  std::vector<double> height;  // heights of the fronts above the wall: 0, first height, ...
  double fan_angle;            // approximate radians per column of a fan
  bool halve;                  // halves each quadrilateral
};

constexpr double sharp = 0.6;  // radians of turning that start a fan

double normal_angle(const Point& a, const Point& b) { return std::atan2(b[0] - a[0], a[1] - b[1]); }

double turned(double angle) { return std::remainder(angle, 6.283185307179586); }

struct Row {
  std::vector<int> wall;  // the wall node of each column
  std::vector<Point> at;
  std::vector<double> direction;
  std::size_t size() const { return at.size(); }
  std::size_t after(std::size_t c) const { return c + 1 == size() ? 0 : c + 1; }
  std::size_t before(std::size_t c) const { return c == 0 ? size() - 1 : c - 1; }
};

// Number of columns of a fan: none for small angles; for thin layers, no more than fit on their outer arc with half
// the width of the adjacent wall faces.
int fan_columns(double turn, const LayerOptions& o, double wall_face) {
  if (turn < sharp) return 0;
  const double by_room = turn * o.height.back() / (0.5 * wall_face);
  return std::max(2, static_cast<int>(std::lround(std::min(turn / o.fan_angle, by_room))));
}

Row first_row(const std::vector<Point>& body, const LayerOptions& o) {
  Row row;
  const int count = static_cast<int>(body.size());
  const auto wall = [&](int i) { return body[(i + count) % count]; };
  for (int i = 0; i < count; ++i) {
    const double before = normal_angle(wall(i - 1), wall(i)), after = normal_angle(wall(i), wall(i + 1));
    const double turn = turned(after - before);  // a clockwise walk turns right at a convex corner: negative
    const int columns = fan_columns(-turn, o, std::min(distance(wall(i - 1), wall(i)), distance(wall(i), wall(i + 1))));
    for (int k = 0; k <= columns; ++k) {
      row.wall.push_back(i);
      row.at.push_back(wall(i));
      row.direction.push_back(before + turn * (columns ? static_cast<double>(k) / columns : 0.5));
    }
  }
  return row;
}

void turn_to_normals(Row& row) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    const double before = normal_angle(row.at[row.before(c)], row.at[c]),
                 after = normal_angle(row.at[c], row.at[row.after(c)]);
    row.direction[c] = before + 0.5 * turned(after - before);
  }
}

// Moves points along the front towards the wider of their two columns, by at most half the outward step.
void even_out(Row& row, double step) {
  const std::vector<Point> old = row.at;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const Point &a = old[row.before(c)], &b = old[c], &d = old[row.after(c)];
    const double behind = distance(a, b), ahead = distance(b, d), chord = distance(a, d);
    const double weight = std::min(1.0, step / std::min(behind, ahead));
    const double shift = std::clamp(0.25 * weight * (ahead - behind), -0.5 * step, 0.5 * step);
    for (std::size_t k = 0; k < 2; ++k) row.at[c][k] += shift * (d[k] - a[k]) / chord;
  }
}

void add_quad(MeshDescription& mesh, int a, int b, int c, int d, bool halve) {
  if (!halve)
    mesh.add_cell(a, b, c, d);
  else if (distance(mesh.node[a], mesh.node[c]) <= distance(mesh.node[b], mesh.node[d])) {
    mesh.add_cell(a, b, c);
    mesh.add_cell(a, c, d);
  } else {
    mesh.add_cell(a, b, d);
    mesh.add_cell(b, c, d);
  }
}

// Layers of quadrilaterals around a closed body, marching along the normals. A sharp corner gets a fan of columns
// between the normals of its two sides; at the corner the cells of the first layer are triangles. Where the cells are
// no longer thin, the widths of neighbouring columns are evened out, so that the outer front is smooth.
//
// The nodes of the body are the first ones of the mesh, clockwise (fluid on the left). Adds nodes and cells; returns
// the nodes of the outermost front in the same direction.
std::vector<int> add_layers(MeshDescription& mesh, const LayerOptions& o) {
  Row row = first_row(mesh.node, o);
  std::vector<int> below = row.wall;
  if (o.height.size() < 2) {
    below.erase(std::unique(below.begin(), below.end()), below.end());
    return below;
  }
  for (std::size_t k = 1; k < o.height.size(); ++k) {
    const double step = o.height[k] - o.height[k - 1];
    if (k > 1) turn_to_normals(row);
    for (std::size_t c = 0; c < row.size(); ++c) {
      row.at[c][0] += step * std::cos(row.direction[c]);
      row.at[c][1] += step * std::sin(row.direction[c]);
    }
    even_out(row, step);
    std::vector<int> above(row.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      above[c] = static_cast<int>(mesh.node.size());
      mesh.node.push_back(row.at[c]);
    }
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::size_t d = row.after(c);
      if (below[c] == below[d])
        mesh.add_cell(below[c], above[d], above[c]);
      else
        add_quad(mesh, below[c], below[d], above[d], above[c], o.halve);
    }
    below = std::move(above);
  }
  return below;
}

// With refinement r the layers keep their total height: r times as many, growth factors to the power 1 / r.
std::vector<double> layer_heights(const Naca& o) {
  const int layers = static_cast<int>(std::lround(o.layers * o.refinement));
  const double growth = std::pow(o.layer_growth, 1 / o.refinement);
  const double first =
      o.layer_growth == 1 ? o.first_height / o.refinement : o.first_height * (growth - 1) / (o.layer_growth - 1);
  return geometric_spacing(layers, first, growth);
}

SizeField size_field(const Naca& o, const MeshDescription& mesh, const std::vector<int>& front) {
  std::vector<SizeField::Source> sources;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Point &a = mesh.node[front[i]], &b = mesh.node[front[(i + 1) % front.size()]];
    sources.push_back({middle(a, b), distance(a, b)});
  }
  if (o.wake_length > 0) {
    const double h = o.wake_size / o.refinement;
    for (double x = 1; x < 1 + o.wake_length; x += 0.5 * h) sources.push_back({{x, 0}, h});
  }
  constexpr double steepest = 0.35;  // triangles cannot follow a steeper growth
  return {std::move(sources), std::min(o.near_growth / o.refinement, steepest),
          std::min(o.far_growth / o.refinement, steepest)};
}

std::vector<Point> circle(const Naca& o, const SizeField& size) {
  constexpr double two_pi = 6.283185307179586;
  const double h = size({0.5 + o.far_field, 0});
  const int n = std::max(16, static_cast<int>(std::lround(two_pi * o.far_field / h)));
  std::vector<Point> nodes;
  for (int i = 0; i < n; ++i)
    nodes.push_back({0.5 + o.far_field * std::cos(two_pi * i / n), o.far_field * std::sin(two_pi * i / n)});
  return nodes;
}

// y_t / (5 t)
double shape(double x, double a4) {
  return 0.2969 * std::sqrt(x) + x * (-0.1260 + x * (-0.3516 + x * (0.2843 + x * a4)));
}

MeshDescription mesh_of(const Naca& o) {
  MeshDescription mesh;
  mesh.node = contour(o);
  const int walls = static_cast<int>(mesh.node.size());
  const int wall = mesh.add_marker("wall"), farfield = mesh.add_marker("farfield");
  for (int i = 0; i < walls; ++i) mesh.add_edge(i, (i + 1) % walls, wall);
  const std::vector<int> front =
      add_layers(mesh, {layer_heights(o), o.fan_angle / std::sqrt(o.refinement), o.halves_layers});
  const SizeField size = size_field(o, mesh, front);

  std::vector<Point> nodes;
  std::vector<std::array<int, 2>> edges;
  const auto add_polygon = [&](std::size_t begin) {
    for (std::size_t i = begin; i < nodes.size(); ++i)
      edges.push_back({static_cast<int>(i), static_cast<int>(i + 1 < nodes.size() ? i + 1 : begin)});
  };
  const std::vector<Point> far = circle(o, size);
  nodes = far;
  add_polygon(0);
  for (const int n : front) nodes.push_back(mesh.node[n]);
  add_polygon(far.size());
  const Triangulation outside = fill_with_triangles(std::move(nodes), edges, size);

  std::vector<int> number(outside.node.size());
  for (std::size_t i = 0; i < number.size(); ++i) {
    const bool is_on_front = i >= far.size() && i < far.size() + front.size();
    number[i] = is_on_front ? front[i - far.size()] : static_cast<int>(mesh.node.size());
    if (!is_on_front) mesh.node.push_back(outside.node[i]);
  }
  for (const Triangle& t : outside.triangle) mesh.add_cell(number[t.node[0]], number[t.node[1]], number[t.node[2]]);
  for (std::size_t i = 0; i < far.size(); ++i) mesh.add_edge(number[i], number[(i + 1) % far.size()], farfield);
  return mesh;
}

// The refinement that gives this number of cells to within a few per cent.
double refinement_for(Naca o, int cells) {
  o.refinement = 1;
  o.refinement = std::sqrt(cells / static_cast<double>(mesh_of(o).cells()));
  // Coarse meshes, cheap to generate, deviate from the square law because layers are integers.
  for (int i = 0; i < 2 && o.refinement < 1; ++i)
    o.refinement *= std::sqrt(cells / static_cast<double>(mesh_of(o).cells()));
  return o.refinement;
}

void read_profile(const Table& t, Naca& o) {
  const auto digits = t.get<std::string>("profile");
  if (digits.size() != 4 || digits.find_first_not_of("0123456789") != std::string::npos || digits.substr(2) == "00")
    t.fail("profile", "'profile' must be the four digits of a NACA section, such as \"0012\" or \"2412\"");
  o.camber = 0.01 * (digits[0] - '0');
  if (digits[1] != '0') o.camber_position = 0.1 * (digits[1] - '0');
  if ((o.camber > 0) != (digits[1] != '0'))
    t.fail("profile", "camber and its position (the first two digits) must both be zero or both nonzero");
  o.thickness = 0.1 * (digits[2] - '0') + 0.01 * (digits[3] - '0');
}

}  // namespace

Options naca_options() { return naca_keys; }

MeshDescription make_naca(const Table& t, bool has_profile) {
  Naca o;
  if (has_profile) read_profile(t, o);
  const auto edge = t.get<std::string>("trailing_edge");
  o.trailing_edge = edge == "closed" ? TrailingEdge::closed
                    : edge == "open" ? TrailingEdge::open
                                     : TrailingEdge::extended;
  o.far_field = t.get<double>("far_field");
  o.wall_faces = t.get<int>("wall_faces");
  o.leading_spacing = t.get<double>("leading_spacing");
  o.trailing_spacing = t.get<double>("trailing_spacing");
  o.layers = t.get<int>("layers");
  o.first_height = t.get<double>("first_height");
  o.layer_growth = t.get<double>("layer_growth");
  o.near_growth = t.get<double>("near_growth");
  o.far_growth = t.get<double>("far_growth");
  o.fan_angle = t.has("fan") ? t.get<double>("fan", 20) * std::numbers::pi / 180 : 0.35;
  o.wake_length = t.get<double>("wake_length");
  o.wake_size = t.get<double>("wake_size");
  if (o.wake_length > o.far_field - 1) t.fail("wake_length", "the refined wake must end inside the far field");
  o.halves_layers = t.get<std::string>("shape") == "triangles";
  const double heights = geometric_spacing(o.layers, o.first_height, o.layer_growth).back();
  if (heights > 0.5) t.fail("layers", "the total height of the layers exceeds half a chord");
  if (t.has("cells") && t.has("refinement"))
    t.fail("cells", "'cells' and 'refinement' are alternatives: give one of them");
  // Also before the mesh of refinement 1, which is generated to count its cells.
  const auto require_memory_for = [&](double r) {
    const double finer = 0.14 / std::min(o.near_growth, o.far_growth), triangles_a_face = 45 * finer * finer;
    const double wake = 2 * o.wake_length / o.wake_size,
                 base = o.trailing_edge == TrailingEdge::open ? 0.021 * o.thickness / o.trailing_spacing : 0;
    require_countable(t, "wall_faces", r * r * (o.wall_faces + base) * (o.layers + triangles_a_face));
    require_countable(t, "wake_size", r * r * wake * triangles_a_face);
  };
  require_memory_for(t.has("cells") ? 1 : t.get<double>("refinement"));
  o.refinement = t.has("cells") ? refinement_for(o, t.get<int>("cells", 0)) : t.get<double>("refinement");
  if (o.refinement < 0.2 || o.refinement > 60) {
    char text[80];
    std::snprintf(text, sizeof text, "this number of cells corresponds to refinement = %.3g; possible: 0.2 to 60",
                  o.refinement);
    t.fail("cells", text);
  }
  if (t.has("cells")) require_memory_for(o.refinement);
  try {
    return mesh_of(o);
  } catch (const std::runtime_error& e) {
    t.fail("layers",
           std::string(e.what()) + ": the layers fold over; use fewer or thinner layers, or a finer wall spacing");
  }
}

Airfoil::Airfoil(double thickness, double camber, double position, TrailingEdge edge)
    : thickness_(thickness), camber_(camber), position_(position), edge_(edge) {
  a4_ = edge == TrailingEdge::closed ? -0.1036 : -0.1015;
  if (edge != TrailingEdge::extended) return;
  double low = 1, high = 1.1;  // the thickness changes sign once beyond x = 1
  for (int i = 0; i < 100; ++i) (shape(0.5 * (low + high), a4_) > 0 ? low : high) = 0.5 * (low + high);
  scale_ = 0.5 * (low + high);
}

double Airfoil::half_thickness(double x) const {
  if (x >= 1 && is_sharp()) return 0;  // without rounding error
  return 5 * thickness_ * shape(scale_ * x, a4_) / scale_;
}

Point Airfoil::at(double s, int side) const {
  const double x = s * s, t = half_thickness(x), m = camber_, p = position_;
  if (m == 0) return {x, side * t};
  const double q = x < p ? p : 1 - p;
  const double y = x < p ? m / (p * p) * (2 * p * x - x * x) : m / (q * q) * (1 - 2 * p + 2 * p * x - x * x);
  const double slope = 2 * m / (q * q) * (p - x), cosine = 1 / std::sqrt(1 + slope * slope);
  return {x - side * t * slope * cosine, y + side * t * cosine};
}

std::vector<Point> airfoil_side(const Airfoil& airfoil, int side, int n, double leading, double trailing) {
  const int fine = std::max(20000, 10 * n);
  std::vector<double> length(static_cast<std::size_t>(fine) + 1, 0.0);
  Point before = airfoil.at(0, side);
  for (int i = 1; i <= fine; ++i) {
    const Point here = airfoil.at(static_cast<double>(i) / fine, side);
    length[i] = length[i - 1] + distance(before, here);
    before = here;
  }
  std::vector<Point> nodes;
  for (const double wanted : two_sided_spacing(n, length.back(), leading, trailing)) {
    const auto above = std::lower_bound(length.begin() + 1, length.end() - 1, wanted);
    const double within = (wanted - above[-1]) / (above[0] - above[-1]);
    nodes.push_back(airfoil.at((static_cast<double>(above - length.begin()) - 1 + within) / fine, side));
  }
  nodes.front() = airfoil.at(0, side);
  nodes.back() = airfoil.at(1, side);
  return nodes;
}

}  // namespace weir
