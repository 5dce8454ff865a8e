// C-grid of quadrilaterals around a NACA 4-digit aerofoil with a sharp trailing edge, in sheared parabolic coordinates
// (Jameson, AIAA 79-1458): zeta = sqrt(2 (z - z0)), with z0 midway between the nose and its centre of curvature,
// unfolds aerofoil and wake into a low bump eta = S(xi) above a straight line. Outward grid lines have constant xi.
//
//                  __________
//               .'   .--------      the row j = 0 runs from the end of the lower wake around the nose to the end of the
//              |   .'  _______      upper wake; both wakes share their nodes
//              |   ( _______ >---
//              |   '.
//               '.___'--------
#include <algorithm>
#include <cmath>
#include <complex>

#include "mesh/generate/airfoil.hpp"
#include "mesh/generate/generators.hpp"
#include "mesh/generate/spacing.hpp"

namespace weir {
namespace {

constexpr Option c_grid_keys[] = {
    {"profile", Option::text, "0012", "digits of the NACA 4-digit section"},
    {"trailing_edge", Option::text, "extended",
     "form of the trailing edge; extended: the surfaces continued to their intersection", "closed | extended"},
    {"far_field", Option::number, "500", "distance of the far field upstream and downstream", "[2, 1e4]", "chords"},
    {"wall_cells", Option::integer, "128", "number of cells along the upper and lower side of the wall together",
     "[8, inf)"},
    {"wake_cells", Option::integer, "32", "number of cells along the wake", "[2, inf)"},
    {"outward", Option::integer, "64", "number of cells in the outward direction", "[2, inf)"},
    {"first_height", Option::number, "4e-6",
     "height of the first cells at the trailing edge; at the leading edge their height is a tenth of it", "(0, inf)",
     "chords"},
    {"leading_spacing", Option::number, "0.004", "size of the faces at the leading edge", "(0, inf)", "chords"},
    {"trailing_spacing", Option::number, "0.004", "size of the faces at the trailing edge", "(0, inf)", "chords"},
    {"refinement", Option::number, "1",
     "uniform refinement factor, which multiplies the numbers of cells and divides their sizes", "[0.2, 60]"}};

using Complex = std::complex<double>;

struct CGrid {
  double thickness, camber, camber_position;
  TrailingEdge trailing_edge;
  double far_field, first_height, leading_spacing, trailing_spacing;
  int side_cells, wake_cells, outward;

  // The singular point of the mapping, which unfolds the plane cut along the positive axis.
  double z0() const { return 0.5 * 1.1019 * thickness * thickness; }
  Complex unfolded(const Point& p, int side) const {
    const Complex zeta = std::sqrt(2.0 * Complex(p[0] - z0(), p[1]));  // on the right of the imaginary axis
    const bool is_below = zeta.imag() < 0 || (zeta.imag() == 0 && side < 0);
    return is_below ? -zeta : zeta;
  }
  Point folded(const Complex& zeta) const {
    const Complex z = 0.5 * zeta * zeta;
    return {z.real() + z0(), z.imag()};
  }
};

// The row j = 0 in the unfolded plane, from the end of the lower wake to the end of the upper one.
std::vector<Complex> first_row(const CGrid& o) {
  const Airfoil airfoil(o.thickness, o.camber, o.camber_position, o.trailing_edge);
  const double end = std::sqrt(2 * (1 - o.z0())), last = std::sqrt(2 * (o.far_field - o.z0()));
  const double step = o.trailing_spacing / end;
  const std::vector<double> wake =
      geometric_spacing(o.wake_cells, step, growth_to_fill(o.wake_cells, step, last - end));
  std::vector<Complex> row;
  for (int i = o.wake_cells; i > 0; --i) row.emplace_back(-end - wake[i], 0.0);
  for (const int side : {-1, 1}) {
    std::vector<Point> nodes = airfoil_side(airfoil, side, o.side_cells, o.leading_spacing, o.trailing_spacing);
    if (side < 0) std::ranges::reverse(nodes);
    for (const Point& p : nodes)
      if (side < 0 || &p != &nodes.front()) row.push_back(o.unfolded(p, side));
  }
  for (int i = 1; i <= o.wake_cells; ++i) row.emplace_back(end + wake[i], 0.0);
  return row;
}

// A column above the straight line; the bump decays within about a chord: eta = e + S exp(-e). All columns have the
// same heights e, so that cells grow with their distance from the nose and neighbouring layers diverge at the same
// rate. Otherwise wake cells of aspect ratio 1e5 would be sheared against each other by many of their heights.
std::vector<Complex> column(const std::vector<double>& heights, const Complex& foot) {
  std::vector<Complex> out;
  for (const double e : heights) out.emplace_back(foot.real(), e + foot.imag() * std::exp(-e));
  return out;
}

MeshDescription mesh_of(const CGrid& o) {
  const std::vector<Complex> row = first_row(o);
  const int nx = static_cast<int>(row.size()) - 1, ny = o.outward, wake = o.wake_cells;
  const double first = o.first_height / std::sqrt(2.0), height = std::sqrt(2 * o.far_field);
  const std::vector<double> heights = geometric_spacing(ny, first, growth_to_fill(ny, first, height));
  MeshDescription out;
  out.grid = {nx, ny};
  const int joined = nx - wake;  // from this column on, the first node is that of the lower wake
  for (int i = 0; i <= nx; ++i) {
    const std::vector<Complex> nodes = column(heights, row[static_cast<std::size_t>(i)]);
    for (std::size_t j = i < joined ? 0 : 1; j < nodes.size(); ++j) out.node.push_back(o.folded(nodes[j]));
  }
  const auto node = [&](int i, int j) {
    if (i < joined) return i * (ny + 1) + j;
    return j == 0 ? (nx - i) * (ny + 1) : joined * (ny + 1) + (i - joined) * ny + j - 1;
  };
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) out.add_cell(node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1));
  const int wall = out.add_marker("wall"), far = out.add_marker("farfield");
  for (int i = wake; i < joined; ++i) out.add_edge(node(i, 0), node(i + 1, 0), wall);
  for (int i = 0; i < nx; ++i) out.add_edge(node(i, ny), node(i + 1, ny), far);
  for (const int i : {0, nx})
    for (int j = 0; j < ny; ++j) out.add_edge(node(i, j), node(i, j + 1), far);
  return out;
}

}  // namespace

Options c_grid_options() { return c_grid_keys; }

MeshDescription make_c_grid(const Table& t) {
  CGrid o{};
  const auto digits = t.get<std::string>("profile");
  if (digits.size() != 4 || digits.find_first_not_of("0123456789") != std::string::npos || digits.substr(2) == "00")
    t.fail("profile", "'profile' must be the four digits of a NACA section, such as \"0012\"");
  if (digits[0] != '0' && digits[1] == '0')
    t.fail("profile", "a cambered section requires a position of its camber: the second digit must not be 0");
  o.camber = 0.01 * (digits[0] - '0');
  o.camber_position = 0.1 * (digits[1] - '0');
  o.thickness = 0.01 * std::stoi(digits.substr(2));
  o.trailing_edge = t.get<std::string>("trailing_edge") == "closed" ? TrailingEdge::closed : TrailingEdge::extended;
  const auto finer = t.get<double>("refinement");
  const auto count = [&](const char* key, double part) {
    return std::max(2, static_cast<int>(std::lround(part * finer * t.get<int>(key))));
  };
  require_countable(
      t, "wall_cells",
      finer * finer * (t.get<int>("wall_cells") + 2.0 * t.get<int>("wake_cells")) * t.get<int>("outward"));
  o.far_field = t.get<double>("far_field");
  o.side_cells = count("wall_cells", 0.5);
  o.wake_cells = count("wake_cells", 1);
  o.outward = count("outward", 1);
  o.first_height = t.get<double>("first_height") / finer;
  o.leading_spacing = t.get<double>("leading_spacing") / finer;
  o.trailing_spacing = t.get<double>("trailing_spacing") / finer;
  return mesh_of(o);
}

}  // namespace weir
