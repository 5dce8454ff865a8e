#include "miniapps/immersed/geometry/cut_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {
namespace {

// Of the band around the surface, in cells. Nothing farther is looked at: the corners of a cell that is cut and the
// solid neighbours of fluid nodes are within the diagonal of a cell, fluid parts and blended nodes within half of it,
// fresh nodes within a cell.
double reach_in(int dim) { return dim == 2 ? 1.45 : 1.75; }

constexpr double tie = 1e-6;        // of the smallest cell
constexpr double blend_zone = 0.5;  // in cells: wider makes forces smoother and moves them

std::vector<double> centres_with_ghosts(const GridLine& line) {
  std::vector<double> c = line.centre;
  c.insert(c.begin(), line.faces.front() - 0.5 * line.width.front());
  c.push_back(line.faces.back() + 0.5 * line.width.back());
  return c;
}

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

std::vector<double> slice(const std::vector<double>& all, int first, int count) {
  return {all.begin() + first, all.begin() + first + count};
}

Grid part_of(const Grid& whole, const Layout& l) {
  Grid part;
  for (std::size_t d = 0; d < 3; ++d)
    part.line[d] = {slice(whole.line[d].faces, l.low[d], l.n[d] + 1), slice(whole.line[d].centre, l.low[d], l.n[d]),
                    slice(whole.line[d].width, l.low[d], l.n[d])};
  return part;
}

}  // namespace

CutGeometry::CutGeometry(const Grid& grid, const Layout& layout)
    : CutGeometry(grid, CutRegion{layout, {{0, 0, 0}, {layout.n[0], layout.n[1], layout.n[2]}}}) {}

CutGeometry::CutGeometry(const Grid& grid, const CutRegion& region)
    : grid_(part_of(grid, region.layout)),
      layout_(region.layout),
      own_(region.own),
      ranks_(region.ranks),
      crosses_(region.crosses),
      mirrors_(region.mirrors),
      x0_(region.layout.low[0]) {
  const Layout& l = layout_;
  for (std::size_t d = 0; d < 3; ++d) {
    side_[2 * d] = grid.line[d].faces.front();
    side_[2 * d + 1] = grid.line[d].faces.back();
    face_[d] = grid_.line[d].faces;
    centre_[d] = slice(centres_with_ghosts(grid.line[d]), l.low[d], l.n[d] + 2);
    face_line_[d] = PointLine(face_[d]);
    const double h = *std::min_element(grid.line[d].width.begin(), grid.line[d].width.end());
    if (static_cast<int>(d) < l.dim) tie_ = d == 0 ? tie * h : std::min(tie_, tie * h);
    centre_line_[d] = PointLine(centre_[d]);
  }
  corners_ = make_points(grid, 4);
  for (int c = 0; c < l.dim; ++c) nodes_[c] = make_points(grid, c);
  const auto padded = static_cast<std::size_t>(l.padded_count()), cells = static_cast<std::size_t>(l.cells().count());
  for (int c = 0; c < l.dim; ++c) {
    alpha[c].assign(padded, 1);
    fraction[c].assign(padded, 1);
    kind[c].assign(padded, fluid_node);
  }
  wet.assign(cells, held_cell);
  body_flux.assign(cells, 0);
  phi_.resize(corners_.distance->code().size());
}

CutGeometry::Points CutGeometry::make_points(const Grid& grid, int component) const {
  std::array<std::vector<double>, 3> here, whole;
  for (int d = 0; d < 3; ++d) {
    const bool at_faces = component == 4 || component == d;
    whole[d] = d >= layout_.dim ? std::vector<double>{grid.line[2].centre.front()}
               : at_faces       ? grid.line[d].faces
                                : centres_with_ghosts(grid.line[d]);
    here[d] = d == 0 || d >= layout_.dim ? whole[d] : at_faces ? face_[d] : centre_[d];
  }
  Points p;
  const BandOptions options{.reach = reach_in(layout_.dim), .is_part = ranks_ != nullptr || crosses_};
  p.distance = std::make_unique<BodyDistance>(here[0], here[1], here[2], options);
  if (ranks_)
    for (std::size_t d = 0; d < 3; ++d) p.whole[d] = PointLine(whole[d]);
  return p;
}

void CutGeometry::carry_scalars(const Grid& whole, const std::vector<WallScalar>& walls) {
  if (walls.empty()) return;
  walls_ = walls;
  pieces_on_surface_ = true;
  nodes_[scalar_nodes] = make_points(whole, scalar_nodes);
  kind.resize(scalar_nodes + walls.size(),
              std::vector<unsigned char>(static_cast<std::size_t>(layout_.padded_count()), fluid_node));
  rows.resize(kind.size());
}

int CutGeometry::point_index(int c, int at) const {
  const Layout& l = layout_;
  const int sy = l.stride(1), sz = l.stride(2), k = at / sz, j = (at - k * sz) / sy,
            i = at - k * sz - j * sy;  // padded
  const BodyDistance& points = points_of(c);
  const int nx = points.count(0), ny = points.count(1);
  const int z = l.dim == 3 ? k - (c == 2 ? 1 : 0) : 0;
  return x0_ + (i - (c == 0 ? 1 : 0)) + nx * ((j - (c == 1 ? 1 : 0)) + ny * z);
}

// How far a cell around a node reaches along a direction.
double CutGeometry::cell_along(const Vec3& normal, int c, int at) const {
  const Layout& l = layout_;
  const int sy = l.stride(1), sz = l.stride(2);
  const int u[3] = {at % sy - l.pad(0), at % sz / sy - l.pad(1), at / sz - l.pad(2)};
  double span = 0;
  for (int d = 0; d < l.dim; ++d) {
    const auto width = [&](int i) { return grid_.line[d].width[std::clamp(i, 0, l.n[d] - 1)]; };
    span += std::abs(normal[d]) * (d == c ? 0.5 * (width(u[d] - 1) + width(u[d])) : width(u[d]));
  }
  return span;
}

// Kinds, and the fluid part of the control volumes by a plane at the signed distance.
void CutGeometry::classify(const Body& body, int c) {
  (void)body;
  const Layout& l = layout_;
  const BodyDistance& points = points_of(c);
  std::vector<unsigned char>& kinds = kind[c];
  before_ = kinds;
  const int row = points.count(0), nx = l.n[0] + (c == 0 ? 1 : 2), ny = points.count(1), nz = points.count(2);
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j) {
      std::int64_t index = x0_ + row * (j + std::int64_t{ny} * k);
      for (int i = 0; i < nx; ++i, ++index) {
        const int at = place(i - (c == 0 ? 0 : 1), j - (c == 1 ? 0 : 1), l.dim == 3 ? k - (c == 2 ? 0 : 1) : 0);
        const bool solid = is_solid(points, index);
        kinds[at] = solid ? solid_node : fluid_node;
        if (c < 3) fraction[c][at] = solid ? 0 : 1;
      }
    }
#pragma omp parallel for schedule(static)
  for (const auto& near : points.near()) {
    const auto i = static_cast<int>(near.index % row) - x0_, j = static_cast<int>(near.index / row % ny),
               k = static_cast<int>(near.index / row / ny);
    if (i < 0 || i >= nx) continue;
    const int u[3] = {i - (c == 0 ? 0 : 1), j - (c == 1 ? 0 : 1), l.dim == 3 ? k - (c == 2 ? 0 : 1) : 0};
    const int at = place(u[0], u[1], u[2]);
    const double span = cell_along(near.foot.normal, c, at);
    if (c < 3) fraction[c][at] = std::clamp(0.5 + near.foot.distance / span, 0.0, 1.0);
    if (kinds[at] == fluid_node) {
      if (updated_ && before_[at] < fresh_node) kinds[at] = fresh_node;
      if (updated_ && before_[at] == fresh_node) kinds[at] = recent_node;
      continue;
    }
    bool beside = c < 3 && alpha[c][at] > 0;
    for (int dk = l.dim == 3 ? -1 : 0; dk <= (l.dim == 3 ? 1 : 0) && !beside; ++dk)
      for (int dj = -1; dj <= 1 && !beside; ++dj)
        for (int di = -1; di <= 1 && !beside; ++di) {
          const int q[3] = {i + di, j + dj, k + dk};
          if (q[0] < 0 || q[0] >= nx || q[1] < 0 || q[1] >= ny || q[2] < 0 || q[2] >= nz) continue;
          beside = !is_solid(points, x0_ + q[0] + std::int64_t{row} * (q[1] + std::int64_t{ny} * q[2]));
        }
    if (beside) kinds[at] = ghost_node;
  }
}

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

// The entries of the last row where the wall gives a scalar's slope, or a ghost takes the cubic.
void CutGeometry::make_row(int c, int at, const Foot& foot, double wall, std::vector<int>& more) {
  InterpolationRows& r = rows[c];
  const double h = cell_along(foot.normal, c, at), d = foot.distance / h;
  const auto point = [&](double cells) { return foot.point + cells * h * foot.normal; };
  if (!gives_slope(c)) {
    interpolate(c, point(1), -0.5 * d * (d - 2) * (d - 3), at, r, more);
    interpolate(c, point(2), 0.5 * d * (d - 1) * (d - 3), at, r, more);
    interpolate(c, point(3), -d * (d - 1) * (d - 2) / 6, at, r, more);
    r.row.back().target = -(d - 1) * (d - 2) * (d - 3) / 6 * wall;
    return;
  }
  const bool is_ghost = kind[c][at] == ghost_node;
  const double p = is_ghost ? 1 : d + 1, q = p + 1, part = (p * p - d * d) / (q * q - p * p), left = 1 - d / blend_zone;
  interpolate(c, point(p), -(1 + part), at, r, more);
  interpolate(c, point(q), part, at, r, more);
  r.row.back().target = wall * h * (d - p + part * (q - p));
  if (!is_ghost) r.row.back().blend = kind[c][at] == fresh_node ? 1 : left * left;
}

void CutGeometry::make_rows(const Body& body, int c) {
  const Layout& l = layout_;
  const BodyDistance& points = points_of(c);
  const Extents box = l.unknowns(c);
  std::vector<int> todo, more;
  for (const auto& near : points.near()) {
    const int nx = points.count(0), ny = points.count(1);
    const auto i = static_cast<int>(near.index % nx) - x0_, j = static_cast<int>(near.index / nx % ny),
               k = static_cast<int>(near.index / nx / ny);
    if (i < 0 || i >= l.n[0] + (c == 0 ? 1 : 2)) continue;
    const int at = place(i - (c == 0 ? 0 : 1), j - (c == 1 ? 0 : 1), l.dim == 3 ? k - (c == 2 ? 0 : 1) : 0);
    const auto what = kind[c][at];
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
      const Vec3 x = foot.point + foot.distance * foot.normal;
      const double wall = c >= scalar_nodes ? walls_[c - scalar_nodes].value : body.fluid_velocity(foot)[c];
      row_is_own_ = is_own(i, j, k);
      InterpolationRow& row = r.row.emplace_back();
      row.row = box.index(u[0], u[1], u[2]);
      row.node = at;
      row.begin = static_cast<int>(r.entry.size());
      const double h = cell_along(foot.normal, c, at);
      const bool is_ghost = kind[c][at] == ghost_node;
      if ((is_ghost && cubic_ghosts_) || gives_slope(c)) {
        make_row(c, at, foot, wall, more);
      } else if (body.is_outflow(foot)) {
        interpolate(c, (is_ghost ? foot.point : x) + h * foot.normal, -1, at, r, more);
      } else if (is_ghost && body.has_openings()) {
        interpolate(c, x - 2 * foot.distance * foot.normal, 1, at, r, more);
        row.target = 2 * wall;
      } else if (is_ghost) {
        const double d = foot.distance / h;
        interpolate(c, foot.point + h * foot.normal, d * (d - 2), at, r, more);
        interpolate(c, foot.point + 2 * h * foot.normal, -0.5 * d * (d - 1), at, r, more);
        row.target = 0.5 * (d - 1) * (d - 2) * wall;
      } else {
        const double s0 = foot.distance, s1 = s0 + h, s2 = s1 + h;
        interpolate(c, x + h * foot.normal, -2 * s0 / s1, at, r, more);
        interpolate(c, x + 2 * h * foot.normal, s0 / s2, at, r, more);
        row.target = 2 * h * h / (s1 * s2) * wall;
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
  std::sort(r.row.begin(), r.row.end(), by_row);  // as the matrix wants them
}

void CutGeometry::find_distances(const Body& body) {
  for (Points* p : {&corners_, &nodes_[0], &nodes_[1], &nodes_[2], &nodes_[3]}) {
    if (!p->distance) continue;
    if (ranks_) p->distance->use_band(band_width(body, p->whole, reach_in(layout_.dim), crosses_));
    p->distance->update(body);
  }
}

bool CutGeometry::is_own(int i, int j, int k) const {
  const int cell[3] = {i, j, k};
  for (int d = 0; d < 3; ++d) {
    const int at = cell[d] + layout_.low[d];
    if (at < own_.low[d] || at >= own_.high[d]) return false;
  }
  return true;
}

bool CutGeometry::is_inside(const Vec3& x, int margin) const {
  for (int d = 0; d < layout_.dim; ++d) {
    const auto low = static_cast<std::size_t>(1 + margin), high = static_cast<std::size_t>(layout_.n[d] - margin);
    if ((layout_.cut[2 * d] && x[d] < centre_[d][low]) || (layout_.cut[2 * d + 1] && x[d] > centre_[d][high]))
      return false;
  }
  return true;
}

// All ranks tell, as one alone may have seen it.
void CutGeometry::refuse_narrow_region() const {
  if (ranks_ && ranks_->any(too_narrow_))
    throw Error(Exit::usage,
                "near the body a rank needs values beyond the layers of cells that it has from its neighbours: "
                "increase [ranks] body_layers");
}

void CutGeometry::update(const Body& body) {
  too_narrow_ = false;
  find_distances(body);
  corners_.distance->fill(phi_);
  for (const auto& near : corners_.distance->near())
    if (std::abs(near.foot.distance) <= tie_) phi_[static_cast<std::size_t>(near.index)] = 0;
  apertures();
  cut_cells(body);
  fresh_nodes = 0;
  for (int c = 0; c < layout_.dim; ++c) {
    classify(body, c);
    make_rows(body, c);
  }
  for (int c = scalar_nodes; c < nodes(); ++c) {
    classify(body, c);
    make_rows(body, c);
  }
  list_cut_faces();
  close_body_flux(body);
  find_held_cells();
  refuse_narrow_region();
  updated_ = true;
}

}  // namespace weir
