// Apertures, wet cells, and the surface inside cut cells.
#include <algorithm>
#include <cmath>

#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {
namespace {

constexpr double smallest_aperture = 1e-6;  // thinner slits are closed
constexpr double smooth = 0.85;  // cosine: of the angle between normals in a cell, below that of a corner of 90 degrees

// Moves a piece from the chord between the crossings to the surface. The distance h^2 / 8 R of the chord from the
// surface would cause an error of O(h) in slopes at the wall.
void put_on_surface(const Ellipsoid& shape, bool is_cavity, int dim, Piece& piece) {
  const Ellipsoid::Projection there = shape.project(piece.point);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
    piece.point[d] = there.point[d];
    piece.normal[d] = is_cavity ? -there.normal[d] : there.normal[d];
  }
}

// The fluid part of an edge whose ends have the signed distances a and b, one of them positive and one not.
OpenPart cut_edge(double a, double b) {
  const double part = a > 0 ? a / (a - b) : b / (b - a), begin = 0.5 - part;
  return {part, {0.5 * (1 - part) * (a > 0 ? -1 : 1), 0}, {(0.25 + 0.5 * begin + begin * begin) / 3, 1.0 / 12}, 0};
}

// The fluid part of a unit square with the signed distances p at its corners, in order around it.
OpenPart cut_square(const std::array<double, 4>& p) {
  static constexpr double x[4] = {0, 1, 1, 0}, y[4] = {0, 0, 1, 1};
  double px[8], py[8];
  int n = 0;
  for (int a = 0; a < 4; ++a) {
    const int b = (a + 1) % 4;
    const double pa = p[a], pb = p[b];
    if (pa > 0) {
      px[n] = x[a];
      py[n++] = y[a];
    }
    if ((pa > 0) != (pb > 0)) {
      const double t = pa / (pa - pb);
      px[n] = x[a] + t * (x[b] - x[a]);
      py[n++] = y[a] + t * (y[b] - y[a]);
    }
  }
  double area = 0, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  for (int a = 0; a < n; ++a) {
    const int b = (a + 1) % n;
    const double cross = px[a] * py[b] - px[b] * py[a];
    area += 0.5 * cross;
    mx += (px[a] + px[b]) * cross / 6;
    my += (py[a] + py[b]) * cross / 6;
    xx += (px[a] * (px[a] + px[b]) + px[b] * px[b]) * cross / 12;
    yy += (py[a] * (py[a] + py[b]) + py[b] * py[b]) * cross / 12;
    xy += (px[a] * (2 * py[a] + py[b]) + px[b] * (py[a] + 2 * py[b])) * cross / 24;
  }
  if (!(area > smallest_aperture)) return {};
  mx /= area;
  my /= area;
  return {std::min(area, 1.0),
          {mx - 0.5, my - 0.5},
          {xx / area - mx + 0.25, yy / area - my + 0.25},
          xy / area - 0.5 * (mx + my) + 0.25};
}

}  // namespace

std::size_t CutGeometry::corner(int i, int j, int k) const {
  const int nx = corners_.distance->count(0), ny = layout_.n[1] + 1;
  return static_cast<std::size_t>(x0_ + i + nx * (j + ny * (layout_.dim == 3 ? k : 0)));
}

OpenPart CutGeometry::open_part(int d, int i, int j, int k) const {
  const std::int32_t near = corners_.distance->code()[corner(i, j, k)];
  if (near < 0)  // the band is wider than a face: no corner on the other side
    return {near == BodyDistance::solid ? 0.0 : 1.0};
  const int t1 = d == 0 ? 1 : 0, t2 = d == 2 ? 1 : 2;
  int at[4][3] = {{i, j, k}, {i, j, k}, {i, j, k}, {i, j, k}};
  at[1][t1] = at[2][t1] = at[0][t1] + 1;
  at[2][t2] = at[3][t2] = at[0][t2] + 1;
  std::array<double, 4> p;
  for (std::size_t q = 0; q < 4; ++q) p[q] = phi_[corner(at[q][0], at[q][1], at[q][2])];
  if (p[0] > 0 && p[1] > 0 && p[2] > 0 && p[3] > 0) return {1};
  if (p[0] <= 0 && p[1] <= 0 && p[2] <= 0 && p[3] <= 0) return {};
  const OpenPart part = layout_.dim == 2 ? cut_edge(p[0], p[1]) : cut_square(p);
  return part.area < smallest_aperture ? OpenPart{} : part;
}

// Apertures, and with them the wet cells.
void CutGeometry::apertures() {
  const Layout& l = layout_;
  const auto code = corners_.distance->code();
  for (int d = 0; d < l.dim; ++d) {
    std::vector<double>& a = alpha[d];
    const int e[3] = {l.n[0] + (d == 0), l.n[1] + (d == 1), l.n[2] + (d == 2)};
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < e[2]; ++k)
      for (int j = 0; j < e[1]; ++j) {
        const std::size_t first = corner(0, j, k), row = static_cast<std::size_t>(place(0, j, k));
        for (int i = 0; i < e[0]; ++i) {
          const auto at = static_cast<std::size_t>(i);
          const std::int32_t near = code[first + at];
          a[row + at] = near >= 0 ? open_part(d, i, j, k).area : near == BodyDistance::solid ? 0 : 1;
        }
      }
  }
  const Extents cells = l.cells();
  l.for_cells([&](int i, int j, int k) {
    const int at[3] = {i, j, k}, p = place(i, j, k);
    bool open = false;
    for (int d = 0; d < l.dim; ++d) {
      const std::vector<double>& a = alpha[d];
      if (a[p] > 0 && (at[d] > 0 || !l.is_side(2 * d))) open = true;
      if (a[p + l.stride(d)] > 0 && (at[d] + 1 < l.n[d] || !l.is_side(2 * d + 1))) open = true;
    }
    wet[cells.index(i, j, k)] = open ? wet_cell : dry_cell;
    for (int d = 0; d < l.dim && !open; ++d) {  // fluid behind a side of the box alone: shut in
      alpha[d][p] = 0;
      alpha[d][p + l.stride(d)] = 0;
    }
  });
}

// A cut face has its corners next to the surface; it is listed by the lowest of them.
void CutGeometry::list_cut_faces() {
  const Layout& l = layout_;
  const int nx = corners_.distance->count(0), ny = l.n[1] + 1;
  for (auto& faces : cut_faces) faces.clear();
  for (const auto& near : corners_.distance->near()) {
    const int at[3] = {static_cast<int>(near.index % nx) - x0_, static_cast<int>(near.index / nx % ny),
                       static_cast<int>(near.index / nx / ny)};
    for (int d = 0; d < l.dim; ++d) {
      const int t[2] = {d == 0 ? 1 : 0, d == 2 ? 1 : 2};
      const bool is_unknown = at[d] >= l.first(d) && at[d] < l.n[d] && at[t[0]] >= 0 && at[t[0]] < l.n[t[0]] &&
                              at[t[1]] >= 0 && at[t[1]] < l.n[t[1]];
      if (!is_unknown) continue;
      const int here = place(at[0], at[1], at[2]);
      const double a = alpha[d][here];
      if (!(a > 0 && a < 1)) continue;
      const OpenPart part = open_part(d, at[0], at[1], at[2]);
      CutFace face{here, here};
      double slope[2] = {0, 0};
      for (int q = 0; q < l.dim - 1; ++q) {
        const int e = t[q], sign = part.middle[q] < 0 ? -1 : 1, step = sign * l.stride(e);
        const auto& centre = centre_[e];  // with the ghosts
        const auto is_known = [&](int neighbour) {
          const int i = at[e] + neighbour * sign, beyond = i < 0 ? 2 * e : 2 * e + 1;
          if (i < -1 || i > l.n[e] || ((i < 0 || i == l.n[e]) && l.is_side(beyond))) return false;
          return kind[d][here + neighbour * step] != solid_node;
        };
        if (!is_known(1)) continue;
        const auto distance = [&](int neighbour) {
          return std::abs(centre[at[e] + neighbour * sign + 1] - centre[at[e] + 1]);
        };
        const double h = grid_.line[e].width[at[e]];
        const double m = std::abs(part.middle[q]) * h, x1 = distance(1);
        face.step[q] = step;
        slope[q] = sign * h / x1;
        face.near[q] = m / x1;
        if (!is_known(2)) continue;
        const double x2 = distance(2), bend = (part.square[q] - 1.0 / 12) * h * h - x1 * m;
        face.near[q] -= bend / (x1 * (x2 - x1));
        face.far[q] = bend / (x2 * (x2 - x1));
      }
      const int across = here + face.step[0] + face.step[1];
      if (slope[0] * slope[1] != 0 && kind[d][across] != solid_node) face.corner = part.product * slope[0] * slope[1];
      cut_faces[d].push_back(face);
    }
  }
}

// The surface inside each cut cell: its area vector closes the cell, its point is the mean of where it crosses the
// edges.
void CutGeometry::cut_cells(const Bodies& bodies) {
  const Layout& l = layout_;
  const Extents cells = l.cells();
  const auto& code = corners_.distance->code();
  const int nx = corners_.distance->count(0), ny = l.n[1] + 1, corner_z = l.dim == 3 ? 2 : 1;
  surface.clear();
  std::ranges::fill(body_flux, 0.0);
  l.for_cells([&](int i, int j, int k) {
    const int cell = cells.index(i, j, k), p = place(i, j, k);
    if (!wet[cell]) return;
    const int at[3] = {i, j, k};
    Vec3 area{};  // into the fluid
    for (int d = 0; d < l.dim; ++d) {
      const std::vector<double>& a = alpha[d];
      double face = 1;
      for (int e = 0; e < 3; ++e)
        if (e != d) face *= grid_.line[e].width[at[e]];
      area[d] = face * (a[p + l.stride(d)] - a[p]);
    }
    if (dot(area, area) == 0) return;
    const Vec3 across = (1 / length(area)) * area;
    Vec3 velocity{}, normal{}, point{};
    bool is_smooth =
        true;  // else there is a corner, and the mean of the normals next to it depends on where the points lie
    int feet = 0, crossings = 0;
    Foot nearest{1e300};  // its body's is the piece
    for (int q = 0; q < 4 * corner_z; ++q) {
      const int a = i + (q & 1), b = j + ((q >> 1) & 1), e = k + (q >> 2);
      const int index = x0_ + a + nx * (b + ny * (l.dim == 3 ? e : 0));
      const std::int32_t near = code[index];
      if (near >= 0) {
        const Foot& foot = corners_.distance->near()[near].foot;
        velocity += bodies.of(foot).fluid_velocity(foot);
        if (std::abs(foot.distance) < nearest.distance) nearest = {std::abs(foot.distance), {}, {}, -1, foot.body};
        normal += foot.normal;
        is_smooth = is_smooth && dot(foot.normal, across) > smooth;
        ++feet;
      }
      const double pa = phi_[index];
      for (int d = 0; d < l.dim; ++d) {
        if ((d == 0 && (q & 1)) || (d == 1 && ((q >> 1) & 1)) || (d == 2 && (q >> 2))) continue;
        const int step = d == 0 ? 1 : d == 1 ? nx : nx * ny;
        const double pb = phi_[index + step];
        if ((pa > 0) == (pb > 0)) continue;
        Vec3 x = {face_[0][a], face_[1][b], l.dim == 3 ? face_[2][e] : grid_.line[2].centre[0]};
        x[d] += pa / (pa - pb) * grid_.line[d].width[at[d]];
        point += x;
        ++crossings;
      }
    }
    if (feet == 0 || crossings == 0) return;
    velocity = (1.0 / feet) * velocity;
    body_flux[cell] = -dot(velocity, area);
    surface.push_back({cell, (1.0 / crossings) * point, is_smooth ? (1 / length(normal)) * normal : across, area,
                       velocity, nearest.body});
    const Body& body = bodies.of(nearest);
    if (pieces_on_surface_ && body.exact()) put_on_surface(*body.exact(), body.is_cavity(), l.dim, surface.back());
    if (ranks_ && is_own(i, j, k)) look_where_forces_do(at);
  });
  if (bodies.size() > 1) std::ranges::stable_sort(surface, {}, &Piece::body);
}

void CutGeometry::find_held_cells() {
  const Layout& l = layout_;
  const Extents cells = l.cells();
  l.for_cells([&](int i, int j, int k) {
    unsigned char& what = wet[cells.index(i, j, k)];
    if (what == dry_cell) return;
    const auto p = static_cast<std::size_t>(place(i, j, k));
    for (int d = 0; d < l.dim; ++d) {
      const std::vector<unsigned char>& nodes = kind[d];
      if (nodes[p] >= fluid_node || nodes[p + static_cast<std::size_t>(l.stride(d))] >= fluid_node) what = held_cell;
    }
  });
}

// The farthest point that the force of the last piece asks for (forces.hpp) must lie well within the region.
void CutGeometry::look_where_forces_do(const int (&cell)[3]) {
  double h = 0;
  for (int d = 0; d < layout_.dim; ++d) h = std::max(h, grid_.line[d].width[cell[d]]);
  if (!is_inside(surface.back().point + force_reach * h * surface.back().normal, 1)) too_narrow_ = true;
}

// The flux through the surface of a body must equal the rate of change of its volume, and the total flux through the
// surface of a cavity with its openings must be zero. The difference that the linear pieces in the cut cells leave
// (none in a translation) is distributed by area.
void CutGeometry::close_body_flux(const Bodies& bodies) {
  const Extents cells = layout_.cells();
  std::vector<double> all(3 * bodies.size());  // for each body: flux, area and x . n A of the own cells
  std::vector<ExactSum> exact(exact_sums_ ? all.size() : 0);
  for (const Piece& piece : surface) {
    const int cell = piece.cell;
    if (!is_own(cell % cells.nx, cell / cells.nx % cells.ny, cell / cells.nx / cells.ny)) continue;
    const double terms[] = {body_flux[cell], length(piece.area), dot(piece.point, piece.area)};
    for (std::size_t q = 0; q < 3; ++q) {
      const std::size_t to = 3 * static_cast<std::size_t>(piece.body) + q;
      if (exact_sums_)
        exact[to].add(terms[q]);
      else
        all[to] += terms[q];
    }
  }
  if (ranks_) exact_sums_ ? ranks_->sum(std::span(exact)) : ranks_->sum(std::span(all));
  for (std::size_t i = 0; i < exact.size(); ++i) all[i] = exact[i].rounded();
  total_body_flux = cavity_volume = 0;
  std::vector<double> missing(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const double flux = all[3 * b], area = all[3 * b + 1], moment = all[3 * b + 2];
    const Body& body = bodies[b];
    if (body.is_cavity()) cavity_volume = -moment / layout_.dim;
    const double closed = area == 0          ? flux
                          : body.is_cavity() ? 0
                                             : -body.volume_rate() * (layout_.dim == 2 ? grid_.line[2].length() : 1.0);
    total_body_flux += closed;
    missing[b] = closed - flux;
  }
  for (const Piece& piece : surface) {
    const auto b = static_cast<std::size_t>(piece.body);
    body_flux[piece.cell] += missing[b] * length(piece.area) / all[3 * b + 1];
  }
}

}  // namespace weir
