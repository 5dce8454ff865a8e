// Self-intersections of a surface, found with a tree of boxes, and orientation of its shells.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "mesh/body/stl/soup.hpp"
#include "mesh/generate/predicates.hpp"

namespace weir::stl {
namespace {

// Side of the plane a, b, c on which p lies; 0: within rounding.
int side_of(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Vec3 u = a - p, v = b - p, w = c - p;
  const Vec3 n = cross(v, w);
  const double det = dot(u, n);
  const double bound = 1e-15 * (std::abs(u[0]) * (std::abs(v[1] * w[2]) + std::abs(v[2] * w[1])) +
                                std::abs(u[1]) * (std::abs(v[2] * w[0]) + std::abs(v[0] * w[2])) +
                                std::abs(u[2]) * (std::abs(v[0] * w[1]) + std::abs(v[1] * w[0])));
  return det > bound ? 1 : det < -bound ? -1 : 0;
}

// Whether the segment passes through the triangle or its rim.
bool pierces(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int at_p = side_of(a, b, c, p), at_q = side_of(a, b, c, q);
  if (at_p * at_q >= 0) return false;
  const int s[3] = {side_of(p, q, a, b), side_of(p, q, b, c), side_of(p, q, c, a)};
  const int least = std::min({s[0], s[1], s[2]}), most = std::max({s[0], s[1], s[2]});
  return least * most >= 0 && (least != 0 || most != 0);
}

using Corners = std::array<Vec3, 3>;

// In one plane: whether edges cross properly, or the centre of one lies in the other.
bool overlap_in_plane(const Corners& s, const Corners& t) {
  const Vec3 n = cross(s[1] - s[0], s[2] - s[0]);
  std::size_t drop = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (std::abs(n[d]) > std::abs(n[drop])) drop = d;
  const auto flat = [&](const Vec3& x) { return Point{x[(drop + 1) % 3], x[(drop + 2) % 3]}; };
  const auto turn = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const double o = orientation(flat(a), flat(b), flat(c));
    return o > 0 ? 1 : o < 0 ? -1 : 0;
  };
  const auto is_in = [&](const Vec3& x, const Corners& c) {
    const int way = turn(c[0], c[1], c[2]);
    return way != 0 && turn(c[0], c[1], x) == way && turn(c[1], c[2], x) == way && turn(c[2], c[0], x) == way;
  };
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3 &a = s[i], &b = s[(i + 1) % 3], &c = t[j], &d = t[(j + 1) % 3];
      if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return true;
    }
  const auto middle = [](const Corners& c) { return (1.0 / 3) * (c[0] + c[1] + c[2]); };
  return is_in(middle(s), t) || is_in(middle(t), s);
}

class Crossings {
 public:
  explicit Crossings(const Surface& s) : s_(s), order_(s.element.size()), box_(s.element.size()) {
    for (int e = 0; e < s.elements(); ++e) box_[e] = bounding_box(corners(e));
    std::iota(order_.begin(), order_.end(), 0);
    tree_.resize(1);
    build(0, 0, s.elements());
  }

  // Pairs of elements, the smaller index first, at most `most`.
  std::vector<std::array<int, 2>> find(std::size_t most) const {
    std::vector<std::array<int, 2>> pairs;
    std::vector<int> stack;
    for (int e = 0; e < s_.elements() && pairs.size() < most; ++e) {
      stack.assign(1, 0);
      while (!stack.empty()) {
        const Node& n = tree_[stack.back()];
        stack.pop_back();
        if (!meet(n.box, box_[e])) continue;
        if (n.child > 0) {
          stack.push_back(n.child);
          stack.push_back(n.child + 1);
          continue;
        }
        for (int i = n.first; i < n.last; ++i)
          if (order_[i] > e && meet(box_[order_[i]], box_[e]) && cross_each_other(e, order_[i]))
            pairs.push_back({e, order_[i]});
      }
    }
    return pairs;
  }

 private:
  struct Node {
    Box3 box;
    int first = 0, last = 0, child = 0;  // the second child is child + 1; 0: a leaf
  };

  Corners corners(int e) const {
    const auto& [a, b, c] = s_.element[e];
    return {s_.node[a], s_.node[b], s_.node[c]};
  }

  static bool meet(const Box3& a, const Box3& b) {
    for (std::size_t d = 0; d < 3; ++d)
      if (a.high[d] < b.low[d] || b.high[d] < a.low[d]) return false;
    return true;
  }

  void build(int at, int first, int last) {
    Box3 box = box_[order_[first]];
    for (int i = first; i < last; ++i) {
      include(box, box_[order_[i]].low);
      include(box, box_[order_[i]].high);
    }
    tree_[at] = {box, first, last, 0};
    constexpr int leaf = 8;
    if (last - first <= leaf) return;
    std::size_t axis = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (box.high[d] - box.low[d] > box.high[axis] - box.low[axis]) axis = d;
    const int middle = (first + last) / 2;
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last, [&](int a, int b) {
      return std::pair(box_[a].low[axis] + box_[a].high[axis], a) <
             std::pair(box_[b].low[axis] + box_[b].high[axis], b);
    });
    const int child = static_cast<int>(tree_.size());
    tree_[at].child = child;
    tree_.resize(tree_.size() + 2);
    build(child, first, middle);
    build(child + 1, middle, last);
  }

  bool cross_each_other(int e, int f) const {
    const Corners a = corners(e), b = corners(f);
    std::array<bool, 3> a_is_common{}, b_is_common{};
    int common = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (s_.element[e][i] == s_.element[f][j]) a_is_common[i] = b_is_common[j] = true, ++common;
    // Edges that end at a common node meet the other triangle there: only other edges can pierce.
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      if (!a_is_common[i] && !a_is_common[j] && pierces(a[i], a[j], b[0], b[1], b[2])) return true;
      if (!b_is_common[i] && !b_is_common[j] && pierces(b[i], b[j], a[0], a[1], a[2])) return true;
    }
    for (const Vec3& x : b)
      if (side_of(a[0], a[1], a[2], x) != 0) return false;
    return overlap_in_plane(a, b);
  }

  const Surface& s_;
  std::vector<int> order_;
  std::vector<Box3> box_;
  std::vector<Node> tree_;
};

// Closed shells with consistent orientation: outwards, or inwards for a hole in another shell.
std::string point_text(const Vec3& x) {
  char text[100];
  std::snprintf(text, sizeof text, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
  return text;
}

// Whether element e runs along its edge k from the lower node to the higher.
bool runs_up(const Surface& s, int e, int k) { return s.element[e][k] < s.element[e][(k + 1) % 3]; }

int place_of(const SurfaceEdges& edges, int e, int edge) {
  return static_cast<int>(std::ranges::find(edges.of_element[e], edge) - edges.of_element[e].begin());
}

struct Shells {
  std::vector<int> of;  // per element
  int count = 0;
  std::size_t turned = 0;
};

// Flood fill from one triangle of each shell; reverses neighbours with the same direction of the common edge.
Shells flood(Draft& d) {
  Surface& s = d.surface;
  const SurfaceEdges edges = find_edges(s);
  const auto users = users_of(s, edges);
  Shells shells{std::vector<int>(s.element.size(), -1)};
  std::vector<bool> is_turned(s.element.size(), false);
  std::vector<int> front;
  for (int start = 0; start < s.elements(); ++start) {
    if (shells.of[start] >= 0) continue;
    shells.of[start] = shells.count;
    front.push_back(start);
    std::size_t size = 0, turned = 0;
    while (!front.empty()) {
      const int e = front.back();
      front.pop_back();
      ++size;
      turned += is_turned[e];
      for (int k = 0; k < 3; ++k) {
        const int edge = edges.of_element[e][k], other = users[edge][0] == e ? users[edge][1] : users[edge][0];
        const bool agrees = (runs_up(s, e, k) != is_turned[e]) != runs_up(s, other, place_of(edges, other, edge));
        if (shells.of[other] < 0) {
          shells.of[other] = shells.count;
          is_turned[other] = !agrees;
          front.push_back(other);
        } else if (is_turned[other] == agrees) {
          d.soup->fail(d.triangle[e], "the surface has only one side (like a Moebius strip) and encloses no volume");
        }
      }
    }
    shells.turned += std::min(turned, size - turned);
    ++shells.count;
  }
  for (int e = 0; e < s.elements(); ++e)
    if (is_turned[e]) std::swap(s.element[e][1], s.element[e][2]);
  return shells;
}

Surface shell(const Surface& s, const std::vector<int>& of, int number) {
  Surface one;
  one.node = s.node;
  for (int e = 0; e < s.elements(); ++e)
    if (of[e] == number) one.element.push_back(s.element[e]);
  compact(one);
  return one;
}

// The solid angle of a shell seen from x is 4 pi inside and 0 outside (Van Oosterom & Strackee 1983).
bool encloses(const Surface& s, const Vec3& x) {
  double turns = 0;
  for (const auto& e : s.element) {
    const Vec3 u = s.node[e[0]] - x, v = s.node[e[1]] - x, w = s.node[e[2]] - x;
    const double lu = length(u), lv = length(v), lw = length(w);
    turns += 2 * std::atan2(dot(u, cross(v, w)), lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv);
  }
  return std::abs(turns) > 2 * std::numbers::pi;
}

bool holds(const Box3& box, const Vec3& x) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!(x[d] > box.low[d] && x[d] < box.high[d])) return false;
  return true;
}

}  // namespace

void refuse_crossings(const Draft& d) {
  constexpr std::size_t most = 1000, shown = 3;
  const auto pairs = Crossings(d.surface).find(most);
  if (pairs.empty()) return;
  std::string text = "the surface crosses itself: ";
  for (std::size_t i = 0; i < std::min(pairs.size(), shown); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(d.triangle[pairs[i][0]] + 1) + " with " +
            std::to_string(d.triangle[pairs[i][1]] + 1);
  text += " (triangles counted from 1";
  if (pairs.size() > shown)
    text += pairs.size() < most ? "; " + std::to_string(pairs.size()) + " pairs in all" : "; many more pairs";
  d.soup->fail(d.triangle[pairs[0][0]], text + ")");
}

void require_closed(const Draft& d) {
  const Surface& s = d.surface;
  const SurfaceEdges edges = find_edges(s);
  std::vector<int> uses(static_cast<std::size_t>(edges.count), 0);
  for (const auto& e : edges.of_element)
    for (const int k : e) ++uses[k];
  std::size_t open = 0, crowded = 0;
  for (const int n : uses) open += n == 1, crowded += n > 2;
  for (int e = 0; e < s.elements() && open + crowded > 0; ++e)
    for (int k = 0; k < 3; ++k) {
      const int n = uses[edges.of_element[e][k]];
      if (n == 2 || (n > 2 && open > 0)) continue;
      const std::string between =
          " from " + point_text(s.node[s.element[e][k]]) + " to " + point_text(s.node[s.element[e][(k + 1) % 3]]);
      if (n == 1)
        d.soup->fail(d.triangle[e], "the surface is open: " + count_of(open, "edge") +
                                        " without a neighbour, the first of them the edge of this triangle" + between);
      d.soup->fail(d.triangle[e], std::to_string(n) + " triangles meet at one edge," + between + " (" +
                                      count_of(crowded, "such edge") + "); expected two");
    }
}

void orient(Draft& d) {
  const Shells shells = flood(d);
  if (shells.turned > 0)
    d.say("reversed " + count_of(shells.turned, "triangle") + ", whose orientation differed from that of the others");
  Surface& s = d.surface;
  std::vector<Surface> part;
  std::vector<Box3> box;
  for (int i = 0; i < shells.count; ++i) {
    part.push_back(shells.count == 1 ? s : shell(s, shells.of, i));
    box.push_back(bounding_box(part.back().node));
  }
  std::vector<bool> turn(part.size(), false);
  std::size_t inside_out = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    int depth = 0;
    for (std::size_t j = 0; j < part.size(); ++j)
      depth += j != i && holds(box[j], part[i].node[0]) && encloses(part[j], part[i].node[0]);
    const double v = volume(part[i]);
    if (v == 0) d.soup->fail("a shell of the surface encloses no volume");
    turn[i] = (v < 0) != (depth % 2 == 1);
    inside_out += turn[i];
  }
  for (int e = 0; e < s.elements(); ++e)
    if (turn[shells.of[e]]) std::swap(s.element[e][1], s.element[e][2]);
  if (inside_out > 0)
    d.say(part.size() == 1
              ? "the surface was inside out and has been reversed"
              : std::to_string(inside_out) + " of " + std::to_string(part.size()) + " shells " +
                    (inside_out == 1 ? "was inside out and has" : "were inside out and have") + " been reversed");
}

}  // namespace weir::stl
