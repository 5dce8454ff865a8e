// A constrained Delaunay triangulation that grows a node at a time: Bowyer (1981) and Watson (1981), walking to the
// place and digging the cavity of all triangles whose circumcircle holds the new node. Edges that are fixed (the
// boundary) are never crossed. Exact predicates: the cavity is star-shaped whatever the nodes.
#pragma once
#include <array>
#include <vector>

#include "mesh/generate/predicates.hpp"

namespace weir {

struct Triangle {
  std::array<int, 3> node;    // to the left
  std::array<int, 3> across;  // the triangle beyond the edge opposite of node[k], or -1
  int fixed = 0;              // bit k: that edge is fixed
  bool is_fixed(int k) const { return fixed >> k & 1; }
};

class Triangulation {
 public:
  // The domain between closed polygons, given by directed edges with the domain on their left. Throws
  // std::runtime_error where the polygons cross. Nodes keep their numbers.
  Triangulation(std::vector<Point> nodes, const std::vector<std::array<int, 2>>& edges);

  std::vector<Point> node;
  std::vector<Triangle> triangle;

  // Walks from a triangle to the one that holds x; -1 where a boundary is in the way.
  int find(const Point& x, int from) const;

  // Inserts x, which lies in triangle `in`. Nothing happens, and false is returned, where a node of the cavity is nearer
  // than min_distance. `changed()` then holds the triangles around the new node; numbers of the others stay.
  bool insert(const Point& x, int in, double min_distance);
  const std::vector<int>& changed() const { return changed_; }

  // Replaces the edge opposite of node[k] by the other diagonal of its two triangles.
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
  int find_edge(int a, int b, int& k) const;  // the triangle left of a -> b; -1 where there is none
  void replace_across(int t, int old_neighbour, int new_neighbour);

  std::vector<int> cavity_, mark_, changed_, slot_, at_node_;
  std::vector<Rim> rim_;
  int round_ = 0;
};

}  // namespace weir
