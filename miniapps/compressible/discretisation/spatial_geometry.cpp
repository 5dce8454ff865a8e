#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "miniapps/compressible/discretisation/spatial_arrays.hpp"

namespace weir {
namespace {

using Point = std::array<double, 2>;

Point neighbour_centre(const UnstructuredMesh& mesh, int f) {
  Point c = mesh.centre[mesh.neighbour[f]];
  const int periodic = f - (mesh.interior_faces() - mesh.periodic_faces);
  if (periodic >= 0)
    for (std::size_t d = 0; d < 2; ++d) c[d] += mesh.shift[periodic][d];
  return c;
}

// 1 / (n . d), bounded by 20 / |d|, so that compact differences stay bounded in very skewed meshes.
double inverse_distance(const Point& n, double dx, double dy) {
  return 1 / std::max(n[0] * dx + n[1] * dy, 0.05 * std::hypot(dx, dy));
}

void interior(const UnstructuredMesh& mesh, SpatialGeometry& g) {
  const std::size_t n = at(mesh.interior_faces());
  const FaceOrder order = order_faces(mesh, g.own);
  g.sorted = order.sorted;
  g.inner = order.inner;
  g.count = order.count;
  g.face.resize(8 * n);
  for (std::size_t f = 0; f < n; ++f) {
    const int face = order.face[f];
    g.owner.push_back(mesh.owner[face]);
    g.neighbour.push_back(mesh.neighbour[face]);
    const Point l = mesh.centre[g.owner[f]], r = neighbour_centre(mesh, face);
    const Point m = mesh.face_centre[face], normal = mesh.normal[face];
    const double numbers[8] = {
        normal[0],   normal[1],   mesh.area[face], m[0] - l[0],
        m[1] - l[1], m[0] - r[0], m[1] - r[1],     inverse_distance(normal, r[0] - l[0], r[1] - l[1])};
    for (std::size_t k = 0; k < 8; ++k) g.face[k * n + f] = numbers[k];
  }
}

void links(const UnstructuredMesh& mesh, SpatialGeometry& g) {
  g.start.assign(at(mesh.cells() + 1), 0);
  const int faces = mesh.interior_faces();
  for (int f = 0; f < faces; ++f) {
    ++g.start[g.owner[f] + 1];
    ++g.start[g.neighbour[f] + 1];
  }
  for (int i = 0; i < mesh.cells(); ++i) g.start[i + 1] += g.start[i];
  g.link.resize(at(g.start.back()));
  g.other.resize(g.link.size());
  std::vector<int> next(g.start.begin(), g.start.end() - 1);
  const auto add = [&](int cell, int link, int other) {
    const std::size_t e = at(next[cell]++);
    g.link[e] = link;
    g.other[e] = other;
  };
  for (int f = 0; f < faces; ++f) {
    add(g.owner[f], f, g.neighbour[f]);
    add(g.neighbour[f], ~f, g.owner[f]);
  }
}

// Steps from a cell to its neighbours and to the centres of its boundary faces.
struct CellSteps {
  double largest_face = 0, longest = 0, shortest = std::numeric_limits<double>::infinity();
  Point along{};         // unit vector of the longest step
  bool is_bent = false;  // a step deviates from its face by more than two heights
  double coupling = 0;   // sum of (e . along) (e . across) over the unit vectors e of the steps
};

// Height (volume over largest face) of cells that are thin and bent, 0 for all others. Thin and bent: neighbours more
// than two heights off the way through their faces, or steps along and across the cell so coupled that an error
// across becomes an error of the same order along it (unbend).
std::vector<double> bent_heights(const UnstructuredMesh& mesh, const SpatialGeometry& g) {
  const std::size_t n = g.owner.size();
  const auto number = [&](int which, int f) { return g.face[at(which) * n + at(f)]; };
  std::vector<CellSteps> cell(at(g.reach));
  const auto for_steps = [&](const auto& body) {
    for (int i = 0; i < g.reach; ++i)
      for (int e = g.start[i]; e < g.start[i + 1]; ++e) {
        const bool left = g.link[e] >= 0;
        const int f = left ? g.link[e] : ~g.link[e];
        const double sign = left ? 1 : -1;
        body(i, f, sign * (number(3, f) - number(5, f)), sign * (number(4, f) - number(6, f)), left ? 3 : 5);
      }
    for (int f = mesh.interior_faces(); f < mesh.faces(); ++f) {
      const int i = mesh.owner[f];
      if (i < g.reach)
        body(i, f, mesh.face_centre[f][0] - mesh.centre[i][0], mesh.face_centre[f][1] - mesh.centre[i][1], -1);
    }
  };
  for_steps([&](int i, int f, double dx, double dy, int to_face) {
    CellSteps& c = cell[at(i)];
    const double d = std::hypot(dx, dy);
    c.largest_face = std::max(c.largest_face, to_face < 0 ? mesh.area[f] : number(2, f));
    c.shortest = std::min(c.shortest, d);
    if (!(d > c.longest)) return;
    c.longest = d;
    c.along = {dx / d, dy / d};
  });
  for_steps([&](int i, int f, double dx, double dy, int to_face) {
    CellSteps& c = cell[at(i)];
    const double along = dx * c.along[0] + dy * c.along[1], across = dy * c.along[0] - dx * c.along[1];
    c.coupling += along * across / (dx * dx + dy * dy);
    if (to_face < 0) return;
    double x = dx, y = dy;
    unbend(number(to_face, f), number(to_face + 1, f), mesh.volume[i] / c.largest_face, x, y);
    c.is_bent = c.is_bent || x != dx || y != dy;
  });
  std::vector<double> height(at(g.reach), 0);
  constexpr double coupled = 2;
  for (std::size_t i = 0; i < height.size(); ++i) {
    const CellSteps& c = cell[i];
    if (c.is_bent || std::abs(c.coupling) * c.longest > coupled * c.shortest)
      height[i] = mesh.volume[i] / c.largest_face;
  }
  return height;
}

// Weights of the differences to the neighbours: M^-1 d / d^2 with M = sum d d^T / d^2, or half the face over the volume
// in proportion to the distances (Green-Gauss; the face value is interpolated linearly along the line of centres).
void gradient_weights(const UnstructuredMesh& mesh, GradientScheme gradient, const std::vector<double>& height,
                      SpatialGeometry& g) {
  const std::size_t n = g.owner.size();
  g.weight.resize(2 * g.link.size());
  const auto number = [&](int which, int f) { return g.face[at(which) * n + at(f)]; };
  for (int i = 0; i < g.reach; ++i) {
    double xx = 0, xy = 0, yy = 0;
    for (int e = g.start[i]; e < g.start[i + 1]; ++e) {
      const bool left = g.link[e] >= 0;
      const int f = left ? g.link[e] : ~g.link[e];
      const double sign = left ? 1 : -1;
      double dx = sign * (number(3, f) - number(5, f)), dy = sign * (number(4, f) - number(6, f));
      unbend(number(left ? 3 : 5, f), number(left ? 4 : 6, f), height[at(i)], dx, dy);
      const double d2 = least_squares_divisor(dx, dy, height[at(i)]), nx = sign * number(0, f),
                   ny = sign * number(1, f);
      double wx = dx / d2, wy = dy / d2;
      xx += dx * wx;
      xy += dx * wy;
      yy += dy * wy;
      if (gradient == GradientScheme::green_gauss) {
        const double to_l = std::fabs(nx * number(3, f) + ny * number(4, f));
        const double to_r = std::fabs(nx * number(5, f) + ny * number(6, f));
        const double share = (left ? to_l : to_r) / (to_l + to_r), scale = share * number(2, f) / mesh.volume[i];
        wx = scale * nx;
        wy = scale * ny;
      }
      g.weight[2 * e] = wx;
      g.weight[2 * e + 1] = wy;
    }
    if (gradient == GradientScheme::green_gauss) continue;
    const double determinant = xx * yy - xy * xy, trace = xx + yy;
    const double inverse = determinant > 1e-8 * trace * trace ? 1 / determinant : 0;  // 0: boundary cell, set there
    for (int e = g.start[i]; e < g.start[i + 1]; ++e) {
      const double wx = g.weight[2 * e], wy = g.weight[2 * e + 1];
      g.weight[2 * e] = inverse * (yy * wx - xy * wy);
      g.weight[2 * e + 1] = inverse * (xx * wy - xy * wx);
    }
  }
}

void boundaries(const UnstructuredMesh& mesh, const Gas& gas, const std::vector<BoundaryCondition>& conditions,
                const MeshPart* part, SpatialGeometry& g) {
  const int first = mesh.interior_faces();
  const std::size_t n = at(mesh.faces() - first);
  g.boundary_face.resize(6 * n);
  g.boundary_cell_of_face.resize(n);
  g.type.resize(n);
  g.outside.resize(4 * n);
  for (std::size_t p = 0; p < mesh.patches.size(); ++p) {
    const Patch& patch = mesh.patches[p];
    g.patch_first.push_back(patch.first - first);
    g.patch_count.push_back(patch.count);
    g.patch_own.push_back(part ? part->own_in_patch[p] : patch.count);
    const std::array<double, 4> outside = boundary_record(gas.gamma_m2, conditions[p]);
    for (int f = patch.first; f < patch.first + patch.count; ++f) {
      const std::size_t b = at(f - first), i = at(mesh.owner[f]);
      const Point normal = mesh.normal[f];
      const double lx = mesh.face_centre[f][0] - mesh.centre[i][0];
      const double ly = mesh.face_centre[f][1] - mesh.centre[i][1];
      const double numbers[6] = {normal[0], normal[1], mesh.area[f], lx, ly, inverse_distance(normal, lx, ly)};
      for (std::size_t k = 0; k < 6; ++k) g.boundary_face[k * n + b] = numbers[k];
      g.boundary_cell_of_face[b] = mesh.owner[f];
      g.type[b] = static_cast<int>(conditions[p].type);
      std::copy(outside.begin(), outside.end(), g.outside.begin() + static_cast<std::ptrdiff_t>(4 * b));
    }
  }
}

// Cells with boundary faces, ascending, and their faces.
void boundary_cells(SpatialGeometry& g) {
  const int n = static_cast<int>(g.boundary_cell_of_face.size());
  g.boundary_faces.resize(at(n));
  for (int f = 0; f < n; ++f) g.boundary_faces[f] = f;
  std::ranges::stable_sort(g.boundary_faces,
                           [&](int a, int b) { return g.boundary_cell_of_face[a] < g.boundary_cell_of_face[b]; });
  for (int k = 0; k < n; ++k) {
    const int cell = g.boundary_cell_of_face[g.boundary_faces[k]];
    if (!g.boundary_cell.empty() && g.boundary_cell.back() == cell) continue;
    g.boundary_cell.push_back(cell);
    g.boundary_start.push_back(k);
  }
  g.boundary_start.push_back(n);
}

// One block row per own cell: the diagonal and the own neighbours, ascending. No values.
BlockCsrData pattern_of(const UnstructuredMesh& mesh, int own, int block) {
  const std::size_t cells = at(own);
  BlockCsrData J;
  J.block = block;
  std::vector<int> length(cells, 1);
  const auto is_inner = [&](int f) { return mesh.owner[f] < own && mesh.neighbour[f] < own; };
  for (int f = 0; f < mesh.interior_faces(); ++f) {
    if (!is_inner(f)) continue;
    ++length[mesh.owner[f]];
    ++length[mesh.neighbour[f]];
  }
  J.row_start.assign(cells + 1, 0);
  for (std::size_t i = 0; i < cells; ++i) J.row_start[i + 1] = J.row_start[i] + length[i];
  J.column.resize(static_cast<std::size_t>(J.row_start.back()));
  std::vector<std::int64_t> next(J.row_start.begin(), J.row_start.end() - 1);
  const auto add = [&](int row, int column) { J.column[next[row]++] = column; };
  for (int i = 0; i < own; ++i) add(i, i);
  for (int f = 0; f < mesh.interior_faces(); ++f) {
    if (!is_inner(f)) continue;
    add(mesh.owner[f], mesh.neighbour[f]);
    add(mesh.neighbour[f], mesh.owner[f]);
  }
  for (std::size_t i = 0; i < cells; ++i) {
    const auto begin = J.column.begin() + J.row_start[i], end = J.column.begin() + J.row_start[i + 1];
    std::sort(begin, end);
    if (std::adjacent_find(begin, end) != end)
      throw Error(Exit::usage, "two cells share two faces; a periodic direction requires at least three cells");
  }
  return J;
}

// Positions of the off-diagonal blocks of J, and of those on the border.
void block_places(const UnstructuredMesh& mesh, SpatialGeometry& g) {
  const BlockCsrData pattern = pattern_of(mesh, g.own, 4);
  const auto place = [&](int row, int column) {
    const auto begin = pattern.column.begin() + pattern.row_start[row];
    const auto end = pattern.column.begin() + pattern.row_start[row + 1];
    return static_cast<int>(4 * (std::lower_bound(begin, end, column) - pattern.column.begin()));
  };
  for (std::size_t f = 0; f < at(g.inner); ++f) {
    g.owner_row.push_back(place(g.owner[f], g.neighbour[f]));
    g.neighbour_row.push_back(place(g.neighbour[f], g.owner[f]));
  }
  const int border = g.count - g.inner;
  for (int f = 0; f < border; ++f) {
    g.owner_row.push_back(4 * f);
    g.neighbour_row.push_back(4 * (border + f));
  }
}

}  // namespace

std::array<double, 4> boundary_record(double gamma_m2, const BoundaryCondition& c) {
  const auto [rho, u, v, p] = c.outside;
  switch (c.type) {
    case BoundaryType::farfield:
    case BoundaryType::supersonic_inflow:
      if (!(rho > 0) || !(p > 0))
        throw Error(Exit::usage, "the state outside a boundary requires density > 0 and pressure > 0");
      return {p, u, v, gamma_m2 * p / rho};
    case BoundaryType::pressure_outlet:
      if (!(p > 0)) throw Error(Exit::usage, "a pressure outlet requires a pressure > 0");
      return {p, 0, 0, 1};
    case BoundaryType::exact:  // until set_outside
      return {1, 0, 0, 1};
    default:
      return {c.amount, c.velocity[0], c.velocity[1], c.temperature};
  }
}

FaceOrder order_faces(const UnstructuredMesh& mesh, int own) {
  FaceOrder order;
  const int all = mesh.interior_faces(), plain = all - mesh.periodic_faces;
  const auto take = [&](int first, int end, int own_cells) {
    for (int f = first; f < end; ++f)
      if ((mesh.owner[f] < own) + (mesh.neighbour[f] < own) == own_cells) order.face.push_back(f);
    return static_cast<int>(order.face.size());
  };
  order.sorted = take(0, plain, 2);
  order.inner = take(plain, all, 2);
  order.count = take(0, all, 1);
  std::stable_sort(order.face.begin() + order.inner, order.face.end(),
                   [&](int a, int b) { return mesh.owner[a] < mesh.owner[b]; });
  take(0, all, 0);
  return order;
}

SpatialGeometry spatial_geometry(const UnstructuredMesh& mesh, const Gas& gas, GradientScheme gradient,
                                 const std::vector<BoundaryCondition>& conditions, const MeshPart* part) {
  if (conditions.size() != mesh.patches.size())
    throw Error(Exit::usage, "the mesh has " + std::to_string(mesh.patches.size()) + " patches but " +
                                 std::to_string(conditions.size()) + " boundary conditions are given");
  SpatialGeometry g;
  g.volume = mesh.volume;
  g.own = part ? part->own : mesh.cells();
  g.reach = part ? part->own + part->near : mesh.cells();
  interior(mesh, g);
  links(mesh, g);
  const std::vector<double> height = bent_heights(mesh, g);
  gradient_weights(mesh, gradient, height, g);
  boundaries(mesh, gas, conditions, part, g);
  boundary_cells(g);
  for (const int i : g.boundary_cell) g.boundary_height.push_back(height[at(i)]);
  block_places(mesh, g);
  return g;
}

BlockCsrData jacobian_pattern(const UnstructuredMesh& mesh, int own, int equations) {
  return pattern_of(mesh, own < 0 ? mesh.cells() : own, equations);
}

}  // namespace weir
