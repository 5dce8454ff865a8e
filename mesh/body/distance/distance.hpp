// Signed distance of the points of a structured grid to a body, in a narrow band around its surface, and the side of
// all other points. Points within `reach` times the largest spacing near the body have a Foot: the exact closest point
// of the surface with normal, element and weights. The sign is that of the pseudonormal there (Baerentzen & Aanaes
// 2005, Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11:243), which is correct at edges
// and corners too. All other points have the side of their neighbour along x, so the cost is that of the band and one
// pass over the body's box. A 2D body extends over all z. Reproducible bit for bit on any number of threads.
//
// Moving surfaces: an update that searches all elements lists for each point those that may be nearest until some
// node has moved by a margin; later updates search only these (neighbour lists as in molecular dynamics: Verlet
// 1967). The bits are the same.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mesh/body/body.hpp"
#include "mesh/body/distance/point_line.hpp"

namespace weir {

struct BandOptions {
  double reach = 1.5;    // >= 1: a point with a neighbour on the other side is always in the band
  double band = 0;       // minimum width on each side; at least the largest spacing
  bool is_part = false;  // for a part of a grid or body: the body may exceed the points in y and z, not in x
};

// Width of the band around the body at its current position, from all points of a grid. Throws Error(Exit::usage) if
// the body leaves their box (only along x if it may cross the other sides).
double band_width(const Body& body, const std::array<PointLine, 3>& points, double reach, bool crosses = false);

class BodyDistance {
 public:
  // Coordinates of the points, increasing in each direction; point (i, j, k) has the index i + nx (j + ny k).
  BodyDistance(std::span<const double> x, std::span<const double> y, std::span<const double> z,
               BandOptions options = {});
  BodyDistance(std::span<const double> x, std::span<const double> y, std::span<const double> z, double reach)
      : BodyDistance(x, y, z, BandOptions{.reach = reach}) {}

  // Updates for the current position of the body. No allocation once the band has reached its size. Throws
  // Error(Exit::usage) if the body leaves the points' box.
  void update(const Body& body);
  void use_band(double width) { options_.band = width; }  // for later updates; see BandOptions

  struct NearPoint {
    std::int64_t index;
    Foot foot;
  };
  std::span<const NearPoint> near() const { return near_; }  // the band, by increasing index

  static constexpr std::int32_t fluid = -1, solid = -2;
  // Per point: index in near(), or `fluid` or `solid` if far.
  std::span<const std::int32_t> code() const { return code_; }
  bool is_solid(std::int64_t p) const {
    const std::int32_t c = code_[p];
    return c >= 0 ? near_[c].foot.distance < 0 : c == solid;
  }
  double band() const { return band_; }  // width on each side, a length
  int count(int d) const { return line_[d].size(); }
  double coordinate(int d, int i) const { return line_[d][i]; }

  // Signed distance of every point, clipped to +-band().
  void fill(std::span<double> distance) const;

 private:
  struct Range {
    std::array<int, 3> begin{}, end{};
  };
  struct Candidate {
    double distance;  // unsigned
    Foot foot;
    int feature;  // feature of the element (ClosestPoint)
  };
  Range range_of(const Box3& box, double margin) const;
  Range chunk(std::size_t c, std::size_t across) const;
  void find_band(const Body& body, const Box3& box);
  // Consecutive elements that are close in space, or one large element, and a bounding ball.
  struct Cluster {
    int first, last;
    Box3 box;
    Vec3 centre;
    double radius;
  };
  static constexpr int largest_cluster = 16;
  // Per point in row order: the elements that may be nearest, the last nearest one first. distance: upper bound when
  // listed or measured, plus the element's travelled_ at that time; it can have decreased since by at most the growth
  // of travelled_.
  struct Lists {
    std::vector<std::int64_t> point;
    std::vector<int> start, element;
    std::vector<double> distance;
  };
  enum class Search { all, new_lists, lists };
  void choose_search(const Body& body);
  void add_travel(const Surface& s);
  void make_clusters(const Body& body);
  static Candidate seen_from(const Surface& s, int element, const Vec3& x);
  bool is_nearer(const Candidate& a, const Candidate& b) const;
  void bound(const Body& body, const Range& rows);
  void scan_elements(const Body& body, const Range& rows, std::vector<Candidate>& found);
  Range range_of(const Cluster& c, const Range& rows, double reach) const;
  bool bound_by_last(const Body& body, const Range& rows);  // false: no earlier update
  void bound_distances(const Cluster& c, const Range& rows);
  template <class Visit>
  void scan_cluster(const Body& body, const Cluster& c, const Range& rows, double reach, const Visit& visit);
  template <class Visit>
  void scan_point(const Cluster& c, const Vec3& x, std::int64_t p, const Visit& visit);  // visit(p, x, element)
  std::pair<int, int> row_in_slab(const Body& body, const Cluster& c, const Range& r, double y, double z,
                                  double reach) const;
  double disc_distance(const Body& body, int element, const Vec3& x) const;
  void list_elements(const Body& body, const Range& rows, Lists& lists);
  void search_lists(const Body& body, const Range& rows, std::vector<Candidate>& found);
  void scan_exact(const Ellipsoid& shape, const Range& rows, std::vector<Candidate>& found);
  void finish_foot(const Body& body, const Vec3& x, Candidate& c) const;
  void number(const Body& body, const Range& rows, std::size_t c);
  void repeat_across_z();

  std::array<PointLine, 3> line_;
  BandOptions options_;
  double band_ = 0;
  int planes_ = 1;  // computed planes of z: one for a 2D body
  Range box_;       // points whose code may differ from that of far outside
  std::int32_t outside_ = fluid;
  // During the scan of a chunk, index in its own `found`; number() converts it to the index in near_.
  std::vector<std::int32_t> code_;
  std::vector<NearPoint> near_;
  std::vector<std::vector<Candidate>> found_;  // per chunk of rows
  std::vector<std::size_t> start_;             // first index in near_, per chunk
  std::vector<Cluster> cluster_;
  std::vector<Vec3> middle_;  // centre of each element
  std::vector<double> radius_;
  // Per element: its centre relative to the cluster's centre, its radius, its normal; separate arrays, so that the
  // elements of a cluster are processed in vectors.
  std::array<std::vector<float>, 7> disc_;
  std::vector<std::array<int, 3>> last_element_;  // surface of the last update; empty: its feet have no elements
  std::vector<Vec3> last_node_;
  std::vector<double> least_;  // per point: upper bound of its distance, if within reach_
  Search search_ = Search::all;
  double reach_ = 0;  // band_, plus the distance by which a point may approach while lists are kept
  std::vector<Lists> lists_;
  std::vector<Vec3> listed_node_;  // nodes when lists_ were made; empty: no lists
  double margin_ = 0;              // allowed motion of nodes since listed_node_ was set
  std::vector<double> travelled_;  // per element: accumulated largest steps of its nodes
  std::vector<double> step_;       // per node: length of the last step
  double listed_reach_ = 0;
};

}  // namespace weir
