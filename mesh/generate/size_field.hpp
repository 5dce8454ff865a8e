// The wanted edge length of triangles:  h(x) = min over the sources s of h_s + g(|x - s|),
//
//   g(d) = near d + (far - near) d^2 / (1 + d)      slope `near` within a chord, `far` beyond
//
// Sources are the edges of the boundary and whatever else is to be resolved (a wake). A look-up takes about log(sources).
#pragma once
#include <array>
#include <vector>

#include "mesh/generate/predicates.hpp"

namespace weir {

class SizeField {
 public:
  struct Source {
    Point at;
    double size;
  };
  SizeField(std::vector<Source> sources, double near, double far);
  double operator()(const Point& x) const;

 private:
  struct Box {  // of sources first .. last - 1; children at 2 i + 1, 2 i + 2
    Point low, high;
    double size;  // the least
    int first, last;
  };
  void build(std::size_t box, int first, int last);
  double growth(double distance) const { return distance * (near_ + (far_ - near_) * distance / (1 + distance)); }
  double bound(const Box& box, const Point& x) const;

  std::vector<Source> source_;
  std::vector<Box> box_;
  double near_, far_;
};

}  // namespace weir
