#include "mesh/generate/triangles.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/buckets.hpp"

namespace weir {
namespace {

constexpr double root3 = 1.7320508075688772;

// Relative to a, to keep precision for small triangles far from the origin.
Point circumcentre(const Point& a, const Point& b, const Point& c) {
  const double bx = b[0] - a[0], by = b[1] - a[1], cx = c[0] - a[0], cy = c[1] - a[1];
  const double d = 2 * (bx * cy - by * cx), b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
  return {a[0] + (cy * b2 - by * c2) / d, a[1] + (bx * c2 - cx * b2) / d};
}

class Front {
 public:
  Front(Triangulation& mesh, const std::function<double(const Point&)>& size) : mesh_(mesh), size_(size) {
    for (const Point& x : mesh.node) node_size_.push_back(size(x));
    for (int t = 0; t < static_cast<int>(mesh.triangle.size()); ++t) assess(t);
    for (int t = 0; t < static_cast<int>(mesh.triangle.size()); ++t)
      if (state_[t] == State::waiting && is_at_front(t)) push(t);
  }

  void advance() {
    while (!queue_.empty()) {
      const auto [t, version] = queue_.front();
      queue_.pop_front();
      if (version_[t] != version || state_[t] != State::waiting) continue;
      if (!grow(t)) {
        state_[t] = State::given_up;  // its neighbours may be improved
        wake_neighbours(t);
      }
    }
  }

 private:
  enum class State : char { waiting, good, given_up };
  struct Entry {
    int triangle, version;
  };

  const Point& corner(int t, int k) const { return mesh_.node[mesh_.triangle[t].node[k]]; }

  // Circumradius relative to that of the required equilateral triangle: below 1.22 is good (Rebay's criterion).
  void assess(int t) {
    if (static_cast<std::size_t>(t) >= state_.size()) {
      state_.resize(static_cast<std::size_t>(t) + 1, State::waiting);
      version_.resize(static_cast<std::size_t>(t) + 1, 0);
    }
    const auto& n = mesh_.triangle[t].node;
    const Point c = circumcentre(corner(t, 0), corner(t, 1), corner(t, 2));
    const double h = (node_size_[n[0]] + node_size_[n[1]] + node_size_[n[2]]) / 3;
    state_[t] = distance(c, corner(t, 0)) * root3 < 1.22 * h ? State::good : State::waiting;
    ++version_[t];
  }

  bool is_front_edge(int t, int k) const {
    const Triangle& T = mesh_.triangle[t];
    return T.is_fixed(k) || T.across[k] < 0 || state_[T.across[k]] == State::good;
  }
  bool is_at_front(int t) const { return is_front_edge(t, 0) || is_front_edge(t, 1) || is_front_edge(t, 2); }
  void push(int t) { queue_.push_back({t, version_[t]}); }
  void wake_neighbours(int t) {
    for (int k = 0; k < 3; ++k) {
      const int u = mesh_.triangle[t].across[k];
      if (u >= 0 && !mesh_.triangle[t].is_fixed(k) && state_[u] == State::waiting && is_at_front(u)) push(u);
    }
  }

  // Inserts a node that makes an equilateral triangle of the required size on the shortest front edge, no farther
  // away than the circumcentre (Rebay, eqs. 4 to 6).
  bool grow(int t) {
    int best = -1;
    double shortest = 0;
    for (int k = 0; k < 3; ++k) {
      if (!is_front_edge(t, k)) continue;
      const double length = distance(corner(t, (k + 1) % 3), corner(t, (k + 2) % 3));
      if (best >= 0 && length >= shortest) continue;
      best = k;
      shortest = length;
    }
    if (best < 0) return false;
    const int ia = mesh_.triangle[t].node[(best + 1) % 3], ib = mesh_.triangle[t].node[(best + 2) % 3];
    const Point a = mesh_.node[ia], b = mesh_.node[ib];
    const Point inwards{-(b[1] - a[1]) / shortest, (b[0] - a[0]) / shortest};
    const Point between = middle(a, b);
    const Point c = circumcentre(a, b, corner(t, best));
    const double p = 0.5 * shortest, q = (c[0] - between[0]) * inwards[0] + (c[1] - between[1]) * inwards[1];
    if (!(q > 0)) return false;  // obtuse on this edge: the edge is too long, not the triangle too large
    const double wanted = 0.5 * (node_size_[ia] + node_size_[ib]) / root3;
    const double radius = std::min(std::max(wanted, p), (p * p + q * q) / (2 * q));
    const double d = radius + std::sqrt(std::max(radius * radius - p * p, 0.0));
    return insert({between[0] + d * inwards[0], between[1] + d * inwards[1]}, t);
  }

  bool insert(const Point& x, int from) {
    const int in = mesh_.find(x, from);
    if (in < 0) return false;
    const double h = size_(x);
    if (!mesh_.insert(x, in, 0.6 * h)) return false;
    node_size_.push_back(h);
    for (const int u : mesh_.changed()) assess(u);
    for (const int u : mesh_.changed())
      if (state_[u] != State::waiting)
        wake_neighbours(u);
      else if (is_at_front(u))
        push(u);
    return true;
  }

  Triangulation& mesh_;
  const std::function<double(const Point&)>& size_;
  std::vector<double> node_size_;
  std::vector<State> state_;
  std::vector<int> version_;  // distinguishes a queued triangle from a later one with the same index
  std::deque<Entry> queue_;
};

// Nodes and the triangles around each, for smoothing.
class Stars {
 public:
  explicit Stars(const Triangulation& mesh)
      : around_(into_buckets<int>(mesh.node.size(),
                                  [&](const auto& put) {
                                    for (int t = 0; t < static_cast<int>(mesh.triangle.size()); ++t)
                                      for (const int n : mesh.triangle[t].node) put(n, t);
                                  })),
        at_boundary_(mesh.node.size(), 0) {
    for (const Triangle& t : mesh.triangle)
      for (int k = 0; k < 3; ++k)
        if (t.is_fixed(k) || t.across[k] < 0) at_boundary_[t.node[(k + 1) % 3]] = at_boundary_[t.node[(k + 2) % 3]] = 1;
  }

  void smooth(Triangulation& mesh) const {
    for (std::size_t n = 0; n < mesh.node.size(); ++n)
      if (!at_boundary_[n]) improve(mesh, n);
  }

 private:
  double worst(const Triangulation& mesh, std::size_t n) const {
    double least = 1;
    for (int i = around_.start[n]; i < around_.start[n + 1]; ++i) {
      const auto& c = mesh.triangle[around_.item[i]].node;
      least = std::min(least, triangle_quality(mesh.node[c[0]], mesh.node[c[1]], mesh.node[c[2]]));
    }
    return least;
  }

  void improve(Triangulation& mesh, std::size_t n) const {
    Point sum{0, 0};  // each neighbour is in two triangles
    for (int i = around_.start[n]; i < around_.start[n + 1]; ++i)
      for (const int m : mesh.triangle[around_.item[i]].node)
        if (m != static_cast<int>(n))
          for (std::size_t d = 0; d < 2; ++d) sum[d] += mesh.node[m][d];
    const double count = 2.0 * (around_.start[n + 1] - around_.start[n]);
    const Point old = mesh.node[n];
    const double before = worst(mesh, n);
    for (double step = 1; step > 0.2; step *= 0.5) {
      for (std::size_t d = 0; d < 2; ++d) mesh.node[n][d] = old[d] + step * (sum[d] / count - old[d]);
      if (worst(mesh, n) > before) return;
    }
    mesh.node[n] = old;
  }

  Buckets<int> around_;  // triangles of each node
  std::vector<char> at_boundary_;
};

}  // namespace

double triangle_quality(const Point& a, const Point& b, const Point& c) {
  const double ux = b[0] - a[0], uy = b[1] - a[1], vx = c[0] - a[0], vy = c[1] - a[1], wx = vx - ux, wy = vy - uy;
  return 2 * root3 * (ux * vy - uy * vx) / (ux * ux + uy * uy + vx * vx + vy * vy + wx * wx + wy * wy);
}

Triangulation fill_with_triangles(std::vector<Point> nodes, const std::vector<std::array<int, 2>>& edges,
                                  const std::function<double(const Point&)>& size) {
  Triangulation mesh(std::move(nodes), edges);
  Front(mesh, size).advance();
  constexpr int sweeps = 6;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    Stars(mesh).smooth(mesh);
    mesh.make_delaunay();
  }
  return mesh;
}

}  // namespace weir
