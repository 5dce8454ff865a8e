// The hybrid mesh of a NACA 4-digit airfoil: layers of quadrilaterals on the wall, triangles to the far field.
#include <algorithm>
#include <cmath>

#include "mesh/generate/airfoil.hpp"
#include "mesh/generate/generators.hpp"
#include "mesh/generate/layers.hpp"
#include "mesh/generate/size_field.hpp"
#include "mesh/generate/spacing.hpp"
#include "mesh/generate/triangles.hpp"

namespace weir {
namespace {

// Clockwise from the trailing edge: along the lower side, around the nose, along the upper side, up the base if blunt.
std::vector<Point> contour(const NacaOptions& o) {
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

// With refinement r the layers have the same total height: r times as many, each growth factor to the power 1 / r.
std::vector<double> layer_heights(const NacaOptions& o) {
  const int layers = static_cast<int>(std::lround(o.layers * o.refinement));
  const double growth = std::pow(o.layer_growth, 1 / o.refinement);
  const double first =
      o.layer_growth == 1 ? o.first_height / o.refinement : o.first_height * (growth - 1) / (o.layer_growth - 1);
  return geometric_spacing(layers, first, growth);
}

SizeField size_field(const NacaOptions& o, const MeshDescription& mesh, const std::vector<int>& front) {
  std::vector<SizeField::Source> sources;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Point &a = mesh.node[front[i]], &b = mesh.node[front[(i + 1) % front.size()]];
    sources.push_back({{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])}, distance(a, b)});
  }
  if (o.wake_length > 0) {
    const double h = o.wake_size / o.refinement;
    for (double x = 1; x < 1 + o.wake_length; x += 0.5 * h) sources.push_back({{x, 0}, h});
  }
  constexpr double steepest = 0.35;  // beyond it triangles can no longer follow
  return {std::move(sources), std::min(o.near_growth / o.refinement, steepest),
          std::min(o.far_growth / o.refinement, steepest)};
}

std::vector<Point> circle(const NacaOptions& o, const SizeField& size) {
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

}  // namespace

double refinement_for(NacaOptions o, int cells) {
  o.refinement = 1;
  o.refinement = std::sqrt(cells / static_cast<double>(make_naca(o).cells()));
  // Coarse meshes, cheap to make again, depart from the square law: layers are counted in integers.
  for (int i = 0; i < 2 && o.refinement < 1; ++i)
    o.refinement *= std::sqrt(cells / static_cast<double>(make_naca(o).cells()));
  return o.refinement;
}

MeshDescription make_naca(const NacaOptions& o) {
  MeshDescription mesh;
  mesh.node = contour(o);
  const int walls = static_cast<int>(mesh.node.size());
  const int wall = mesh.add_marker("wall"), farfield = mesh.add_marker("farfield");
  for (int i = 0; i < walls; ++i) mesh.add_edge(i, (i + 1) % walls, wall);
  const std::vector<int> front = add_layers(
      mesh, 0, walls, {layer_heights(o), o.fan_angle / std::sqrt(o.refinement), o.shape != CellShape::quads});
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

Airfoil::Airfoil(double thickness, double camber, double position, TrailingEdge edge)
    : thickness_(thickness), camber_(camber), position_(position), edge_(edge) {
  a4_ = edge == TrailingEdge::closed ? -0.1036 : -0.1015;
  if (edge != TrailingEdge::extended) return;
  double low = 1, high = 1.1;  // the thickness changes sign once behind x = 1
  for (int i = 0; i < 100; ++i) (shape(0.5 * (low + high), a4_) > 0 ? low : high) = 0.5 * (low + high);
  scale_ = 0.5 * (low + high);
}

double Airfoil::half_thickness(double x) const {
  if (x >= 1 && is_sharp()) return 0;  // not its round-off
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
    length[i] = length[i - 1] + std::hypot(here[0] - before[0], here[1] - before[1]);
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
