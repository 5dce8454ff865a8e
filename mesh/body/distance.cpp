#include "mesh/body/distance.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "mesh/body/closest.hpp"

namespace weir {
namespace {

// The widest gap between the points first .. last of a line and their neighbours.
double widest(const PointLine& line, int begin, int end) {
  const int last = line.size() - 1;
  double w = 0;
  for (int i = std::max(begin - 1, 0); i < std::min(end, last); ++i) w = std::max(w, line[i + 1] - line[i]);
  return w;
}

double distance2(const Vec3& a, const Vec3& b) { return dot(a - b, a - b); }

// How far x is from an interval.
double beyond_interval(double x, double low, double high) { return std::max(std::max(low - x, x - high), 0.0); }

constexpr double slack = 1 + 1e-12;      // rounding never dismisses what is nearest
constexpr double above_rounding = 1e-9;  // of the band
constexpr double least_reach = 1 + 1e-9;

Box3 box_of(const Body& body) { return body.exact() ? body.exact()->box() : bounding_box(body.surface().node); }

void refuse_outside(const Body& body, const Box3& box, const std::array<PointLine, 3>& line, std::size_t dimensions) {
  for (std::size_t d = 0; d < dimensions; ++d)
    if (!(box.low[d] >= line[d].front() && box.high[d] <= line[d].back()))
      throw Error(Exit::usage, "the body leaves the grid at t = " + std::to_string(body.time()) + ": along " +
                                   "xyz"[d] + " it reaches from " + std::to_string(box.low[d]) + " to " +
                                   std::to_string(box.high[d]) + ", the grid's points from " +
                                   std::to_string(line[d].front()) + " to " + std::to_string(line[d].back()));
}

// The widest gap between points beside the body, along any direction.
double widest_beside(const Box3& box, const std::array<PointLine, 3>& line, std::size_t dimensions) {
  double w = 0;
  for (std::size_t d = 0; d < dimensions; ++d)
    w = std::max(w, widest(line[d], line[d].first_at_or_above(box.low[d]), line[d].first_above(box.high[d])));
  return w;
}

}  // namespace

BodyDistance::BodyDistance(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                           BandOptions options)
    : line_{PointLine(x), PointLine(y), PointLine(z)}, options_(options) {
  options_.reach = std::max(options_.reach, least_reach);
  code_.assign(x.size() * y.size() * z.size(), fluid);
}

BodyDistance::Range BodyDistance::range_of(const Box3& box, double margin) const {
  Range r;
  for (std::size_t d = 0; d < 3; ++d) {
    r.begin[d] = line_[d].first_at_or_above(box.low[d] - margin);
    r.end[d] = line_[d].first_above(box.high[d] + margin);
    if (d == 2 && planes_ == 1) r.begin[d] = 0, r.end[d] = 1;
  }
  return r;
}

// A point whose neighbour is on the other side is at most their spacing away from the surface: with reach >= 1 both are in
// the band, so the sweep along x may carry the side from point to point.
void BodyDistance::find_band(const Body& body, const Box3& box) {
  planes_ = body.surface().dimension == 2 ? 1 : count(2);
  if (body.surface().dimension == 3 && planes_ == 1)
    throw Error(Exit::usage, "a 3D body needs a 3D grid; in 2D take a cylinder, an aerofoil or a box with two lengths");
  const std::size_t dimensions = planes_ == 1 ? 2 : 3;
  refuse_outside(body, box, line_, options_.is_part ? 1 : dimensions);
  band_ = options_.band > 0 ? options_.band : options_.reach * widest_beside(box, line_, dimensions);
}

double band_width(const Body& body, const std::array<PointLine, 3>& points, double reach) {
  const Box3 box = box_of(body);
  const std::size_t dimensions = body.surface().dimension == 2 ? 2 : 3;
  refuse_outside(body, box, points, dimensions);
  return std::max(reach, least_reach) * widest_beside(box, points, dimensions);
}

void BodyDistance::update(const Body& body) {
  const Box3 box = box_of(body);
  const std::int32_t outside = body.is_cavity() ? solid : fluid;
  const std::int64_t nx = count(0), ny = count(1);
  if (outside != outside_) {
    std::ranges::fill(code_, outside);
  } else {
    for (int k = box_.begin[2]; k < box_.end[2]; ++k)
      for (int j = box_.begin[1]; j < box_.end[1]; ++j)
        std::fill_n(code_.begin() + nx * (j + ny * k) + box_.begin[0], box_.end[0] - box_.begin[0], outside);
  }
  outside_ = outside;
  find_band(body, box);
  box_ = range_of(box, band_);

  if (!body.exact()) make_clusters(body);
  least_.resize(body.exact() ? 0 : code_.size());
  const std::size_t across = planes_ > 1 ? 2 : 1;  // chunks of planes, or of rows
  const auto chunks = static_cast<std::size_t>(std::max(1, omp_get_max_threads()));
  found_.resize(chunks);
  start_.assign(chunks + 1, 0);
#pragma omp parallel for schedule(static, 1)
  for (std::size_t c = 0; c < chunks; ++c) {
    found_[c].clear();
    if (body.exact())
      scan_exact(*body.exact(), chunk(c, across), found_[c]);
    else
      scan_elements(body, chunk(c, across), found_[c]);
  }
  for (std::size_t c = 0; c < chunks; ++c) start_[c + 1] = start_[c] + found_[c].size();
  near_.resize(start_[chunks]);
#pragma omp parallel for schedule(static, 1)
  for (std::size_t c = 0; c < chunks; ++c) number(body, chunk(c, across), c);
  if (body.surface().dimension == 2) repeat_across_z();
  last_elements_ = body.exact() ? 0 : body.surface().elements();
}

BodyDistance::Range BodyDistance::chunk(std::size_t c, std::size_t across) const {
  Range r = box_;
  const auto rows = static_cast<std::int64_t>(box_.end[across] - box_.begin[across]);
  const auto n = static_cast<std::int64_t>(found_.size()), i = static_cast<std::int64_t>(c);
  r.begin[across] = box_.begin[across] + static_cast<int>(rows * i / n);
  r.end[across] = box_.begin[across] + static_cast<int>(rows * (i + 1) / n);
  return r;
}

void BodyDistance::scan_elements(const Body& body, const Range& rows, std::vector<Candidate>& found) {
  const std::int64_t nx = count(0), ny = count(1);
  for (int k = rows.begin[2]; k < rows.end[2]; ++k)
    for (int j = rows.begin[1]; j < rows.end[1]; ++j)
      std::fill_n(least_.begin() + nx * (j + ny * k) + rows.begin[0], rows.end[0] - rows.begin[0], slack * band_);
  if (!bound_by_last(body, rows))
    for (const Cluster& c : cluster_) bound_distances(c, rows);
  for (const Cluster& c : cluster_) scan_cluster(body, c, rows, found);
}

// Elements follow each other in space, so a few in a row make a cluster; the box of one is not much wider than the band.
void BodyDistance::make_clusters(const Body& body) {
  const Surface& s = body.surface();
  const double widest_box = 1.4 * band_;
  cluster_.clear();
  for (auto& values : disc_) values.resize(s.element.size());
  middle_.resize(s.element.size());
  radius_.resize(s.element.size());
  for (int e = 0; e < s.elements(); ++e) {
    Box3 box{s.node[s.element[e][0]], s.node[s.element[e][0]]};
    for (int k = 1; k < s.corners(); ++k) include(box, s.node[s.element[e][k]]);
    const Vec3 middle = centre(s, e);
    double square = 0;
    for (int k = 0; k < s.corners(); ++k) square = std::max(square, distance2(s.node[s.element[e][k]], middle));
    middle_[e] = middle;
    radius_[e] = std::sqrt(square);
    if (!cluster_.empty() && cluster_.back().last - cluster_.back().first < largest_cluster) {
      Box3 both = cluster_.back().box;
      include(both, box.low);
      include(both, box.high);
      const Vec3 extent = both.high - both.low;
      if (std::max({extent[0], extent[1], extent[2]}) < widest_box) {
        cluster_.back().box = both;
        cluster_.back().last = e + 1;
        continue;
      }
    }
    cluster_.push_back({e, e + 1, box, {}, 0});
  }
  for (Cluster& c : cluster_) {
    c.centre = 0.5 * (c.box.low + c.box.high);
    for (int e = c.first; e < c.last; ++e) {
      c.radius = std::max(c.radius, std::sqrt(distance2(middle_[e], c.centre)) + radius_[e]);
      const Vec3 from_centre = middle_[e] - c.centre;
      for (std::size_t d = 0; d < 3; ++d) {
        disc_[d][e] = static_cast<float>(from_centre[d]);
        disc_[4 + d][e] = static_cast<float>(body.pseudonormals().face[e][d]);
      }
      disc_[3][e] = static_cast<float>((1 + 1e-6) * radius_[e]);
    }
  }
}

BodyDistance::Range BodyDistance::range_of(const Cluster& c, const Range& rows) const {
  Range r = range_of(c.box, band_);
  for (std::size_t d = 0; d < 3; ++d) {
    r.begin[d] = std::max(r.begin[d], rows.begin[d]);
    r.end[d] = std::min(r.end[d], rows.end[d]);
  }
  return r;
}

// A body that has moved a little: the element that was nearest still lies close, and mostly is it again. near_ is that of the last
// update yet. The bound is above the distance by more than the rounding with which scan_point measures it.
bool BodyDistance::bound_by_last(const Body& body, const Range& rows) {
  if (last_elements_ != body.surface().elements()) return false;
  const std::int64_t nx = count(0), ny = count(1);
  const std::size_t across = planes_ > 1 ? 2 : 1;
  const std::int64_t line = planes_ > 1 ? nx * ny : nx;
  const auto before = [](const NearPoint& p, std::int64_t index) { return p.index < index; };
  auto p = std::lower_bound(near_.begin(), near_.end(), line * rows.begin[across], before);
  for (; p != near_.end() && p->index < line * rows.end[across]; ++p) {
    const auto i = static_cast<int>(p->index % nx), j = static_cast<int>(p->index / nx % ny),
               k = static_cast<int>(p->index / nx / ny);
    const int e = p->foot.element;
    const Vec3 x{line_[0][i], line_[1][j], planes_ == 1 ? middle_[e][2] : line_[2][k]};
    const double distance = length(x - closest_on_element(body.surface(), e, x).foot);
    least_[p->index] = std::min(least_[p->index], slack * distance + above_rounding * band_);
  }
  return true;
}

// No point is farther from the surface than from the middle of one of its elements.
void BodyDistance::bound_distances(const Cluster& c, const Range& rows) {
  if (c.radius > band_) return;
  const std::int64_t nx = count(0), ny = count(1);
  const Range r = range_of(c, rows);
  const Vec3 on = middle_[(c.first + c.last) / 2];
  const double* const x = line_[0].data();
  for (int k = r.begin[2]; k < r.end[2]; ++k)
    for (int j = r.begin[1]; j < r.end[1]; ++j) {
      const double y = line_[1][j] - on[1], z = planes_ == 1 ? 0 : line_[2][k] - on[2];
      const double beside = y * y + z * z;
      double* const least = least_.data() + nx * (j + ny * k);
      for (int i = r.begin[0]; i < r.end[0]; ++i) {
        const double along = x[i] - on[0];
        least[i] = std::min(least[i], slack * std::sqrt(along * along + beside));
      }
    }
}

// Most pairs of point and cluster are dismissed by the cluster's ball and its box: farther than the least distance so far.
void BodyDistance::scan_cluster(const Body& body, const Cluster& c, const Range& rows, std::vector<Candidate>& found) {
  const std::int64_t nx = count(0), ny = count(1);
  const Range r = range_of(c, rows);
  for (int k = r.begin[2]; k < r.end[2]; ++k)
    for (int j = r.begin[1]; j < r.end[1]; ++j) {
      const double y = line_[1][j], z = planes_ == 1 ? c.centre[2] : line_[2][k];
      const double from_y = y - c.centre[1], from_z = z - c.centre[2];
      const double beside = from_y * from_y + from_z * from_z;
      const double out_y = beyond_interval(y, c.box.low[1], c.box.high[1]);
      const double out_z = planes_ == 1 ? 0 : beyond_interval(z, c.box.low[2], c.box.high[2]);
      const double out = out_y * out_y + out_z * out_z;
      if (out > slack * band_ * band_) continue;
      const auto [begin, end] = row_in_slab(body, c, r, y, z);
      for (int i = begin; i < end; ++i) {
        const std::int64_t p = i + nx * (j + ny * k);
        const double along = line_[0][i] - c.centre[0], least = least_[p], reach = least + c.radius;
        const double out_x = beyond_interval(line_[0][i], c.box.low[0], c.box.high[0]);
        if (along * along + beside <= reach * reach && out_x * out_x + out <= least * least)
          scan_point(body, c, {line_[0][i], y, z}, p, found);
      }
    }
}

// An element within the radius R of its middle, whose plane is h away, has no point nearer than sqrt(h^2 + (r - R)^2), where r is
// the distance along the plane: beyond R + sqrt(least^2 - h^2) it cannot be the nearest. In single precision, about the cluster's
// centre, with more slack than its rounding takes: of squares of what is summed.
void BodyDistance::scan_point(const Body& body, const Cluster& c, const Vec3& x, std::int64_t p,
                              std::vector<Candidate>& found) {
  const Surface& s = body.surface();
  const int n = c.last - c.first;
  constexpr float rounding = 1e-5f;
  const Vec3 from_centre = x - c.centre;
  const float at[3] = {static_cast<float>(from_centre[0]), static_cast<float>(from_centre[1]),
                       static_cast<float>(from_centre[2])};
  const float least2 = (1 + rounding) * static_cast<float>(least_[p] * least_[p]),
              scale = rounding * static_cast<float>(dot(from_centre, from_centre) + c.radius * c.radius);
  std::array<float, largest_cluster> beyond;  // by how much the element is too far; not a number where its plane is
  const float* const d[7] = {disc_[0].data() + c.first, disc_[1].data() + c.first, disc_[2].data() + c.first,
                             disc_[3].data() + c.first, disc_[4].data() + c.first, disc_[5].data() + c.first,
                             disc_[6].data() + c.first};
#pragma omp simd
  for (int e = 0; e < n; ++e) {
    const float u = at[0] - d[0][e], v = at[1] - d[1][e], w = at[2] - d[2][e];
    const float h = u * d[4][e] + v * d[5][e] + w * d[6][e];
    const float reach = d[3][e] + std::sqrt(least2 + scale - h * h);
    beyond[e] = u * u + v * v + w * w - h * h - reach * reach - scale;
  }
  for (int i = 0; i < n; ++i) {
    if (!(beyond[i] <= 0)) continue;
    const int e = c.first + i;
    const auto [foot, f] = closest_on_element(s, e, x);
    const double distance = length(x - foot);
    std::int32_t& slot = code_[p];
    if (slot < 0 && distance <= band_) {
      slot = static_cast<std::int32_t>(found.size());
      found.push_back({distance, {0, foot, {}, e, f.w1, f.w2}, f.feature});
    } else if (slot >= 0 && distance < found[slot].distance) {
      found[slot] = {distance, {0, foot, {}, e, f.w1, f.w2}, f.feature};
    }
    least_[p] = std::min(least_[p], slack * distance);
  }
}

// Of a large element the points of a row within the band around its plane; else the whole row.
std::pair<int, int> BodyDistance::row_in_slab(const Body& body, const Cluster& c, const Range& r, double y,
                                              double z) const {
  constexpr int short_row = 16;
  const Vec3 n = body.pseudonormals().face[c.first], a = body.surface().node[body.surface().element[c.first][0]];
  if (c.last - c.first > 1 || r.end[0] - r.begin[0] <= short_row || n[0] == 0) return {r.begin[0], r.end[0]};
  const double rest = n[1] * (y - a[1]) + (planes_ == 1 ? 0 : n[2] * (z - a[2])) - n[0] * a[0];
  const double u = (-band_ - rest) / n[0], v = (band_ - rest) / n[0];
  return {std::max(r.begin[0], line_[0].first_at_or_above(std::min(u, v)) - 1),
          std::min(r.end[0], line_[0].first_above(std::max(u, v)) + 1)};
}

void BodyDistance::scan_exact(const Ellipsoid& shape, const Range& rows, std::vector<Candidate>& found) {
  const std::int64_t nx = count(0), ny = count(1);
  for (int k = rows.begin[2]; k < rows.end[2]; ++k)
    for (int j = rows.begin[1]; j < rows.end[1]; ++j)
      for (int i = rows.begin[0]; i < rows.end[0]; ++i) {
        const Vec3 x{line_[0][i], line_[1][j], planes_ > 1 ? line_[2][k] : shape.position[2]};
        if (shape.distance_bound(x) > band_) continue;
        const Ellipsoid::Projection f = shape.project(x);
        if (std::abs(f.distance) > band_) continue;
        code_[i + nx * (j + ny * k)] = static_cast<std::int32_t>(found.size());
        found.push_back({std::abs(f.distance), {f.distance, f.point, f.normal, -1, 0, 0}, inside_feature});
      }
}

// Which side, from the pseudonormal of the closest feature.
void BodyDistance::finish_foot(const Body& body, const Vec3& x, Candidate& c) const {
  Foot& foot = c.foot;
  const auto& corners = body.surface().element[foot.element];
  const Pseudonormals& normals = body.pseudonormals();
  const Vec3 pseudonormal = c.feature == inside_feature ? normals.face[foot.element]
                            : c.feature < first_corner_feature
                                ? normals.edge[body.edges().of_element[foot.element][c.feature - first_edge_feature]]
                                : normals.node(body.surface(), corners[c.feature - first_corner_feature]);
  const Vec3 away = x - foot.point;
  const double distance = c.distance, side = dot(away, pseudonormal) < 0 ? -1 : 1;
  foot.distance = side * distance;
  constexpr double on_surface = 1e-10;  // of the band: the direction from the foot is rounding
  const bool by_feature = c.feature == inside_feature || distance < on_surface * band_;
  foot.normal = by_feature ? (1 / length(pseudonormal)) * pseudonormal : (side / distance) * away;
}

void BodyDistance::number(const Body& body, const Range& rows, std::size_t c) {
  const std::int64_t nx = count(0), ny = count(1);
  auto next = static_cast<std::int32_t>(start_[c]);
  const double z2d = body.placement().position[2];
  for (int k = rows.begin[2]; k < rows.end[2]; ++k)
    for (int j = rows.begin[1]; j < rows.end[1]; ++j) {
      std::int32_t side = outside_;
      for (int i = rows.begin[0]; i < rows.end[0]; ++i) {
        const std::int64_t p = i + nx * (j + ny * k);
        if (code_[p] < 0) {
          code_[p] = side;
          continue;
        }
        Candidate& found = found_[c][code_[p]];
        if (found.foot.element >= 0)
          finish_foot(body, {line_[0][i], line_[1][j], planes_ > 1 ? line_[2][k] : found.foot.point[2]}, found);
        else if (body.is_cavity())
          found.foot.distance = -found.foot.distance, found.foot.normal = -1.0 * found.foot.normal;
        found.foot.point[2] = planes_ > 1 ? found.foot.point[2] : z2d;
        side = found.foot.distance < 0 ? solid : fluid;
        near_[next] = {p, found.foot};
        code_[p] = next++;
      }
    }
}

// A 2D body is the same on every plane of points.
void BodyDistance::repeat_across_z() {
  const std::int64_t plane = std::int64_t{1} * count(0) * count(1), nx = count(0);
  const std::size_t n = near_.size();
  box_.begin[2] = 0;
  box_.end[2] = count(2);
  near_.resize(n * line_[2].size());
  for (int k = count(2) - 1; k >= 0; --k) {
    for (std::size_t i = 0; i < n; ++i) {
      NearPoint& to = near_[n * static_cast<std::size_t>(k) + i];
      to = near_[i];
      to.index += plane * k;
      to.foot.point[2] = line_[2][k];
    }
    if (k == 0) break;
    const auto shift = static_cast<std::int32_t>(n) * k;
    for (int j = box_.begin[1]; j < box_.end[1]; ++j)
      for (std::int64_t p = box_.begin[0] + nx * j; p < box_.end[0] + nx * j; ++p)
        code_[p + plane * k] = code_[p] >= 0 ? code_[p] + shift : code_[p];
  }
}

void BodyDistance::fill(std::span<double> distance) const {
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < code_.size(); ++p) {
    const std::int32_t c = code_[p];
    distance[p] = c >= 0 ? near_[c].foot.distance : c == solid ? -band_ : band_;
  }
}

}  // namespace weir
