#include "mesh/unstructured/build_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "mesh/unstructured/faces.hpp"

namespace weir {
namespace {

double cross_about(const Point& o, const Point& a, const Point& b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

struct Corners {
  int count;
  std::array<Point, 4> x;
};

Corners corners_of(const std::vector<Point>& node, const int* begin, int count) {
  Corners c{count, {}};
  for (int k = 0; k < count; ++k) c.x[k] = node[begin[k]];
  return c;
}

double twice_area(const Corners& c) {
  const double first = cross_about(c.x[0], c.x[1], c.x[2]);
  return c.count == 3 ? first : first + cross_about(c.x[0], c.x[2], c.x[3]);
}

// Area scale for the flatness test: (longest side)^2 and the rounding error of the coordinates.
double flat_limit(const Corners& c) {
  double side = 0, reach = 0;
  for (int k = 0; k < c.count; ++k) {
    const Point &a = c.x[k], &b = c.x[(k + 1) % c.count];
    side = std::max(side, distance(a, b));
    reach = std::max({reach, std::abs(a[0]), std::abs(a[1])});
  }
  return 4 * std::numeric_limits<double>::epsilon() * side * (side + reach);
}

void check_sizes(const MeshDescription& d) {
  constexpr std::size_t most = std::size_t{1} << 29;  // so that twice a cell and all corners fit an int
  const std::size_t cells = d.cell_start.size() - 1;
  if (cells == 0) throw Error(Exit::usage, (d.source.empty() ? "mesh" : d.source) + ": there are no cells");
  if (cells > most || d.node.size() > most || d.edge.size() > most)
    throw Error(Exit::usage, (d.source.empty() ? "mesh" : d.source) + ": too many cells for a 32-bit index");
}

// Checks every index once; later code relies on it.
void check_indices(const MeshDescription& d) {
  const int nodes = static_cast<int>(d.node.size());
  const auto out_of_range = [&](int n) {
    return "node " + std::to_string(n) + " is out of range: there are " + std::to_string(nodes) +
           " nodes, counted from 0";
  };
  for (int c = 0; c < d.cells(); ++c) {
    const int begin = d.cell_start[c], end = d.cell_start[static_cast<std::size_t>(c) + 1];
    if (end - begin != 3 && end - begin != 4) refuse_cell(d, c, "a cell must have three or four corners");
    for (int k = begin; k < end; ++k) {
      const int n = d.cell_node[k];
      if (n < 0 || n >= nodes) refuse_cell(d, c, out_of_range(n));
      for (int l = begin; l < k; ++l)
        if (d.cell_node[l] == n)
          refuse_cell(d, c, "zero-area corner: the cell names its node at " + point_text(d.node[n]) + " twice");
    }
  }
  for (int e = 0; e < d.edges(); ++e) {
    for (int n : d.edge[e])
      if (n < 0 || n >= nodes) refuse_edge(d, e, out_of_range(n));
    if (d.edge[e][0] == d.edge[e][1]) refuse_edge(d, e, "a boundary face needs two different nodes");
  }
}

// A quadrilateral crosses itself if two of its corners turn left and two turn right.
void orient_cells(MeshDescription& d, MeshRepairs& repairs) {
  for (int c = 0; c < d.cells(); ++c) {
    int* begin = d.cell_node.data() + d.cell_start[c];
    const int count = d.cell_start[static_cast<std::size_t>(c) + 1] - d.cell_start[c];
    const Corners x = corners_of(d.node, begin, count);
    int left = 0, right = 0;
    for (int k = 0; k < count && count == 4; ++k) {
      const auto at = [&](int i) -> const Point& { return x.x[i % 4]; };
      const double turn = cross_about(at(k), at(k + 1), at(k + 3));
      left += turn > 0;
      right += turn < 0;
    }
    const double area = twice_area(x);
    const double flat = flat_limit(x);
    if (!std::isfinite(area) || !std::isfinite(flat)) refuse_cell(d, c, "the area of the cell is not finite");
    if (left == 2 && right == 2)
      refuse_cell(
          d, c, "the quadrilateral at " + point_text(x.x[0]) + " crosses itself; its corners must be listed around it");
    if (std::abs(area) <= flat) refuse_cell(d, c, "zero-area cell at " + point_text(x.x[0]));
    repairs.not_convex += left > 0 && right > 0;
    if (area < 0) {
      std::reverse(begin + 1, begin + count);
      ++repairs.turned;
    }
  }
}

// Drops unused nodes; the others keep their order.
void drop_unused_nodes(MeshDescription& d, MeshRepairs& repairs) {
  std::vector<int> index(d.node.size(), -1);
  for (int n : d.cell_node) index[n] = 0;
  for (const auto& e : d.edge)  // refused below with the positions of its nodes
    for (int n : e) index[n] = 0;
  int used = 0;
  for (std::size_t n = 0; n < index.size(); ++n)
    if (index[n] == 0) {
      d.node[used] = d.node[n];
      index[n] = used++;
    }
  repairs.unused_nodes = static_cast<int>(d.node.size()) - used;
  if (repairs.unused_nodes == 0) return;
  d.node.resize(static_cast<std::size_t>(used));
  for (int& n : d.cell_node) n = index[n];
  for (auto& e : d.edge)
    for (int& n : e) n = index[n];
}

// Relative to the first corner, to keep precision for small cells far from the origin.
void set_cells(UnstructuredMesh& mesh, MeshDescription&& d) {
  mesh.node = std::move(d.node);
  mesh.cell_start = std::move(d.cell_start);
  mesh.cell_node = std::move(d.cell_node);
  const std::size_t cells = mesh.cell_start.size() - 1;
  mesh.volume.resize(cells);
  mesh.centre.resize(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    const int count = mesh.cell_start[c + 1] - mesh.cell_start[c];
    const Corners x = corners_of(mesh.node, mesh.cell_node.data() + mesh.cell_start[c], count);
    double twice = 0;
    Point moment{};
    for (std::size_t k = 2; k < static_cast<std::size_t>(count); ++k) {
      const double part = cross_about(x.x[0], x.x[k - 1], x.x[k]);
      twice += part;
      for (std::size_t e = 0; e < 2; ++e) moment[e] += part * (x.x[k - 1][e] - x.x[0][e] + (x.x[k][e] - x.x[0][e]));
    }
    mesh.volume[c] = 0.5 * twice;
    mesh.centre[c] = {x.x[0][0] + moment[0] / (3 * twice), x.x[0][1] + moment[1] / (3 * twice)};
  }
}

// The remaining markers in their order; sets the patches of the boundary faces. A marker that may lie inside and does
// so completely is dropped.
std::vector<std::string> name_patches(const MeshDescription& d, FaceSet& faces) {
  std::vector<char> is_patch(d.marker.size(), 1);
  for (std::size_t m = 0; m < d.may_lie_inside.size(); ++m) is_patch[m] = !d.may_lie_inside[m];
  const auto marker = [&](const Face& f) { return static_cast<std::size_t>(d.edge_marker[f.other]); };
  for (const Face& f : faces.boundary) is_patch[marker(f)] = 1;
  for (std::size_t m = 0; m < d.marker.size(); ++m)
    for (const PeriodicPair& p : d.periodic)
      if (p.first == d.marker[m] || p.second == d.marker[m]) is_patch[m] = 0;
  std::vector<std::string> patches;
  std::vector<int> patch_of(d.marker.size(), -1);
  for (std::size_t m = 0; m < d.marker.size(); ++m)
    if (is_patch[m]) {
      patch_of[m] = static_cast<int>(patches.size());
      patches.push_back(d.marker[m]);
    }
  for (Face& f : faces.boundary) f.other = patch_of[marker(f)];
  return patches;
}

}  // namespace

UnstructuredMesh build_mesh(MeshDescription d, MeshRepairs* report) {
  MeshRepairs repairs;
  check_sizes(d);
  check_indices(d);
  orient_cells(d, repairs);
  drop_unused_nodes(d, repairs);
  FaceSet faces = match_faces(d, repairs);
  join_periodic(d, faces);
  const std::vector<std::string> patches = name_patches(d, faces);
  UnstructuredMesh mesh;
  set_cells(mesh, std::move(d));
  set_faces(mesh, std::move(faces), patches);
  if (report) *report = repairs;
  return mesh;
}

}  // namespace weir
