// The interpolation rows of ghost, fresh and blended nodes.
#include <algorithm>

#include "miniapps/immersed/geometry/cut_geometry.hpp"

namespace weir {
namespace {

constexpr double blend_zone = 0.5;  // in cells: wider makes forces smoother and moves them
constexpr double tied_zone = 0.01;  // in cells: a foot that is farther than the nearest by this has no share in a ghost

// The interval of x that holds v.
int locate(const PointLine& x, double v) { return std::clamp(x.first_above(v) - 1, 0, x.size() - 2); }

// The first of three points around v, and what a parabola through them takes of each.
int quadratic_weights(const PointLine& x, double v, double (&w)[3]) {
  const int q = locate(x, v), nearest = v - x[q] < x[q + 1] - v ? q - 1 : q,
            first = std::clamp(nearest, 0, x.size() - 3);
  const double a = v - x[first], b = v - x[first + 1], c = v - x[first + 2];
  w[0] = b * c / ((c - a) * (b - a));
  w[1] = a * c / ((a - b) * (c - b));
  w[2] = a * b / ((a - c) * (b - c));
  return first;
}

}  // namespace

// Beyond a plane of symmetry are the mirrored values, with the other sign for the component across it. Beyond another
// side are the values of that side.
double CutGeometry::mirror(int c, Vec3& x) const {
  double sign = 1;
  for (int side = 0; side < 2 * layout_.dim; ++side) {
    const std::size_t d = static_cast<std::size_t>(side) / 2;
    const double beyond = (side % 2 ? 1 : -1) * (x[d] - side_[side]);
    if (beyond <= 0 || layout_.wraps(static_cast<int>(d))) continue;
    if (!mirrors_[side]) {
      x[d] = side_[side];
      continue;
    }
    x[d] = 2 * side_[side] - x[d];
    if (static_cast<int>(d) == c) sign = -sign;
  }
  return sign;
}

// Adds factor times the interpolation at x to a row; nodes that hold no value yet become ghosts too.
void CutGeometry::interpolate(int c, const Vec3& from, double factor, int self, InterpolationRows& r,
                              std::vector<int>& more) {
  const Layout& l = layout_;
  Vec3 x = from;
  factor *= mirror(c, x);
  // Linear, or quadratic for a scalar and for cubic ghosts: an error of h^2 next to the wall would be one of h in the
  // scalar's flux, or in friction.
  const int nodes = c >= scalar_nodes || cubic_ghosts_ ? 3 : 2;
  if (ranks_ && row_is_own_ && !is_inside(x, nodes - 2)) too_narrow_ = true;
  int low[3] = {0, 0, 0};
  double weight[3][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  for (int d = 0; d < l.dim; ++d) {
    const PointLine& line = d == c ? face_line_[d] : centre_line_[d];
    const int q = nodes == 2 ? locate(line, x[d]) : quadratic_weights(line, x[d], weight[d]);
    if (nodes == 2) {
      weight[d][1] = (x[d] - line[q]) / (line[q + 1] - line[q]);
      weight[d][0] = 1 - weight[d][1];
    }
    low[d] = d == c ? q : q - 1;
  }
  const Extents box = l.unknowns(c);
  for (int q = 0; q < nodes * nodes * (l.dim == 3 ? nodes : 1); ++q) {
    const int node[3] = {q % nodes, q / nodes % nodes, q / (nodes * nodes)};
    int at[3], unknown[3];
    double w = factor;
    bool is_unknown = true;
    for (int d = 0; d < 3; ++d) {
      at[d] = low[d] + (d < l.dim ? node[d] : 0);
      if (d < l.dim) w *= weight[d][node[d]];
      if (d != c && mirrors_[2 * d] && at[d] + l.low[d] < 0) at[d] = 0;
      if (d != c && mirrors_[2 * d + 1] && at[d] + l.low[d] >= l.whole[d]) at[d] = l.n[d] - 1;
      unknown[d] = at[d] - (d == c ? l.first(c) : 0);
      const int n = d == 0 ? box.nx : d == 1 ? box.ny : box.nz;
      if (unknown[d] < 0 || unknown[d] >= n) is_unknown = false;
    }
    if (w == 0) continue;
    const int where = place(at[0], at[1], at[2]);
    if (where == self) {
      r.row.back().self += w;
      continue;
    }
    unsigned char& k = kind[c][where];
    if (k == solid_node && is_unknown) {
      k = ghost_node;
      more.push_back(where);
    }
    r.entry.push_back({is_unknown ? box.index(unknown[0], unknown[1], unknown[2]) : -1, where, w});
  }
}

double CutGeometry::wall_value(const Body& body, const Foot& foot, int c) const {
  return c >= scalar_nodes ? wall_of(foot, c).value : body.fluid_velocity(foot)[c];
}

// The entries of the last row where the wall gives a scalar's slope, or a ghost takes the cubic; `share` of them.
void CutGeometry::make_row(int c, int at, const SharedFoot& to, double wall, std::vector<int>& more) {
  InterpolationRows& r = rows[c];
  const auto& [foot, share] = to;
  const double h = cell_along(foot.normal, c, at), d = foot.distance / h;
  const auto point = [&](double cells) { return foot.point + cells * h * foot.normal; };
  if (!gives_slope(foot, c)) {
    interpolate(c, point(1), -0.5 * share * d * (d - 2) * (d - 3), at, r, more);
    interpolate(c, point(2), 0.5 * share * d * (d - 1) * (d - 3), at, r, more);
    interpolate(c, point(3), -share * d * (d - 1) * (d - 2) / 6, at, r, more);
    r.row.back().target += -share * (d - 1) * (d - 2) * (d - 3) / 6 * wall;
    return;
  }
  const bool is_ghost = kind[c][at] == ghost_node;
  const double p = is_ghost ? 1 : d + 1, q = p + 1, part = (p * p - d * d) / (q * q - p * p), left = 1 - d / blend_zone;
  interpolate(c, point(p), -share * (1 + part), at, r, more);
  interpolate(c, point(q), share * part, at, r, more);
  r.row.back().target += share * wall * h * (d - p + part * (q - p));
  if (!is_ghost) r.row.back().blend = kind[c][at] == fresh_node ? 1 : left * left;
}

// tied_: the foot of a node in the solid, and those on other faces that are as near. They are searched for where the
// foot of a neighbour lies beyond a sharp edge, on a plane that is about as near.
void CutGeometry::find_ties(const Body& body, int c, int at, const Foot& foot) {
  tied_.assign(1, {foot, 1});
  const double depth = -foot.distance, h = cell_along(foot.normal, c, at);
  if (body.exact() || body.has_openings() || depth <= tie_) return;
  const DistanceOfAll& points = points_of(c);
  const int nx = points.count(0), ny = points.count(1), nz = points.count(2), index = point_index(c, at);
  const int i = index % nx, j = index / nx % ny, k = index / nx / ny;
  const Vec3 x = foot.point + foot.distance * foot.normal;
  for (int q = 0; q < 27; ++q) {
    const int to[3] = {i + q % 3 - 1, j + q / 3 % 3 - 1, k + q / 9 - 1};
    if (to[0] < 0 || to[0] >= nx || to[1] < 0 || to[1] >= ny || to[2] < 0 || to[2] >= nz) continue;
    const std::int32_t near = points.code()[to[0] + nx * (to[1] + std::int64_t{ny} * to[2])];
    if (near < 0) continue;
    const Foot& other = points.near()[near].foot;
    if (other.body != foot.body || dot(other.normal, foot.normal) > sharp_edge) continue;
    if (std::abs(dot(other.point - x, other.normal) - depth) > 0.1 * h) continue;
    find_tied_feet(body, x, foot, tied_zone * h, tied_);
    return;
  }
}

// The entries of the last row, that of a ghost: from the wall and two points on the normal.
void CutGeometry::make_ghost(const Body& body, int c, int at, const Foot& foot, std::vector<int>& more) {
  InterpolationRows& r = rows[c];
  if (body.has_openings() && !gives_slope(foot, c)) {
    const Vec3 x = foot.point + foot.distance * foot.normal;
    if (body.is_outflow(foot))
      return interpolate(c, foot.point + cell_along(foot.normal, c, at) * foot.normal, -1, at, r, more);
    r.row.back().target = 2 * wall_value(body, foot, c);
    return interpolate(c, x - 2 * foot.distance * foot.normal, 1, at, r, more);
  }
  find_ties(body, c, at, foot);
  for (const SharedFoot& to : tied_) {
    const double wall = wall_value(body, to.foot, c);
    if (cubic_ghosts_ || gives_slope(to.foot, c)) {
      make_row(c, at, to, wall, more);
      continue;
    }
    const Foot& f = to.foot;
    const double h = cell_along(f.normal, c, at), d = f.distance / h;
    interpolate(c, f.point + h * f.normal, to.share * d * (d - 2), at, r, more);
    interpolate(c, f.point + 2 * h * f.normal, -0.5 * to.share * d * (d - 1), at, r, more);
    r.row.back().target += 0.5 * to.share * (d - 1) * (d - 2) * wall;
  }
}

void CutGeometry::make_rows(const Bodies& bodies, int c) {
  const Layout& l = layout_;
  const DistanceOfAll& points = points_of(c);
  const Extents box = l.unknowns(c);
  std::vector<int> todo, more;
  for (const auto& near : points.near()) {
    const int nx = points.count(0), ny = points.count(1);
    const auto i = static_cast<int>(near.index % nx) - x0_, j = static_cast<int>(near.index / nx % ny),
               k = static_cast<int>(near.index / nx / ny);
    if (i < 0 || i >= l.n[0] + (c == 0 ? 1 : 2)) continue;
    const int at = place(i - (c == 0 ? 0 : 1), j - (c == 1 ? 0 : 1), l.dim == 3 ? k - (c == 2 ? 0 : 1) : 0);
    const auto what = kind[c][at];
    const Body& body = bodies.of(near.foot);
    const bool blended = what >= fluid_node && !body.is_fixed() && !body.is_outflow(near.foot) &&
                         near.foot.distance < blend_zone * cell_along(near.foot.normal, c, at);
    if (what == ghost_node || what == fresh_node || blended) todo.push_back(at);
  }
  InterpolationRows& r = rows[c];
  r.row.clear();
  r.entry.clear();
  const int sy = l.stride(1), sz = l.stride(2);
  while (!todo.empty()) {
    more.clear();
    for (const int at : todo) {
      const int k = at / sz - l.pad(2), j = at % sz / sy - l.pad(1), i = at % sy - l.pad(0);
      const int u[3] = {i - (c == 0 ? l.first(0) : 0), j - (c == 1 ? l.first(1) : 0), k - (c == 2 ? l.first(2) : 0)};
      if (u[0] < 0 || u[0] >= box.nx || u[1] < 0 || u[1] >= box.ny || u[2] < 0 || u[2] >= box.nz) continue;
      const std::int32_t near = points.code()[point_index(c, at)];
      if (near < 0) continue;  // too deep for anything to be known of it: it keeps its value
      const Foot& foot = points.near()[near].foot;
      const Body& body = bodies.of(foot);
      const Vec3 x = foot.point + foot.distance * foot.normal;
      row_is_own_ = is_own(i, j, k);
      InterpolationRow& row = r.row.emplace_back();
      row.row = box.index(u[0], u[1], u[2]);
      row.node = at;
      row.begin = static_cast<int>(r.entry.size());
      const double h = cell_along(foot.normal, c, at);
      if (kind[c][at] == ghost_node) {
        make_ghost(body, c, at, foot, more);
      } else if (gives_slope(foot, c)) {
        make_row(c, at, {foot, 1}, wall_value(body, foot, c), more);
      } else if (body.is_outflow(foot)) {
        interpolate(c, x + h * foot.normal, -1, at, r, more);
      } else {
        const double s0 = foot.distance, s1 = s0 + h, s2 = s1 + h;
        interpolate(c, x + h * foot.normal, -2 * s0 / s1, at, r, more);
        interpolate(c, x + 2 * h * foot.normal, s0 / s2, at, r, more);
        row.target = 2 * h * h / (s1 * s2) * wall_value(body, foot, c);
        const bool fresh = kind[c][at] == fresh_node;
        const double part = 1 - s0 / (blend_zone * h);
        row.blend = fresh ? 1 : part * part;
        fresh_nodes += fresh;
      }
      row.end = static_cast<int>(r.entry.size());
    }
    todo.swap(more);
  }
  const auto by_row = [](const InterpolationRow& a, const InterpolationRow& b) { return a.row < b.row; };
  std::ranges::sort(r.row, by_row);  // as the matrix wants them
}

}  // namespace weir
