#include "tests/support/systems/box_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "base/at.hpp"

namespace weir::test {
namespace {

using Point = std::array<double, 2>;

void make_nodes(const BoxMesh& box, UnstructuredMesh& m) {
  std::mt19937_64 random(box.seed);
  std::uniform_real_distribution<double> move(-box.shake, box.shake);
  const double hx = box.width / box.nx, hy = box.height / box.ny;
  for (int j = 0; j <= box.ny; ++j)
    for (int i = 0; i <= box.nx; ++i) {
      const double dx = move(random), dy = move(random);
      const bool inner = i > 0 && i < box.nx && j > 0 && j < box.ny;
      const double x = (i + (inner ? dx : 0)) * hx, y = (j + (inner ? dy : 0)) * hy;
      m.node.push_back(box.place ? box.place(x, y) : Point{x, y});
    }
}

void add_cell(UnstructuredMesh& m, const std::vector<int>& corners) {
  double area = 0, x = 0, y = 0;
  const Point o = m.node[at(corners[0])];  // close by: less rounding
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Point a = m.node[at(corners[k])], b = m.node[at(corners[(k + 1) % corners.size()])];
    const double cross = (a[0] - o[0]) * (b[1] - o[1]) - (b[0] - o[0]) * (a[1] - o[1]);
    area += cross / 2;
    x += cross * (a[0] + b[0] - 2 * o[0]) / 6;
    y += cross * (a[1] + b[1] - 2 * o[1]) / 6;
  }
  m.cell_node.insert(m.cell_node.end(), corners.begin(), corners.end());
  m.cell_start.push_back(static_cast<int>(m.cell_node.size()));
  m.volume.push_back(area);
  m.centre.push_back({o[0] + x / area, o[1] + y / area});
}

void make_cells(const BoxMesh& box, UnstructuredMesh& m) {
  for (int j = 0; j < box.ny; ++j)
    for (int i = 0; i < box.nx; ++i) {
      const int a = j * (box.nx + 1) + i, b = a + 1, d = a + box.nx + 1, c = d + 1;
      const bool whole = box.kind == CellKind::quads || (box.kind == CellKind::mixed && 2 * i < box.nx);
      if (whole) {
        add_cell(m, {a, b, c, d});
      } else if ((i + j) % 2) {
        add_cell(m, {a, b, c});
        add_cell(m, {a, c, d});
      } else {
        add_cell(m, {a, b, d});
        add_cell(m, {b, c, d});
      }
    }
}

struct Face {
  int owner, neighbour, a, b, patch;  // patch: -1 interior, -2 periodic
};

void add_face(UnstructuredMesh& m, const Face& f) {
  const Point a = m.node[at(f.a)], b = m.node[at(f.b)];
  const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
  m.face_node.push_back({f.a, f.b});
  m.owner.push_back(f.owner);
  m.area.push_back(length);
  m.normal.push_back({(b[1] - a[1]) / length, (a[0] - b[0]) / length});
  m.face_centre.push_back({(a[0] + b[0]) / 2, (a[1] + b[1]) / 2});
  if (f.patch < 0) m.neighbour.push_back(f.neighbour);
}

// Which side of the box a boundary edge lies on: 0 x_min, 1 x_max, 2 y_min, 3 y_max.
int side_of(const BoxMesh& box, int a, int b) {
  const int ia = a % (box.nx + 1), ib = b % (box.nx + 1), ja = a / (box.nx + 1), jb = b / (box.nx + 1);
  return ia == 0 && ib == 0 ? 0 : ia == box.nx && ib == box.nx ? 1 : ja == 0 && jb == 0 ? 2 : 3;
}

std::vector<Face> find_faces(const BoxMesh& box, const UnstructuredMesh& m) {
  std::map<std::pair<int, int>, Face> open;
  std::vector<Face> found;
  for (int c = 0; c < m.cells(); ++c)
    for (int k = 0; k < m.corners(c); ++k) {
      const int a = m.cell_node[at(m.cell_start[at(c)] + k)];
      const int b = m.cell_node[at(m.cell_start[at(c)] + (k + 1) % m.corners(c))];
      if (const auto it = open.find({b, a}); it != open.end()) {
        Face f = it->second;
        f.neighbour = c;
        found.push_back(f);
        open.erase(it);
      } else {
        open[{a, b}] = {c, -1, a, b, -1};
      }
    }
  // Partners of periodic sides by their place along the side.
  std::map<std::pair<int, int>, Face> partner[4];
  for (auto& [nodes, f] : open) {
    const int side = f.patch = side_of(box, f.a, f.b), columns = box.nx + 1;
    const int place = side < 2 ? std::min(f.a, f.b) / columns : std::min(f.a % columns, f.b % columns);
    if (side < 2 ? box.periodic_x : box.periodic_y)
      partner[side][{place, 0}] = f;
    else
      found.push_back(f);
  }
  for (int side : {0, 2})
    for (const auto& [place, low] : partner[side]) {
      const Face high = partner[side + 1].at(place);
      Face f = low.owner < high.owner ? low : high;
      f.neighbour = std::max(low.owner, high.owner);
      f.patch = low.owner < high.owner ? -2 - side : -3 - side;  // of the owner's side
      found.push_back(f);
    }
  return found;
}

}  // namespace

UnstructuredMesh box_mesh(const BoxMesh& box) {
  UnstructuredMesh m;
  make_nodes(box, m);
  make_cells(box, m);
  std::vector<Face> faces = find_faces(box, m);
  const auto room = [](const Face& f) { return f.patch == -1 ? 0 : f.patch < -1 ? 1 : 2 + f.patch; };
  std::sort(faces.begin(), faces.end(), [&](const Face& p, const Face& q) {
    return std::tuple(room(p), p.owner, p.neighbour) < std::tuple(room(q), q.owner, q.neighbour);
  });
  const char* names[4] = {"x_min", "x_max", "y_min", "y_max"};
  for (const Face& f : faces) {
    if (f.patch >= 0) {
      if (m.patches.empty() || m.patches.back().name != names[f.patch])
        m.patches.push_back({names[f.patch], m.faces(), 0});
      ++m.patches.back().count;
    }
    if (f.patch < -1) {
      // Shift that brings the neighbour's centre next to the owner's face.
      const Point shift[4] = {{-box.width, 0}, {box.width, 0}, {0, -box.height}, {0, box.height}};
      m.shift.push_back(shift[-2 - f.patch]);
      ++m.periodic_faces;
    }
    add_face(m, f);
  }
  return m;
}

}  // namespace weir::test
