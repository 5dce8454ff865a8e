#include "miniapps/immersed/geometry/cut_geometry.hpp"

#include <cmath>

#include "base/error.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {
namespace {

// Width of the band around the surface, in cells. No point beyond it is needed: the corners of a cut cell and the solid
// neighbours of fluid nodes are within the diagonal of a cell, fluid parts and blended nodes within half of it, fresh
// nodes within a cell.
double reach_in(int dim) { return dim == 2 ? 1.45 : 1.75; }

constexpr double tie = 1e-6;  // relative to the smallest cell

std::vector<double> centres_with_ghosts(const GridLine& line) {
  std::vector<double> c = line.centre;
  c.insert(c.begin(), line.faces.front() - 0.5 * line.width.front());
  c.push_back(line.faces.back() + 0.5 * line.width.back());
  return c;
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
      exact_sums_(region.exact_sums),
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
  p.distance = std::make_unique<DistanceOfAll>(here[0], here[1], here[2], options);
  if (ranks_)
    for (std::size_t d = 0; d < 3; ++d) p.whole[d] = PointLine(whole[d]);
  return p;
}

void CutGeometry::carry_scalars(const Grid& whole, const std::vector<std::vector<WallScalar>>& walls) {
  if (walls.front().empty()) return;
  walls_ = walls;
  pieces_on_surface_ = true;
  nodes_[scalar_nodes] = make_points(whole, scalar_nodes);
  kind.resize(scalar_nodes + walls.front().size(),
              std::vector<unsigned char>(static_cast<std::size_t>(layout_.padded_count()), fluid_node));
  rows.resize(kind.size());
}

int CutGeometry::point_index(int c, int at) const {
  const Layout& l = layout_;
  const int sy = l.stride(1), sz = l.stride(2), k = at / sz, j = (at - k * sz) / sy,
            i = at - k * sz - j * sy;  // padded
  const DistanceOfAll& points = points_of(c);
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
void CutGeometry::classify(int c) {
  const Layout& l = layout_;
  const DistanceOfAll& points = points_of(c);
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

void CutGeometry::find_owners(int c) {
  const Layout& l = layout_;
  const DistanceOfAll& points = points_of(c);
  body_of[c].resize(kind[c].size());
  l.for_cells([&](int i, int j, int k) {
    const int at = place(i, j, k);
    body_of[c][at] = static_cast<unsigned char>(points.body_at(point_index(c, at)));
  });
}

void CutGeometry::find_distances(const Bodies& bodies) {
  std::vector<double> bands;
  for (Points* p : {&corners_, &nodes_[0], &nodes_[1], &nodes_[2], &nodes_[3]}) {
    if (!p->distance) continue;
    bands.clear();
    if (ranks_)
      for (const Body& body : bodies) bands.push_back(band_width(body, p->whole, reach_in(layout_.dim), crosses_));
    p->distance->update(bodies, bands);
  }
}

// All ranks tell.
void CutGeometry::refuse_overlap(const Bodies& bodies) const {
  if (bodies.size() == 1) return;
  const Approach& nearest = corners_.distance->nearest_bodies();
  const bool here = nearest.first >= 0 && nearest.gap < 0;
  if (here || (ranks_ && ranks_->any(here)))
    throw Error(Exit::usage, (here ? "the bodies " + bodies.name(nearest.first) + " and " + bodies.name(nearest.second)
                                   : "two bodies") +
                                 " overlap at t = " + std::to_string(bodies[0].time()));
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

void CutGeometry::update(const Bodies& bodies) {
  too_narrow_ = false;
  for (const Body& body : bodies)  // whose torque is all that it feels
    pieces_on_surface_ |= body.is_fixed() && body.placement().angular_velocity != Vec3{};
  find_distances(bodies);
  refuse_overlap(bodies);
  corners_.distance->fill(phi_);
  for (const auto& near : corners_.distance->near())
    if (std::abs(near.foot.distance) <= tie_) phi_[static_cast<std::size_t>(near.index)] = 0;
  apertures();
  cut_cells(bodies);
  fresh_nodes = 0;
  for (int c = 0; c < layout_.dim; ++c) {
    classify(c);
    if (bodies.size() > 1 && !bodies.is_fixed()) find_owners(c);
    make_rows(bodies, c);
  }
  for (int c = scalar_nodes; c < nodes(); ++c) {
    classify(c);
    make_rows(bodies, c);
  }
  list_cut_faces();
  close_body_flux(bodies);
  find_held_cells();
  refuse_narrow_region();
  updated_ = true;
}

}  // namespace weir
