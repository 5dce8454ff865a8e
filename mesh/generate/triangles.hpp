// Fills a domain with triangles of a wanted size: the frontal Delaunay method of Rebay (1993, J. Comput. Phys. 106:125).
// Triangles of the right size grow from the boundary inwards; each step puts a node where it completes a good triangle on
// an edge of the front, and the Delaunay criterion mends the rest. Then nodes move to the middle of their neighbours
// where that makes the worst triangle around them better.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "mesh/generate/predicates.hpp"
#include "mesh/generate/triangulation.hpp"

namespace weir {

struct TriangleOptions {
  int smoothing = 6;  // sweeps
};

// edges: the boundary, directed with the domain on the left. They should be about as long as `size` says there.
Triangulation fill_with_triangles(std::vector<Point> nodes, const std::vector<std::array<int, 2>>& edges,
                                  const std::function<double(const Point&)>& size, const TriangleOptions& options = {});

// 1: equilateral; 0: flat; negative: turned over.
double triangle_quality(const Point& a, const Point& b, const Point& c);

// The wanted edge length of triangles:  h(x) = min over the sources s of h_s + g(|x - s|),
//
//   g(d) = near d + (far - near) d^2 / (1 + d)      slope `near` within a chord, `far` beyond
//
// Sources are the edges of the boundary and whatever else is to be resolved (a wake). A look-up takes about log(sources).
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
