// Required edge length of triangles:  h(x) = min over the sources s of h_s + g(|x - s|),
//
//   g(d) = near d + (far - near) d^2 / (1 + d)      slope `near` within a chord, `far` beyond
//
// Sources are boundary edges and other regions to be resolved (a wake). A look-up takes about log(sources).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "mesh/generate/predicates.hpp"

namespace weir {

class SizeField {
 public:
  struct Source {
    Point at;
    double size;
  };
  SizeField(std::vector<Source> sources, double near, double far)
      : source_(std::move(sources)), near_(near), far_(far) {
    std::size_t boxes = 1, least = source_.size();
    for (; least > leaf; least = (least + 1) / 2) boxes = 2 * boxes + 1;
    box_.resize(2 * boxes + 1);
    build(0, 0, static_cast<int>(source_.size()));
  }

  double operator()(const Point& x) const {
    double best = std::numeric_limits<double>::infinity();
    std::array<std::pair<double, std::size_t>, 64> stack;  // deeper than any tree of int sources
    std::size_t depth = 0;
    stack[depth++] = {bound(box_[0], x), 0};
    while (depth) {
      const auto [least, index] = stack[--depth];
      if (least >= best) continue;
      const Box& b = box_[index];
      if (b.last - b.first <= leaf) {
        for (int i = b.first; i < b.last; ++i) {
          const Source& s = source_[i];
          const double dx = s.at[0] - x[0], dy = s.at[1] - x[1];
          best = std::min(best, s.size + growth(std::sqrt(dx * dx + dy * dy)));
        }
        continue;
      }
      const double one = bound(box_[2 * index + 1], x), two = bound(box_[2 * index + 2], x);
      stack[depth++] = {std::max(one, two), 2 * index + (one > two ? 1 : 2)};
      stack[depth++] = {std::min(one, two), 2 * index + (one > two ? 2 : 1)};
    }
    return best;
  }

 private:
  struct Box {  // box of sources first .. last - 1; its children are at 2 i + 1 and 2 i + 2
    Point low, high;
    double size;  // smallest size of the sources
    int first, last;
  };
  static constexpr int leaf = 8;  // sources per leaf

  void build(std::size_t index, int first, int last) {
    Box& b = box_[index];
    b = {source_[first].at, source_[first].at, source_[first].size, first, last};
    for (int i = first; i < last; ++i) {
      for (std::size_t d = 0; d < 2; ++d) {
        b.low[d] = std::min(b.low[d], source_[i].at[d]);
        b.high[d] = std::max(b.high[d], source_[i].at[d]);
      }
      b.size = std::min(b.size, source_[i].size);
    }
    if (last - first <= leaf) return;
    const std::size_t d = b.high[0] - b.low[0] > b.high[1] - b.low[1] ? 0 : 1;
    const int middle = first + (last - first) / 2;
    std::nth_element(source_.begin() + first, source_.begin() + middle, source_.begin() + last,
                     [d](const Source& p, const Source& q) { return p.at[d] < q.at[d]; });
    build(2 * index + 1, first, middle);
    build(2 * index + 2, middle, last);
  }

  double growth(double distance) const { return distance * (near_ + (far_ - near_) * distance / (1 + distance)); }
  double bound(const Box& b, const Point& x) const {
    const double dx = std::max({b.low[0] - x[0], 0.0, x[0] - b.high[0]}),
                 dy = std::max({b.low[1] - x[1], 0.0, x[1] - b.high[1]});
    return b.size + growth(std::sqrt(dx * dx + dy * dy));
  }

  std::vector<Source> source_;
  std::vector<Box> box_;
  double near_, far_;
};

}  // namespace weir
