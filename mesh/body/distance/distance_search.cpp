// Search of the nearest element for each point: among all elements, or among the listed ones.
#include <algorithm>
#include <cmath>
#include <utility>

#include "mesh/body/distance/closest.hpp"
#include "mesh/body/distance/distance.hpp"

namespace weir {
namespace {

constexpr double slack = 1 + 1e-12;      // so that rounding never excludes the nearest
constexpr double above_rounding = 1e-9;  // times the band

// Lists remain valid until nodes have moved by a margin: this multiple of the last step, or this fraction of the band
// if smaller, because long lists take longer to search than to rebuild. No lists if fewer than least_steps would
// remain.
constexpr double most_steps = 24, least_steps = 3, widest_margin = 0.12;

double distance2(const Vec3& a, const Vec3& b) { return dot(a - b, a - b); }

double beyond_interval(double x, double low, double high) { return std::max(std::max(low - x, x - high), 0.0); }

double largest_move(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
  double square = 0;
  for (std::size_t n = 0; n < from.size(); ++n) square = std::max(square, distance2(from[n], to[n]));
  return std::sqrt(square);
}

}  // namespace

BodyDistance::Candidate BodyDistance::seen_from(const Surface& s, int e, const Vec3& x) {
  const auto [foot, f] = closest_on_element(s, e, x);
  return {length(x - foot), {0, foot, {}, e, 0, f.w1, f.w2}, f.feature};
}

// Of elements with the same distance up to rounding, the first is nearer, so that a shifted body keeps its feet.
bool BodyDistance::is_nearer(const Candidate& a, const Candidate& b) const {
  if (std::abs(a.distance - b.distance) > above_rounding * band_) return a.distance < b.distance;
  return a.foot.element < b.foot.element;
}

// Elements are sorted in space, so consecutive ones form a cluster; its box is little wider than the band.
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

BodyDistance::Range BodyDistance::range_of(const Cluster& c, const Range& rows, double reach) const {
  Range r = range_of(c.box, reach);
  for (std::size_t d = 0; d < 3; ++d) {
    r.begin[d] = std::max(r.begin[d], rows.begin[d]);
    r.end[d] = std::min(r.end[d], rows.end[d]);
  }
  return r;
}

// After a small motion the previously nearest element is mostly still the nearest. near_ is that of the last update.
// The bound exceeds the distance by more than the rounding error of scan_point.
bool BodyDistance::bound_by_last(const Body& body, const Range& rows) {
  if (last_element_.empty()) return false;
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

// The distance of a point to the surface is at most that to the centre of any element.
void BodyDistance::bound_distances(const Cluster& c, const Range& rows) {
  if (c.radius > reach_) return;
  const std::int64_t nx = count(0), ny = count(1);
  const Range r = range_of(c, rows, reach_);
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

// Most pairs of point and cluster are excluded by the cluster's ball and box.
template <class Visit>
void BodyDistance::scan_cluster(const Body& body, const Cluster& c, const Range& rows, double reach_of_all,
                                const Visit& visit) {
  const std::int64_t nx = count(0), ny = count(1);
  const Range r = range_of(c, rows, reach_of_all);
  for (int k = r.begin[2]; k < r.end[2]; ++k)
    for (int j = r.begin[1]; j < r.end[1]; ++j) {
      const double y = line_[1][j], z = planes_ == 1 ? c.centre[2] : line_[2][k];
      const double from_y = y - c.centre[1], from_z = z - c.centre[2];
      const double beside = from_y * from_y + from_z * from_z;
      const double out_y = beyond_interval(y, c.box.low[1], c.box.high[1]);
      const double out_z = planes_ == 1 ? 0 : beyond_interval(z, c.box.low[2], c.box.high[2]);
      const double out = out_y * out_y + out_z * out_z;
      if (out > slack * reach_of_all * reach_of_all) continue;
      const auto [begin, end] = row_in_slab(body, c, r, y, z, reach_of_all);
      for (int i = begin; i < end; ++i) {
        const std::int64_t p = i + nx * (j + ny * k);
        const double along = line_[0][i] - c.centre[0], least = least_[p], reach = least + c.radius;
        const double out_x = beyond_interval(line_[0][i], c.box.low[0], c.box.high[0]);
        if (along * along + beside <= reach * reach && out_x * out_x + out <= least * least)
          scan_point(c, {line_[0][i], y, z}, p, visit);
      }
    }
}

// An element of radius R whose plane is at height h has no point nearer than sqrt(h^2 + (r - R)^2), r being the
// distance of the centre along the plane: beyond R + sqrt(least^2 - h^2) it cannot be nearest. Computed in single
// precision about the cluster's centre, with a slack above the rounding error of the sums.
template <class Visit>
void BodyDistance::scan_point(const Cluster& c, const Vec3& x, std::int64_t p, const Visit& visit) {
  const int n = c.last - c.first;
  constexpr float rounding = 1e-5f;
  const Vec3 from_centre = x - c.centre;
  const float at[3] = {static_cast<float>(from_centre[0]), static_cast<float>(from_centre[1]),
                       static_cast<float>(from_centre[2])};
  const float least2 = (1 + rounding) * static_cast<float>(least_[p] * least_[p]),
              scale = rounding * static_cast<float>(dot(from_centre, from_centre) + c.radius * c.radius);
  std::array<float, largest_cluster> beyond;  // excess distance of the element; NaN if its plane is
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
  for (int i = 0; i < n; ++i)
    if (beyond[i] <= 0) visit(p, x, c.first + i);
}

// For a large element, the points of a row within the band around its plane; else the whole row.
std::pair<int, int> BodyDistance::row_in_slab(const Body& body, const Cluster& c, const Range& r, double y, double z,
                                              double reach) const {
  constexpr int short_row = 16;
  const Vec3 n = body.pseudonormals().face[c.first], a = body.surface().node[body.surface().element[c.first][0]];
  if (c.last - c.first > 1 || r.end[0] - r.begin[0] <= short_row || n[0] == 0) return {r.begin[0], r.end[0]};
  const double rest = n[1] * (y - a[1]) + (planes_ == 1 ? 0 : n[2] * (z - a[2])) - n[0] * a[0];
  const double u = (-reach - rest) / n[0], v = (reach - rest) / n[0];
  return {std::max(r.begin[0], line_[0].first_at_or_above(std::min(u, v)) - 1),
          std::min(r.end[0], line_[0].first_above(std::max(u, v)) + 1)};
}

// The surface moves by no more than its nodes. The element that is nearest after a move by `margin` was farther by at
// most twice that, and points that enter the band were at most `margin` away from it.
void BodyDistance::choose_search(const Body& body) {
  search_ = Search::all;
  reach_ = band_;
  if (body.exact()) return listed_node_.clear();
  const Surface& s = body.surface();
  if (s.element != last_element_ || s.node.size() != last_node_.size()) {
    last_element_.clear();
    listed_node_.clear();
  } else {
    const double step = largest_move(last_node_, s.node), widest = widest_margin * band_;
    if (!listed_node_.empty()) {
      const double moved = largest_move(listed_node_, s.node) + above_rounding * band_;
      if (moved <= margin_ && band_ + moved <= listed_reach_) {
        search_ = Search::lists;
        return add_travel(s);
      }
      listed_node_.clear();
    }
    margin_ = step > 0 ? std::min(most_steps * step, widest) : widest;
    if (margin_ >= least_steps * step) {
      search_ = Search::new_lists;
      reach_ = listed_reach_ = band_ + margin_;
      listed_node_ = s.node;
      travelled_.assign(s.element.size(), 0);
    }
  }
  make_clusters(body);
  least_.resize(code_.size());
}

void BodyDistance::add_travel(const Surface& s) {
  step_.resize(s.node.size());
  for (std::size_t n = 0; n < step_.size(); ++n) step_[n] = length(s.node[n] - last_node_[n]);
  for (std::size_t e = 0; e < s.element.size(); ++e) {
    double largest = 0;
    for (int k = 0; k < s.corners(); ++k) largest = std::max(largest, step_[s.element[e][k]]);
    travelled_[e] += largest + above_rounding * band_;
  }
}

void BodyDistance::bound(const Body& body, const Range& rows) {
  const std::int64_t nx = count(0), ny = count(1);
  for (int k = rows.begin[2]; k < rows.end[2]; ++k)
    for (int j = rows.begin[1]; j < rows.end[1]; ++j)
      std::fill_n(least_.begin() + nx * (j + ny * k) + rows.begin[0], rows.end[0] - rows.begin[0], slack * reach_);
  if (!bound_by_last(body, rows))
    for (const Cluster& c : cluster_) bound_distances(c, rows);
}

void BodyDistance::scan_elements(const Body& body, const Range& rows, std::vector<Candidate>& found) {
  bound(body, rows);
  for (const Cluster& c : cluster_)
    scan_cluster(body, c, rows, reach_, [&](std::int64_t p, const Vec3& x, int e) {
      const Candidate seen = seen_from(body.surface(), e, x);
      std::int32_t& slot = code_[p];
      if (slot < 0 && seen.distance <= reach_) {
        slot = static_cast<std::int32_t>(found.size());
        found.push_back(seen);
      } else if (slot >= 0 && is_nearer(seen, found[slot])) {
        found[slot] = seen;
      }
      least_[p] = std::min(least_[p], slack * seen.distance);
    });
}

// Lower bound of the distance to an element of radius R with its plane at height h: sqrt(h^2 + (r - R)^2).
double BodyDistance::disc_distance(const Body& body, int e, const Vec3& x) const {
  const Vec3 from_middle = x - middle_[e];
  const double h = dot(from_middle, body.pseudonormals().face[e]);
  const double r = std::sqrt(std::max(dot(from_middle, from_middle) - h * h, 0.0)), out = std::max(r - radius_[e], 0.0);
  return std::sqrt(h * h + out * out) - above_rounding * band_;
}

// For each point within reach_, lists the elements that are not much farther than the last nearest one, unmeasured.
void BodyDistance::list_elements(const Body& body, const Range& rows, Lists& lists) {
  struct Link {
    int element, next;
    double distance;
  };
  std::vector<Link> links;
  std::vector<int> last;  // per point
  const std::int64_t nx = count(0), ny = count(1);
  const double farther = 2 * margin_ + above_rounding * band_;
  const auto for_points = [&](const auto& f) {
    for (int k = rows.begin[2]; k < rows.end[2]; ++k)
      for (int j = rows.begin[1]; j < rows.end[1]; ++j)
        for (std::int64_t p = rows.begin[0] + nx * (j + ny * k), n = rows.begin[0]; n < rows.end[0]; ++n, ++p) f(p);
  };
  bound(body, rows);
  for_points([&](std::int64_t p) { least_[p] += farther; });
  for (const Cluster& c : cluster_)
    scan_cluster(body, c, rows, reach_ + farther, [&](std::int64_t p, const Vec3& x, int e) {
      const double distance = disc_distance(body, e, x);
      if (distance > least_[p]) return;
      std::int32_t& point = code_[p];
      if (point < 0) {
        point = static_cast<std::int32_t>(last.size());
        last.push_back(-1);
      }
      links.push_back({e, std::exchange(last[point], static_cast<int>(links.size())), distance});
    });
  lists.point.clear();
  lists.start.assign(1, 0);
  lists.element.clear();
  lists.distance.clear();
  for_points([&](std::int64_t p) {
    if (code_[p] < 0) return;
    const std::size_t first = lists.element.size();
    for (int l = last[std::exchange(code_[p], fluid)]; l >= 0; l = links[l].next) {
      lists.element.push_back(links[l].element);
      lists.distance.push_back(links[l].distance);
    }
    const auto nearest =
        std::min_element(lists.distance.begin() + static_cast<std::ptrdiff_t>(first), lists.distance.end());
    if (*nearest > reach_) {
      lists.element.resize(first);
      lists.distance.resize(first);
      return;
    }
    std::swap(lists.element[first], lists.element[nearest - lists.distance.begin()]);
    std::swap(lists.distance[first], *nearest);
    lists.point.push_back(p);
    lists.start.push_back(static_cast<int>(lists.element.size()));
  });
}

void BodyDistance::search_lists(const Body& body, const Range& rows, std::vector<Candidate>& found) {
  const Surface& s = body.surface();
  const std::int64_t nx = count(0), ny = count(1);
  const std::size_t across = planes_ > 1 ? 2 : 1;
  const std::int64_t line = planes_ > 1 ? nx * ny : nx, end = line * rows.end[across];
  for (Lists& l : lists_) {
    const auto begin = std::ranges::lower_bound(l.point, line * rows.begin[across]);
    for (auto q = static_cast<std::size_t>(begin - l.point.begin()); q < l.point.size() && l.point[q] < end; ++q) {
      const std::int64_t p = l.point[q];
      const auto i = static_cast<int>(p % nx), j = static_cast<int>(p / nx % ny), k = static_cast<int>(p / nx / ny);
      const Vec3 x{line_[0][i], line_[1][j], planes_ == 1 ? s.node[s.element[0][0]][2] : line_[2][k]};
      const auto measured = [&](int n) {
        const Candidate seen = seen_from(s, l.element[n], x);
        l.distance[n] = seen.distance + travelled_[l.element[n]];
        return seen;
      };
      const int first = l.start[q];
      Candidate best = measured(first);
      int nearest = first;
      for (int n = first + 1; n < l.start[q + 1]; ++n) {
        if (l.distance[n] - travelled_[l.element[n]] > best.distance + above_rounding * band_) continue;
        const Candidate other = measured(n);
        if (!is_nearer(other, best)) continue;
        best = other;
        nearest = n;
      }
      std::swap(l.element[first], l.element[nearest]);
      std::swap(l.distance[first], l.distance[nearest]);
      if (best.distance > band_) continue;
      code_[p] = static_cast<std::int32_t>(found.size());
      found.push_back(best);
    }
  }
}

}  // namespace weir
