// Incremental constrained Delaunay triangulation (Bowyer 1981, Watson 1981): walks to the position and removes all
// triangles whose circumcircle contains the new node. Fixed edges (the boundary) are never crossed. Exact predicates
// make the cavity star-shaped for any nodes.
#pragma once
#include <array>
#include <vector>

#include "mesh/generate/predicates.hpp"

namespace weir {

struct Triangle {
  std::array<int, 3> node;    // counter-clockwise
  std::array<int, 3> across;  // triangle across the edge opposite of node[k], or -1
  int fixed = 0;              // bit k: edge k is fixed
  bool is_fixed(int k) const { return fixed >> k & 1; }
};

class Triangulation {
 public:
  // The domain bounded by closed polygons, given by directed edges with the domain on their left. Throws
  // std::runtime_error if the polygons cross. Nodes keep their numbers.
  Triangulation(std::vector<Point> nodes, const std::vector<std::array<int, 2>>& edges);

  std::vector<Point> node;
  std::vector<Triangle> triangle;

  // Walks from a triangle to the one that contains x; -1: a boundary blocks the way.
  int find(const Point& x, int from) const;

  // Inserts x, which is in triangle `in`. Returns false without change if a node of the cavity is closer than
  // min_distance. `changed()` then has the triangles around the new node; the numbers of others are unchanged.
  bool insert(const Point& x, int in, double min_distance);
  const std::vector<int>& changed() const { return changed_; }

  // Flips the edge opposite of node[k] to the other diagonal.
  void flip(int t, int k);
  // Flips until every edge that is not fixed is Delaunay (Lawson 1977).
  void make_delaunay();

 private:
  struct Rim {
    int a, b, outside, fixed;
  };
  void dig(const Point& x, int in);
  void fill(int node_index);
  void recover(const std::array<int, 2>& edge);
  void keep_domain(const std::vector<std::array<int, 2>>& edges);
  int find_edge(int a, int b, int& k) const;  // the triangle left of a -> b; -1: none
  void replace_across(int t, int old_neighbour, int new_neighbour);

  std::vector<int> cavity_, mark_, changed_, slot_, at_node_;
  std::vector<Rim> rim_;
  int round_ = 0;
};

}  // namespace weir
