#include "mesh/body/distance/distance.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "mesh/body/distance/closest.hpp"

namespace weir {
namespace {

// The largest spacing between points first .. last of a line and their neighbours.
double widest(const PointLine& line, int begin, int end) {
  const int last = line.size() - 1;
  double w = 0;
  for (int i = std::max(begin - 1, 0); i < std::min(end, last); ++i) w = std::max(w, line[i + 1] - line[i]);
  return w;
}

constexpr double least_reach = 1 + 1e-9;

Box3 box_of(const Body& body) { return body.exact() ? body.exact()->box() : bounding_box(body.surface().node); }

void refuse_outside(const Body& body, const Box3& box, const std::array<PointLine, 3>& line, std::size_t dimensions) {
  for (std::size_t d = 0; d < dimensions; ++d)
    if (!(box.low[d] >= line[d].front() && box.high[d] <= line[d].back()))
      throw Error(Exit::usage, "the body leaves the grid at t = " + std::to_string(body.time()) + ": along " +
                                   "xyz"[d] + " it reaches from " + std::to_string(box.low[d]) + " to " +
                                   std::to_string(box.high[d]) + ", but the grid points from " +
                                   std::to_string(line[d].front()) + " to " + std::to_string(line[d].back()) +
                                   "; no body crosses x_min or x_max, and a moving one crosses no side, even if the "
                                   "sides are periodic");
}

// The largest spacing of points near the body in any direction.
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

// A point whose neighbour is on the other side is at most one spacing from the surface: with reach >= 1 both are in
// the band, so a sweep along x can propagate the side from point to point.
void BodyDistance::find_band(const Body& body, const Box3& box) {
  planes_ = body.surface().dimension == 2 ? 1 : count(2);
  if (body.surface().dimension == 3 && planes_ == 1)
    throw Error(Exit::usage,
                "a 3D body requires a 3D grid; in 2D use a cylinder, an aerofoil or a box with two lengths");
  const std::size_t dimensions = planes_ == 1 ? 2 : 3;
  refuse_outside(body, box, line_, options_.is_part ? 1 : dimensions);
  band_ = options_.band > 0 ? options_.band : options_.reach * widest_beside(box, line_, dimensions);
}

double band_width(const Body& body, const std::array<PointLine, 3>& points, double reach, bool crosses) {
  const Box3 box = box_of(body);
  const std::size_t dimensions = body.surface().dimension == 2 ? 2 : 3;
  refuse_outside(body, box, points, crosses ? 1 : dimensions);
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
  choose_search(body);
  box_ = range_of(box, reach_);

  const std::size_t across = planes_ > 1 ? 2 : 1;  // chunks of planes, or of rows
  const auto chunks = static_cast<std::size_t>(std::max(1, omp_get_max_threads()));
  found_.resize(chunks);
  start_.assign(chunks + 1, 0);
  if (search_ == Search::new_lists) lists_.resize(chunks);
#pragma omp parallel for schedule(static, 1)
  for (std::size_t c = 0; c < chunks; ++c) {
    found_[c].clear();
    const Range rows = chunk(c, across);
    if (body.exact())
      scan_exact(*body.exact(), rows, found_[c]);
    else if (search_ == Search::all)
      scan_elements(body, rows, found_[c]);
    else if (search_ == Search::new_lists)
      list_elements(body, rows, lists_[c]);
  }
  if (search_ != Search::all) {
#pragma omp parallel for schedule(static, 1)
    for (std::size_t c = 0; c < chunks; ++c) search_lists(body, chunk(c, across), found_[c]);
  }
  for (std::size_t c = 0; c < chunks; ++c)
    start_[c + 1] = start_[c] + static_cast<std::size_t>(std::ranges::count_if(
                                    found_[c], [&](const Candidate& f) { return f.distance <= band_; }));
  near_.resize(start_[chunks]);
#pragma omp parallel for schedule(static, 1)
  for (std::size_t c = 0; c < chunks; ++c) number(body, chunk(c, across), c);
  if (body.surface().dimension == 2) repeat_across_z();
  last_element_ = body.exact() ? decltype(last_element_)() : body.surface().element;
  last_node_ = body.surface().node;
}

BodyDistance::Range BodyDistance::chunk(std::size_t c, std::size_t across) const {
  Range r = box_;
  const auto rows = static_cast<std::int64_t>(box_.end[across] - box_.begin[across]);
  const auto n = static_cast<std::int64_t>(found_.size()), i = static_cast<std::int64_t>(c);
  r.begin[across] = box_.begin[across] + static_cast<int>(rows * i / n);
  r.end[across] = box_.begin[across] + static_cast<int>(rows * (i + 1) / n);
  return r;
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
        found.push_back({std::abs(f.distance), {f.distance, f.point, f.normal}, inside_feature});
      }
}

// Side from the pseudonormal of the closest feature.
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
  constexpr double on_surface = 1e-10;  // times the band: below, the direction from the foot is rounding error
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
        if (code_[p] < 0 || found_[c][code_[p]].distance > band_) {
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

// A 2D body is the same in every plane.
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
