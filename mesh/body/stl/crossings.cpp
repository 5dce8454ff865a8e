// Triangles of a surface that cross each other, found through a tree of boxes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mesh/body/stl/soup.hpp"
#include "mesh/generate/predicates.hpp"

namespace weir::stl {
namespace {

// The side of the plane a, b, c on which p is; 0 where rounding decides.
int side_of(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Vec3 u = a - p, v = b - p, w = c - p;
  const Vec3 n = cross(v, w);
  const double det = dot(u, n);
  const double bound = 1e-15 * (std::abs(u[0]) * (std::abs(v[1] * w[2]) + std::abs(v[2] * w[1])) +
                                std::abs(u[1]) * (std::abs(v[2] * w[0]) + std::abs(v[0] * w[2])) +
                                std::abs(u[2]) * (std::abs(v[0] * w[1]) + std::abs(v[1] * w[0])));
  return det > bound ? 1 : det < -bound ? -1 : 0;
}

// The segment passes from one side of the triangle to the other, through its inside or its rim.
bool pierces(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int at_p = side_of(a, b, c, p), at_q = side_of(a, b, c, q);
  if (at_p * at_q >= 0) return false;
  const int s[3] = {side_of(p, q, a, b), side_of(p, q, b, c), side_of(p, q, c, a)};
  const int least = std::min({s[0], s[1], s[2]}), most = std::max({s[0], s[1], s[2]});
  return least * most >= 0 && (least != 0 || most != 0);
}

using Corners = std::array<Vec3, 3>;

// In one plane: does an edge of one properly cross an edge of the other, or the middle of one lie in the other?
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
    for (int e = 0; e < s.elements(); ++e) {
      const Corners c = corners(e);
      for (std::size_t d = 0; d < 3; ++d) {
        box_[e].low[d] = std::min({c[0][d], c[1][d], c[2][d]});
        box_[e].high[d] = std::max({c[0][d], c[1][d], c[2][d]});
      }
    }
    std::iota(order_.begin(), order_.end(), 0);
    tree_.resize(1);
    build(0, 0, s.elements());
  }

  // Pairs of elements, the smaller number first; not more than `most`.
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
    for (int i = first; i < last; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        box.low[d] = std::min(box.low[d], box_[order_[i]].low[d]);
        box.high[d] = std::max(box.high[d], box_[order_[i]].high[d]);
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
    // An edge that ends at a common node meets the other triangle there rightly: only edges without one can pierce.
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
    text += pairs.size() < most ? "; " + std::to_string(pairs.size()) + " pairs in all" : "; many pairs";
  d.soup->fail(d.triangle[pairs[0][0]], text + ")");
}

}  // namespace weir::stl
