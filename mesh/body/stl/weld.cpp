// Joins separate triangles to a surface with common nodes.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>

#include "mesh/body/stl/soup.hpp"

namespace weir::stl {
namespace {

std::vector<int> equal_corners(const std::vector<Vec3>& corner, std::vector<Vec3>& node) {
  std::vector<int> order(corner.size()), of(corner.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int a, int b) { return corner[a] < corner[b] || (corner[a] == corner[b] && a < b); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || corner[order[i]] != corner[order[i - 1]]) node.push_back(corner[order[i]]);
    of[order[i]] = static_cast<int>(node.size()) - 1;
  }
  return of;
}

// Merges nodes closer than `tolerance`, within a cube of that size or neighbouring ones, into the first of them.
std::vector<int> close_nodes(const std::vector<Vec3>& node, double tolerance) {
  struct Hash {
    std::size_t operator()(const std::array<std::int64_t, 3>& c) const {
      return static_cast<std::size_t>(c[0] * 73856093 ^ c[1] * 19349663 ^ c[2] * 83492791);
    }
  };
  std::unordered_map<std::array<std::int64_t, 3>, std::vector<int>, Hash> cube;
  const Vec3 low = bounding_box(node).low;
  std::vector<int> first(node.size());
  for (std::size_t i = 0; i < node.size(); ++i) {
    std::array<std::int64_t, 3> c;
    for (std::size_t d = 0; d < 3; ++d) c[d] = static_cast<std::int64_t>((node[i][d] - low[d]) / tolerance);
    first[i] = static_cast<int>(i);
    for (int n = 0; n < 27; ++n) {
      const auto at = cube.find({c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1});
      if (at == cube.end()) continue;
      for (const int other : at->second)
        if (length(node[other] - node[i]) < tolerance) first[i] = std::min(first[i], other);
    }
    if (first[i] == static_cast<int>(i)) cube[c].push_back(first[i]);
  }
  return first;
}

bool is_closed(const Surface& s) {
  return std::ranges::none_of(users_of(s, find_edges(s)), [](const auto& users) { return users[1] < 0; });
}

template <class Keep>
std::size_t keep_where(Draft& d, Keep keep) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < d.surface.element.size(); ++e) {
    if (!keep(e)) continue;
    d.surface.element[kept] = d.surface.element[e];
    d.triangle[kept++] = d.triangle[e];
  }
  const std::size_t dropped = d.surface.element.size() - kept;
  d.surface.element.resize(kept);
  d.triangle.resize(kept);
  return dropped;
}

// Twice the area over the square of the longest side; the longest side starts at corner k.
double flatness(const Surface& s, const std::array<int, 3>& e, int& k) {
  double longest = -1;
  for (int i = 0; i < 3; ++i) {
    const Vec3 side = s.node[e[(i + 1) % 3]] - s.node[e[i]];
    if (dot(side, side) > longest) longest = dot(side, side), k = i;
  }
  return length(cross(s.node[e[1]] - s.node[e[0]], s.node[e[2]] - s.node[e[0]])) / longest;
}

// A flat triangle with distinct corners closes the gap between its long side and its two short ones: the triangle
// across the long side is split at the middle corner, and the flat one becomes one of its halves.
std::size_t split_across_flat_triangles(Draft& d) {
  constexpr double flat = 1e-10;  // the normal of a flatter one is rounding error of the coordinates
  constexpr int most_rounds = 4;
  Surface& s = d.surface;
  std::size_t split = 0;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<std::array<int, 2>> found;  // element and its long side
    for (int e = 0; e < s.elements(); ++e)
      if (int k = 0; flatness(s, s.element[e], k) < flat) found.push_back({e, k});
    if (found.empty()) break;
    const SurfaceEdges edges = find_edges(s);
    const auto users = users_of(s, edges);
    std::vector<bool> is_touched(s.element.size(), false);
    for (const auto& [e, k] : found) {
      const auto& pair = users[edges.of_element[e][k]];
      const int other = pair[0] == e ? pair[1] : pair[0];
      if (other < 0 || is_touched[e] || is_touched[other]) continue;
      is_touched[e] = is_touched[other] = true;
      const int a = s.element[e][k], b = s.element[e][(k + 1) % 3], middle = s.element[e][(k + 2) % 3];
      auto half = s.element[other];
      if (std::ranges::find(half, middle) != half.end()) continue;
      std::ranges::replace(half, a, middle);
      std::ranges::replace(s.element[other], b, middle);
      s.element[e] = half;
      ++split;
    }
  }
  return split;
}

}  // namespace

void compact(Surface& s) {
  std::vector<int> number(s.node.size(), -1);
  std::vector<Vec3> node;
  for (auto& e : s.element)
    for (int& n : e) {
      if (number[n] < 0) {
        number[n] = static_cast<int>(node.size());
        node.push_back(s.node[n]);
      }
      n = number[n];
    }
  s.node = std::move(node);
}

std::vector<std::array<int, 2>> users_of(const Surface& s, const SurfaceEdges& edges) {
  std::vector<std::array<int, 2>> users(static_cast<std::size_t>(edges.count), {-1, -1});
  for (int e = 0; e < s.elements(); ++e)
    for (const int k : edges.of_element[e]) users[k][users[k][0] < 0 ? 0 : 1] = e;
  return users;
}

void drop_degenerate(Draft& d) {
  Surface& s = d.surface;
  const std::size_t collapsed = keep_where(d, [&](std::size_t e) {
    const auto& [a, b, c] = s.element[e];
    return a != b && b != c && c != a;
  });
  if (collapsed > 0) d.say("dropped " + count_of(collapsed, "degenerate triangle") + " (with two equal corners)");

  std::vector<std::array<int, 4>> corners;
  for (int e = 0; e < s.elements(); ++e) {
    std::array<int, 3> c = s.element[e];
    std::ranges::sort(c);
    corners.push_back({c[0], c[1], c[2], e});
  }
  std::ranges::sort(corners);
  std::vector<bool> repeats(s.element.size(), false);
  for (std::size_t i = 1; i < corners.size(); ++i)
    if (std::equal(corners[i].begin(), corners[i].begin() + 3, corners[i - 1].begin())) repeats[corners[i][3]] = true;
  const std::size_t repeated = keep_where(d, [&](std::size_t e) { return !repeats[e]; });
  if (repeated > 0) d.say("dropped " + count_of(repeated, "triangle") + " that the file contains twice");

  const std::size_t split = split_across_flat_triangles(d);
  if (split > 0) d.say("removed " + count_of(split, "triangle") + " without area (three corners on a line)");
}

Draft weld(const Soup& soup) {
  Draft d{&soup, {}, {}, {}};
  const std::vector<int> of = equal_corners(soup.corner, d.surface.node);
  for (std::size_t t = 0; t < of.size() / 3; ++t) {
    d.surface.element.push_back({of[3 * t], of[3 * t + 1], of[3 * t + 2]});
    d.triangle.push_back(static_cast<int>(t));
  }
  if (!is_closed(d.surface)) {
    const Box3 box = bounding_box(d.surface.node);
    const double tolerance = 1e-6 * length(box.high - box.low);  // a few digits more than single precision
    std::vector<int> first(d.surface.node.size());
    if (tolerance > 0) first = close_nodes(d.surface.node, tolerance);
    std::size_t moved = 0;
    for (std::size_t n = 0; n < first.size(); ++n) moved += first[n] != static_cast<int>(n);
    for (auto& e : d.surface.element)
      for (int& n : e) n = first[n];
    if (moved > 0)
      d.say("welded " + count_of(moved, "corner") + " to others within a distance of " + std::to_string(tolerance));
  }
  drop_degenerate(d);
  if (d.surface.element.empty()) soup.fail("all triangles are degenerate");
  compact(d.surface);
  return d;
}

}  // namespace weir::stl
