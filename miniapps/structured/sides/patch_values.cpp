#include "miniapps/structured/sides/patch_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace weir {
namespace {

struct Gauss {
  double x, weight;
};
const double gauss_end = std::sqrt(0.6);
const Gauss gauss_points[3] = {{-gauss_end, 5.0 / 18}, {0, 8.0 / 18}, {gauss_end, 5.0 / 18}};

int patch_of_cell(const IncompressibleCase& c, int side, const Plane& p, int i1, int i2) {
  for (std::size_t q = 0; q < c.patches.size(); ++q)
    if (c.patches[q].side == side && c.patches[q].holds(p.t1, i1, p.t2, i2)) return static_cast<int>(q);
  return -1;
}

// The cells of the whole grid at a point along a direction: one, or two for a point on a face.
std::array<int, 2> cells_at(const Layout& l, int direction, int i, bool at_face) {
  const int n = l.whole[direction];
  const auto inside = [&](int m) {
    if (l.wraps(direction)) return (m + n) % n;
    return std::min(std::max(m, 0), n - 1);
  };
  const int here = i + l.low[direction];
  return {inside(at_face ? here - 1 : here), inside(here)};
}

double side_coordinate(const IncompressibleCase& c, int side) {
  const auto& faces = c.grid.line[side / 2].faces;
  return side % 2 ? faces.back() : faces.front();
}

// The mean of the normal component over a cell of the side.
double mean_normal(const IncompressibleCase& c, const SidePatch& patch, const int (&cell)[3], double t) {
  const int d = patch.side / 2;
  double x[3] = {}, sum = 0;
  int tangent[2], count = 0;
  for (int e = 0; e < 3; ++e)
    if (e != d) tangent[count++] = e;
  x[d] = side_coordinate(c, patch.side);
  for (const Gauss& a : gauss_points)
    for (const Gauss& b : gauss_points) {
      const Gauss* at[2] = {&a, &b};
      double weight = 1;
      for (int q = 0; q < 2; ++q) {
        const GridLine& line = c.grid.line[tangent[q]];
        const auto i = static_cast<std::size_t>(cell[tangent[q]]);
        const double s = tangent[q] < c.dim() ? at[q]->x : 0;
        x[tangent[q]] = line.centre[i] + 0.5 * s * line.width[i];
        weight *= at[q]->weight;
      }
      sum += weight * patch.formula[d].at(x, t);
    }
  return sum;
}

void evaluate_plane(const IncompressibleCase& c, const Layout& l, int side, double t, bool only_changing,
                    const std::vector<int>& owner, std::int64_t begin, int component, std::vector<double>& values) {
  const Plane p = make_plane(l, side / 2);
  for (int b = -p.pad2; b < p.n2 + p.pad2; ++b)
    for (int a = -p.pad1; a < p.n1 + p.pad1; ++a) {
      const auto place = static_cast<std::size_t>(begin + p.index(a, b));
      const SidePatch& patch = c.patches[owner[place]];
      if (!patch.has_formula || (only_changing && !depends_on_time(patch.formula))) continue;
      const int i1 = a + l.low[p.t1], i2 = b + l.low[p.t2];
      const bool inside = i1 >= 0 && i1 < l.whole[p.t1] && i2 >= 0 && i2 < l.whole[p.t2];
      if (component == p.d && inside) {
        int cell[3] = {};
        cell[p.t1] = i1;
        cell[p.t2] = i2;
        values[place] = mean_normal(c, patch, cell, t);
        continue;
      }
      double x[3];
      x[p.d] = side_coordinate(c, side);
      x[p.t1] = coordinate(c.grid.line[p.t1], component == p.t1, i1);
      x[p.t2] = coordinate(c.grid.line[p.t2], component == p.t2, i2);
      values[place] = patch.formula[component].at(x, t);
    }
}

}  // namespace

double coordinate(const GridLine& line, bool at_faces, int i) {
  const int n = line.cells();
  if (at_faces) return i < 0 ? 2 * line.faces[0] - line.faces[1] : line.faces[i];
  if (i < 0) return 2 * line.faces[0] - line.centre[0];
  return i < n ? line.centre[i] : 2 * line.faces[n] - line.centre[n - 1];
}

std::vector<double> coordinates(const GridLine& line, bool at_faces) {
  std::vector<double> x;
  for (int i = -1; i <= line.cells(); ++i) x.push_back(coordinate(line, at_faces, i));
  return x;
}

std::vector<int> patches_of_points(const IncompressibleCase& c, const Layout& l) {
  const BoundaryPlanes planes(l);
  std::vector<int> owner(static_cast<std::size_t>(planes.total), 0);
  for (int side = 0; side < 2 * l.dim; ++side) {
    if (!l.is_side(side)) continue;
    const Plane p = make_plane(l, side / 2);
    const auto on_side = [&](const SidePatch& q) { return q.side == side; };
    if (const auto only = std::ranges::find_if(c.patches, on_side);
        std::find_if(only + 1, c.patches.end(), on_side) == c.patches.end()) {
      std::fill_n(owner.begin() + planes.begin[side], l.dim * planes.plane[side / 2],
                  static_cast<int>(only - c.patches.begin()));
      continue;
    }
    for (int component = 0; component < l.dim; ++component)
      for (int b = -p.pad2; b < p.n2 + p.pad2; ++b)
        for (int a = -p.pad1; a < p.n1 + p.pad1; ++a) {
          int best = -1;
          for (const int i2 : cells_at(l, p.t2, b, component == p.t2))
            for (const int i1 : cells_at(l, p.t1, a, component == p.t1)) {
              const int q = patch_of_cell(c, side, p, i1, i2);
              if (best < 0 || c.patches[q].type < c.patches[best].type) best = q;
            }
          owner[static_cast<std::size_t>(planes.offset(side, component) + p.index(a, b))] = best;
        }
  }
  return owner;
}

void evaluate_patches(const IncompressibleCase& c, const Layout& l, double t, bool only_changing,
                      const std::vector<int>& owner, std::vector<double>& values) {
  const BoundaryPlanes planes(l);
  for (int side = 0; side < 2 * l.dim; ++side)
    for (int e = 0; e < l.dim && l.is_side(side); ++e)
      evaluate_plane(c, l, side, t, only_changing, owner, planes.offset(side, e), e, values);
}

double area_of_patch(const IncompressibleCase& c, const SidePatch& patch) {
  double area = 1;
  for (int e = 0; e < 3; ++e)
    if (e != patch.side / 2) area *= c.grid.line[e].faces[patch.last[e]] - c.grid.line[e].faces[patch.first[e]];
  return area;
}

double flux_of_patch(const IncompressibleCase& c, const SidePatch& patch, double t) {
  const int d = patch.side / 2;
  const double inwards = patch.side % 2 == 0 ? 1 : -1;
  if (!patch.has_formula) {
    double flux = inwards * patch.velocity[d] * patch.modulation.at(t) * area_of_patch(c, patch);
    for (int e = 0; e < c.dim(); ++e)
      if (e != d && patch.profile == SidePatch::Profile::parabolic && !c.is_uniform_along(patch, e)) flux *= 2.0 / 3.0;
    return flux;
  }
  double sum = 0;
  int cell[3] = {};
  const int t1 = d == 0 ? 1 : 0, t2 = d == 2 ? 1 : 2;
  for (cell[t2] = patch.first[t2]; cell[t2] < patch.last[t2]; ++cell[t2])
    for (cell[t1] = patch.first[t1]; cell[t1] < patch.last[t1]; ++cell[t1])
      sum += mean_normal(c, patch, cell, t) * c.grid.line[t1].width[cell[t1]] * c.grid.line[t2].width[cell[t2]];
  return inwards * patch.modulation.at(t) * sum;
}

}  // namespace weir
