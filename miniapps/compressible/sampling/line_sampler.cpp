#include "miniapps/compressible/sampling/line_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {

CellNeighbours::CellNeighbours(const UnstructuredMesh& m) : start_(static_cast<std::size_t>(m.cells()) + 1) {
  const int faces = m.interior_faces(), plain = faces - m.periodic_faces;
  for (int f = 0; f < faces; ++f) {
    ++start_[m.owner[f] + 1];
    ++start_[m.neighbour[f] + 1];
  }
  for (int c = 0; c < m.cells(); ++c) start_[c + 1] += start_[c];
  other_.resize(2 * static_cast<std::size_t>(faces));
  std::vector<int> next(start_.begin(), start_.end() - 1);
  for (int f = 0; f < faces; ++f) {
    const int a = m.owner[f], b = m.neighbour[f];
    const Point shift = f < plain ? Point{0, 0} : m.shift[f - plain];
    other_[next[a]++] = {b, {m.centre[b][0] + shift[0], m.centre[b][1] + shift[1]}};
    other_[next[b]++] = {a, {m.centre[a][0] - shift[0], m.centre[a][1] - shift[1]}};
  }
}

LineSampler::LineSampler(const UnstructuredMesh& m, const CellNeighbours& neighbours, const Point& from,
                         const Point& to)
    : mesh_(m), neighbours_(neighbours), from_(from), to_(to) {
  const Point along{to[0] - from[0], to[1] - from[1]};
  const double slack = 1e-9 * std::hypot(along[0], along[1]);  // the line's ends may be on walls
  for (int c = 0; c < m.cells(); ++c) {
    double first = 0, last = 1;
    const int begin = m.cell_start[c], corners = m.corners(c);
    for (int i = 0; i < corners && first <= last; ++i) {
      const Point &a = m.node[m.cell_node[begin + i]], &b = m.node[m.cell_node[begin + (i + 1) % corners]];
      const Point out{b[1] - a[1], a[0] - b[0]};  // the cell is counter-clockwise
      const double length = std::hypot(out[0], out[1]);
      const double outside = (out[0] * (from[0] - a[0]) + out[1] * (from[1] - a[1])) / length - slack;
      const double speed = (out[0] * along[0] + out[1] * along[1]) / length;
      if (speed > 0)
        last = std::min(last, -outside / speed);
      else if (speed < 0)
        first = std::max(first, -outside / speed);
      else if (outside > 0)
        last = -1;
    }
    if (first <= last) pieces_.push_back({first, last, c});
  }
  std::ranges::sort(pieces_, [](const Piece& a, const Piece& b) { return a.from < b.from; });
}

double LineSampler::operator()(double t, const std::function<double(int cell)>& of_cell) const {
  // Pieces hardly overlap: the last that starts before t, or one just before it.
  auto piece =
      std::upper_bound(pieces_.begin(), pieces_.end(), t, [](double at, const Piece& p) { return at < p.from; });
  constexpr int most = 8;  // cells that meet in a node on the line
  for (int back = 0; back < most && piece != pieces_.begin(); ++back)
    if ((--piece)->to >= t) {
      const int cell = piece->cell;
      const Point x{from_[0] + t * (to_[0] - from_[0]), from_[1] + t * (to_[1] - from_[1])},
          &centre = mesh_.centre[cell];
      const double value = of_cell(cell);
      double xx = 0, xy = 0, yy = 0, bx = 0, by = 0;
      neighbours_.of(cell, [&](const CellNeighbours::Other& other) {
        const double dx = other.centre[0] - centre[0], dy = other.centre[1] - centre[1], w = 1 / (dx * dx + dy * dy);
        const double rise = of_cell(other.cell) - value;
        xx += w * dx * dx;
        xy += w * dx * dy;
        yy += w * dy * dy;
        bx += w * dx * rise;
        by += w * dy * rise;
      });
      const double det = xx * yy - xy * xy, px = x[0] - centre[0], py = x[1] - centre[1];
      if (!(det > 1e-12 * (xx + yy) * (xx + yy))) return value;  // collinear neighbours
      return value + ((yy * bx - xy * by) * px + (xx * by - xy * bx) * py) / det;
    }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace weir
