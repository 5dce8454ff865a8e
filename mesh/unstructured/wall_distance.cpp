#include "mesh/unstructured/wall_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {
namespace {

struct Segment {
  Point a, b;
};

double squared_distance(const Segment& s, const Point& x) {
  const double dx = s.b[0] - s.a[0], dy = s.b[1] - s.a[1], px = x[0] - s.a[0], py = x[1] - s.a[1];
  const double t = std::clamp((px * dx + py * dy) / (dx * dx + dy * dy), 0.0, 1.0);
  const double rx = px - t * dx, ry = py - t * dy;
  return rx * rx + ry * ry;
}

// Tree of segments, halved at the middle of the longer side of their box. Node k has the children 2 k + 1 and 2 k +
// 2; all leaves are on one level.
class SegmentTree {
 public:
  explicit SegmentTree(std::vector<Segment> segments) : segment_(std::move(segments)) {
    while (static_cast<std::size_t>(most) << levels_ < segment_.size()) ++levels_;
    box_.resize((std::size_t{2} << levels_) - 1);
    build(0, 0, 0, segment_.size());
  }

  double squared(const Point& x, double bound) const { return search(0, 0, 0, segment_.size(), x, bound); }

 private:
  struct Box {
    Point low{1e300, 1e300}, high{-1e300, -1e300};
  };
  static constexpr int most = 4;  // segments per leaf

  void build(std::size_t node, int level, std::size_t begin, std::size_t end) {
    Box& box = box_[node];
    for (std::size_t i = begin; i < end; ++i)
      for (const Point& x : {segment_[i].a, segment_[i].b})
        for (std::size_t d = 0; d < 2; ++d) {
          box.low[d] = std::min(box.low[d], x[d]);
          box.high[d] = std::max(box.high[d], x[d]);
        }
    if (level == levels_) return;
    const std::size_t d = box.high[0] - box.low[0] > box.high[1] - box.low[1] ? 0 : 1, middle = (begin + end) / 2;
    const auto at = [&](std::size_t i) { return segment_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [d](const Segment& p, const Segment& q) { return p.a[d] + p.b[d] < q.a[d] + q.b[d]; });
    build(2 * node + 1, level + 1, begin, middle);
    build(2 * node + 2, level + 1, middle, end);
  }

  double to_box(std::size_t node, const Point& x) const {
    double sum = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      const double out = std::max({box_[node].low[d] - x[d], x[d] - box_[node].high[d], 0.0});
      sum += out * out;
    }
    return sum;
  }

  // The smaller of `bound` and the squared distance to the node's segments.
  double search(std::size_t node, int level, std::size_t begin, std::size_t end, const Point& x, double bound) const {
    if (level == levels_) {
      for (std::size_t i = begin; i < end; ++i) bound = std::min(bound, squared_distance(segment_[i], x));
      return bound;
    }
    const std::size_t middle = (begin + end) / 2, left = 2 * node + 1, right = left + 1;
    const double to_left = to_box(left, x), to_right = to_box(right, x);
    for (const bool is_left : {to_left <= to_right, to_left > to_right}) {
      if ((is_left ? to_left : to_right) >= bound) continue;
      bound =
          is_left ? search(left, level + 1, begin, middle, x, bound) : search(right, level + 1, middle, end, x, bound);
    }
    return bound;
  }

  std::vector<Segment> segment_;
  std::vector<Box> box_;
  int levels_ = 0;
};

}  // namespace

std::vector<double> wall_distance(const UnstructuredMesh& mesh, const std::vector<bool>& is_wall) {
  std::vector<Segment> segments;
  for (std::size_t p = 0; p < mesh.patches.size(); ++p) {
    const Patch& patch = mesh.patches[p];
    for (int f = patch.first; is_wall[p] && f < patch.first + patch.count; ++f)
      segments.push_back({mesh.node[mesh.face_node[f][0]], mesh.node[mesh.face_node[f][1]]});
  }
  const double far = std::numeric_limits<double>::infinity();
  std::vector<double> distance;
  distance.reserve(mesh.centre.size());
  const SegmentTree tree(std::move(segments));
  for (const Point& x : mesh.centre) distance.push_back(std::sqrt(tree.squared(x, far)));
  return distance;
}

}  // namespace weir
