#include "mesh/unstructured/carry_over.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"

namespace weir {
namespace {

double squared_distance(const Point& a, const Point& b) {
  const double dx = a[0] - b[0], dy = a[1] - b[1];
  return dx * dx + dy * dy;
}

// k-d tree of points (Bentley 1975): the middle of a range is its root.
class PointTree {
 public:
  explicit PointTree(const std::vector<Point>& points) : points_(points), order_(points.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    build(0, order_.size(), 0);
  }

  int nearest(const Point& x, int guess) const {
    Found found{guess, squared_distance(points_[at(guess)], x)};
    search(0, order_.size(), 0, x, found);
    return found.point;
  }

 private:
  struct Found {
    int point;
    double square;
  };

  void build(std::size_t begin, std::size_t end, std::size_t d) {
    if (end - begin < 2) return;
    const std::size_t middle = (begin + end) / 2;
    const auto place = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(place(begin), place(middle), place(end),
                     [&](int p, int q) { return points_[at(p)][d] < points_[at(q)][d]; });
    build(begin, middle, 1 - d);
    build(middle + 1, end, 1 - d);
  }

  void search(std::size_t begin, std::size_t end, std::size_t d, const Point& x, Found& found) const {
    if (begin == end) return;
    const std::size_t middle = (begin + end) / 2;
    const Point& p = points_[at(order_[middle])];
    const double across = x[d] - p[d];
    if (across < 0)
      search(begin, middle, 1 - d, x, found);
    else
      search(middle + 1, end, 1 - d, x, found);
    if (across * across >= found.square) return;
    if (const double square = squared_distance(p, x); square < found.square) found = {order_[middle], square};
    if (across < 0)
      search(middle + 1, end, 1 - d, x, found);
    else
      search(begin, middle, 1 - d, x, found);
  }

  const std::vector<Point>& points_;
  std::vector<int> order_;
};

// Determinant over squared trace, at most 1/4: below, neighbours are nearly collinear and give no gradient.
constexpr double flat = 0.02;

std::vector<double> gradients(const UnstructuredMesh& mesh, std::span<const double> values, int n) {
  struct Sums {
    double xx = 0, xy = 0, yy = 0;
  };
  std::vector<Sums> sums(at(mesh.cells()));
  std::vector<double> gradient(2 * values.size(), 0.0);
  for (int f = 0; f < mesh.interior_faces() - mesh.periodic_faces; ++f) {
    const int i = mesh.owner[f], j = mesh.neighbour[f];
    const double dx = mesh.centre[j][0] - mesh.centre[i][0], dy = mesh.centre[j][1] - mesh.centre[i][1];
    const double w = 1 / (dx * dx + dy * dy);
    for (const int cell : {i, j}) {
      sums[cell].xx += w * dx * dx;
      sums[cell].xy += w * dx * dy;
      sums[cell].yy += w * dy * dy;
    }
    for (int k = 0; k < n; ++k) {
      const double change = w * (values[at(j) * at(n) + at(k)] - values[at(i) * at(n) + at(k)]);
      for (const int cell : {i, j}) {
        double* g = &gradient[2 * (at(cell) * at(n) + at(k))];
        g[0] += change * dx;
        g[1] += change * dy;
      }
    }
  }
  for (int i = 0; i < mesh.cells(); ++i) {
    const Sums& s = sums[i];
    const double determinant = s.xx * s.yy - s.xy * s.xy;
    const double trace = s.xx + s.yy;
    const bool is_flat = !(determinant > flat * trace * trace);
    for (int k = 0; k < n; ++k) {
      double* g = &gradient[2 * (at(i) * at(n) + at(k))];
      const double x = g[0], y = g[1];
      g[0] = is_flat ? 0 : (s.yy * x - s.xy * y) / determinant;
      g[1] = is_flat ? 0 : (s.xx * y - s.xy * x) / determinant;
    }
  }
  return gradient;
}

}  // namespace

std::vector<double> carried_over(const UnstructuredMesh& from, std::span<const double> values, int n,
                                 std::span<const Point> to,
                                 const std::function<bool(std::span<const double>)>& is_allowed) {
  const PointTree tree(from.centre);
  const std::vector<double> gradient = gradients(from, values, n);
  std::vector<double> carried;
  carried.reserve(to.size() * at(n));
  int near = 0;
  for (const Point& x : to) {
    near = tree.nearest(x, near);
    const double dx = x[0] - from.centre[near][0], dy = x[1] - from.centre[near][1];
    const std::size_t first = at(near) * at(n), begin = carried.size();
    for (std::size_t k = first; k < first + at(n); ++k)
      carried.push_back(values[k] + gradient[2 * k] * dx + gradient[2 * k + 1] * dy);
    if (!is_allowed({&carried[begin], at(n)})) std::copy_n(&values[first], n, &carried[begin]);
  }
  return carried;
}

}  // namespace weir
