#include "mesh/generate/triangulation.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace weir {
namespace {

constexpr int next(int k) { return k == 2 ? 0 : k + 1; }
constexpr int previous(int k) { return k == 0 ? 2 : k - 1; }

int corner_of(const Triangle& t, int node) { return t.node[0] == node ? 0 : t.node[1] == node ? 1 : 2; }

int side_towards(const Triangle& t, int neighbour) {
  return t.across[0] == neighbour ? 0 : t.across[1] == neighbour ? 1 : 2;
}

[[noreturn]] void polygons_cross() { throw std::runtime_error("the boundary of the triangles crosses itself"); }

// Three nodes around all others, so far away that the triangles left by their removal are outside.
std::array<Point, 3> around(const std::vector<Point>& nodes) {
  Point low = nodes.front(), high = low;
  for (const Point& p : nodes)
    for (std::size_t d = 0; d < 2; ++d) {
      low[d] = std::min(low[d], p[d]);
      high[d] = std::max(high[d], p[d]);
    }
  const double x = 0.5 * (low[0] + high[0]), y = 0.5 * (low[1] + high[1]);
  const double r = 100 * std::max(high[0] - low[0], high[1] - low[1]);
  return {Point{x - 2 * r, y - r}, Point{x + 2 * r, y - r}, Point{x, y + 2 * r}};
}

}  // namespace

Triangulation::Triangulation(std::vector<Point> nodes, const std::vector<std::array<int, 2>>& edges)
    : node(std::move(nodes)) {
  const int n = static_cast<int>(node.size());
  for (const Point& p : around(node)) node.push_back(p);
  triangle.push_back({{n, n + 1, n + 2}, {-1, -1, -1}});
  slot_.assign(node.size(), -1);
  at_node_.assign(node.size(), 0);
  mark_.assign(1, 0);
  int last = 0;
  for (int i = 0; i < n; ++i) {
    dig(node[i], find(node[i], last));
    fill(i);
    last = changed_.front();
  }
  for (const auto& edge : edges) {
    recover(edge);
    const auto [a, b] = edge;
    int k = 0;
    const int left = find_edge(a, b, k), right = triangle[left].across[k];
    triangle[left].fixed |= 1 << k;
    if (right >= 0) triangle[right].fixed |= 1 << side_towards(triangle[right], left);
  }
  keep_domain(edges);
  make_delaunay();
}

int Triangulation::find(const Point& x, int from) const {
  int t = from, came_from = -1;
  for (;;) {
    int through = -1;
    for (int k = 0; k < 3 && through < 0; ++k) {
      const Triangle& here = triangle[t];
      if (came_from >= 0 && here.across[k] == came_from) continue;
      if (orientation(node[here.node[next(k)]], node[here.node[previous(k)]], x) < 0) through = k;
    }
    if (through < 0) return t;
    if (triangle[t].is_fixed(through) || triangle[t].across[through] < 0) return -1;
    came_from = t;
    t = triangle[t].across[through];
  }
}

void Triangulation::dig(const Point& x, int in) {
  ++round_;
  cavity_.assign(1, in);
  rim_.clear();
  mark_[in] = round_;
  for (std::size_t i = 0; i < cavity_.size(); ++i) {
    const Triangle t = triangle[cavity_[i]];
    for (int k = 0; k < 3; ++k) {
      const int beyond = t.across[k];
      if (beyond >= 0 && mark_[beyond] == round_) continue;
      if (beyond >= 0 && !t.is_fixed(k)) {
        const Triangle& other = triangle[beyond];
        if (in_circle(node[other.node[0]], node[other.node[1]], node[other.node[2]], x) > 0) {
          mark_[beyond] = round_;
          cavity_.push_back(beyond);
          continue;
        }
      }
      rim_.push_back({t.node[next(k)], t.node[previous(k)], beyond, t.fixed >> k & 1});
    }
  }
}

void Triangulation::fill(int p) {
  changed_.clear();
  for (std::size_t i = 0; i < rim_.size(); ++i) {
    int t = 0;
    if (i < cavity_.size()) {
      t = cavity_[i];
    } else {
      t = static_cast<int>(triangle.size());
      triangle.emplace_back();
      mark_.push_back(0);
    }
    changed_.push_back(t);
  }
  for (std::size_t i = 0; i < rim_.size(); ++i) {
    const Rim& r = rim_[i];
    const int t = changed_[i];
    if (r.outside >= 0) {
      Triangle& other = triangle[r.outside];  // its edge is b -> a
      for (int k = 0; k < 3; ++k)
        if (other.node[next(k)] == r.b && other.node[previous(k)] == r.a) other.across[k] = t;
    }
    triangle[t] = {{r.a, r.b, p}, {-1, -1, r.outside}, r.fixed << 2};
    slot_[r.a] = t;
    at_node_[r.a] = t;
  }
  for (std::size_t i = 0; i < rim_.size(); ++i) {
    const int t = changed_[i], after = slot_[rim_[i].b];
    triangle[t].across[0] = after;
    triangle[after].across[1] = t;
  }
  at_node_[p] = changed_.front();
}

bool Triangulation::insert(const Point& x, int in, double min_distance) {
  dig(x, in);
  for (const Rim& r : rim_) {
    const Point& a = node[r.a];
    if (distance(a, x) < min_distance) return false;
    if (!(orientation(a, node[r.b], x) > 0)) return false;
  }
  node.push_back(x);
  slot_.push_back(-1);
  at_node_.push_back(-1);
  fill(static_cast<int>(node.size()) - 1);
  return true;
}

void Triangulation::replace_across(int t, int old_neighbour, int new_neighbour) {
  if (t >= 0) triangle[t].across[side_towards(triangle[t], old_neighbour)] = new_neighbour;
}

//       b                    b         t = (p, a, b), u = (q, b, a)  becomes  t = (p, a, q), u = (p, q, b)
//     / | \                /   \            .
//    p  |  q     ->       p --- q
//     \ | /                \   /
//       a                    a
void Triangulation::flip(int t, int k) {
  const Triangle T = triangle[t];
  const int u = T.across[k];
  const Triangle U = triangle[u];
  const int m = side_towards(U, t);
  const int p = T.node[k], a = T.node[next(k)], b = T.node[previous(k)], q = U.node[m];
  const int ap = T.across[previous(k)], pb = T.across[next(k)];  // beyond p-a and beyond b-p
  const int aq = U.across[next(m)], bq = U.across[previous(m)];  // u = (q, b, a): beyond a-q and beyond q-b
  const auto bit = [](const Triangle& of, int corner, int to) { return (of.fixed >> corner & 1) << to; };
  triangle[t] = {{p, a, q}, {aq, u, ap}, bit(U, next(m), 0) | bit(T, previous(k), 2)};
  triangle[u] = {{p, q, b}, {bq, pb, t}, bit(U, previous(m), 0) | bit(T, next(k), 1)};
  if (aq >= 0) triangle[aq].across[side_towards(triangle[aq], u)] = t;
  replace_across(pb, t, u);
  at_node_[p] = at_node_[a] = t;
  at_node_[q] = at_node_[b] = u;
}

void Triangulation::make_delaunay() {
  std::vector<int> todo(triangle.size());
  for (std::size_t t = 0; t < todo.size(); ++t) todo[t] = static_cast<int>(t);
  while (!todo.empty()) {
    const int t = todo.back();
    todo.pop_back();
    for (int k = 0; k < 3; ++k) {
      const int u = triangle[t].across[k];
      if (u < 0 || triangle[t].is_fixed(k)) continue;
      const int q = triangle[u].node[side_towards(triangle[u], t)];
      const auto& n = triangle[t].node;
      if (!(in_circle(node[n[0]], node[n[1]], node[n[2]], node[q]) > 0)) continue;
      flip(t, k);
      todo.push_back(t);
      todo.push_back(u);
      break;
    }
  }
}

int Triangulation::find_edge(int a, int b, int& k) const {
  const int start = at_node_[a];
  for (const bool left : {true, false}) {
    int t = start;
    do {
      const int c = corner_of(triangle[t], a);
      if (triangle[t].node[next(c)] == b) {
        k = previous(c);
        return t;
      }
      t = triangle[t].across[left ? next(c) : previous(c)];
    } while (t >= 0 && t != start);
  }
  return -1;
}

// Sloan (1993), A fast algorithm for generating constrained Delaunay triangulations, Comput. Struct. 47:441: the
// edges crossed by a-b are flipped, those in non-convex quadrilaterals last.
void Triangulation::recover(const std::array<int, 2>& edge) {
  const auto [a, b] = edge;
  int k = 0;
  if (find_edge(a, b, k) >= 0) return;
  const auto side = [&](int n) { return orientation(node[a], node[b], node[n]); };
  int t = at_node_[a], c = corner_of(triangle[t], a);
  for (int tries = 0; !(side(triangle[t].node[next(c)]) < 0 && side(triangle[t].node[previous(c)]) > 0); ++tries) {
    t = triangle[t].across[next(c)];
    if (t < 0 || tries > static_cast<int>(triangle.size())) polygons_cross();
    c = corner_of(triangle[t], a);
  }
  std::deque<std::array<int, 2>> crossed;  // from the right of a-b to its left
  for (int right = triangle[t].node[next(c)], left = triangle[t].node[previous(c)];;) {
    crossed.push_back({right, left});
    if (triangle[t].is_fixed(c)) polygons_cross();
    const int u = triangle[t].across[c], opposite = triangle[u].node[side_towards(triangle[u], t)];
    if (opposite == b) break;
    const double where = side(opposite);
    if (where == 0) polygons_cross();
    const int leaves = where > 0 ? left : right;
    (where > 0 ? left : right) = opposite;
    t = u;
    c = corner_of(triangle[t], leaves);
  }
  for (std::size_t tries = 100 * (crossed.size() + 10); !crossed.empty(); --tries) {
    if (tries == 0) polygons_cross();
    const auto [right, left] = crossed.front();
    crossed.pop_front();
    t = find_edge(right, left, k);
    const int p = triangle[t].node[k], u = triangle[t].across[k];
    const int q = triangle[u].node[side_towards(triangle[u], t)];
    if (!(orientation(node[p], node[right], node[q]) > 0 && orientation(node[q], node[left], node[p]) > 0)) {
      crossed.push_back({right, left});
      continue;
    }
    flip(t, k);
    const double sp = p == a || p == b ? 0 : side(p), sq = q == a || q == b ? 0 : side(q);
    if (sp * sq < 0) crossed.push_back(sp < 0 ? std::array<int, 2>{p, q} : std::array<int, 2>{q, p});
  }
}

void Triangulation::keep_domain(const std::vector<std::array<int, 2>>& edges) {
  std::vector<int> number(triangle.size(), -1), inside;
  const auto take = [&](int t) {
    if (t < 0 || number[t] >= 0) return;
    number[t] = static_cast<int>(inside.size());
    inside.push_back(t);
  };
  for (const auto& [a, b] : edges) {
    int k = 0;
    take(find_edge(a, b, k));
  }
  for (std::size_t i = 0; i < inside.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (!triangle[inside[i]].is_fixed(k)) take(triangle[inside[i]].across[k]);
  std::vector<Triangle> kept;
  const int last = static_cast<int>(node.size()) - 3;
  for (const int t : inside) {
    kept.push_back(triangle[t]);
    for (int k = 0; k < 3; ++k) {
      int& beyond = kept.back().across[k];
      beyond = beyond >= 0 && !kept.back().is_fixed(k) ? number[beyond] : -1;
      if (kept.back().node[k] >= last) polygons_cross();  // the region is not closed: an edge has the wrong direction
    }
  }
  triangle = std::move(kept);
  node.resize(static_cast<std::size_t>(last));
  mark_.assign(triangle.size(), 0);
  slot_.assign(node.size(), -1);
  at_node_.assign(node.size(), -1);
  for (std::size_t t = 0; t < triangle.size(); ++t)
    for (const int n : triangle[t].node) at_node_[n] = static_cast<int>(t);
}

}  // namespace weir
