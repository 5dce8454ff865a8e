// The signed distance from the points of a structured grid to a body, in a narrow band around its surface, and on which
// side every other point is. Points within `reach` of the largest spacing near the body have a Foot: the exact closest
// point of the surface, its normal, element and weights; their sign is that of the pseudonormal there (Baerentzen &
// Aanaes 2005, Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11:243), right at edges and
// corners too. All others take the side of their neighbour along x: the cost is that of the points in the band and one
// pass over the body's box. A 2D body reaches across all z. Runs repeat bit for bit on any number of threads.
//
// A surface that moves by small steps: an update that has looked at all elements lists, for each point, those that may be the
// nearest until some node has moved by a margin; the updates until then look at these alone (neighbour lists, as of molecular
// dynamics: Verlet 1967). The bits are the same.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mesh/body/body.hpp"
#include "mesh/body/distance/point_line.hpp"

namespace weir {

struct BandOptions {
  double reach = 1.5;  // >= 1: a point with a neighbour on the other side is always in the band
  double band = 0;     // its width on each side, where the caller knows it better; at least the largest spacing
  bool is_part =
      false;  // of a grid, or of a body: it may reach beyond the points in y and z; along x they are all there
};

// The width of the band around the body as it is now, from all the points of a grid. Error(Exit::usage) where the body
// leaves their box; along x alone where it may cross the other sides.
double band_width(const Body& body, const std::array<PointLine, 3>& points, double reach, bool crosses = false);

class BodyDistance {
 public:
  // Coordinates of the points, increasing in each direction; point (i, j, k) has the index i + nx (j + ny k).
  BodyDistance(std::span<const double> x, std::span<const double> y, std::span<const double> z,
               BandOptions options = {});
  BodyDistance(std::span<const double> x, std::span<const double> y, std::span<const double> z, double reach)
      : BodyDistance(x, y, z, BandOptions{.reach = reach}) {}

  // For the body as it is now. Allocates nothing once the band has had its size. Error(Exit::usage) where the body leaves
  // the points' box.
  void update(const Body& body);
  void use_band(double width) { options_.band = width; }  // from the next update on; see BandOptions

  struct NearPoint {
    std::int64_t index;
    Foot foot;
  };
  std::span<const NearPoint> near() const { return near_; }  // the band, by increasing index

  static constexpr std::int32_t fluid = -1, solid = -2;
  // Of each point: its place in near(), or `fluid` or `solid` where it is far.
  std::span<const std::int32_t> code() const { return code_; }
  bool is_solid(std::int64_t p) const {
    const std::int32_t c = code_[p];
    return c >= 0 ? near_[c].foot.distance < 0 : c == solid;
  }
  double band() const { return band_; }  // the width on each side, a length
  int count(int d) const { return line_[d].size(); }
  double coordinate(int d, int i) const { return line_[d][i]; }

  // The signed distance of every point, cut off at +-band().
  void fill(std::span<double> distance) const;

 private:
  struct Range {
    std::array<int, 3> begin{}, end{};
  };
  struct Candidate {
    double distance;  // unsigned
    Foot foot;
    int feature;  // of the element, on which the foot is
  };
  Range range_of(const Box3& box, double margin) const;
  Range chunk(std::size_t c, std::size_t across) const;
  void find_band(const Body& body, const Box3& box);
  // Some elements in a row that lie together, or one large element; and a ball around them.
  struct Cluster {
    int first, last;
    Box3 box;
    Vec3 centre;
    double radius;
  };
  static constexpr int largest_cluster = 16;
  // Of points in the order of their rows, those elements that may be the nearest, the last nearest one first. distance: no more than
  // it was when it was listed or measured, plus the element's travelled_ then; it can have become smaller since by what that has grown.
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
  void bound(const Body& body, const Range& rows);
  void scan_elements(const Body& body, const Range& rows, std::vector<Candidate>& found);
  Range range_of(const Cluster& c, const Range& rows, double reach) const;
  bool bound_by_last(const Body& body, const Range& rows);  // false: there is none
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
  int planes_ = 1;  // of z that are computed: one for a 2D body
  Range box_;       // points whose code may differ from that of far outside
  std::int32_t outside_ = fluid;
  // While a chunk scans, code holds the place in its own `found`; number() makes it the place in near_.
  std::vector<std::int32_t> code_;
  std::vector<NearPoint> near_;
  std::vector<std::vector<Candidate>> found_;  // of each chunk of rows
  std::vector<std::size_t> start_;             // of each chunk in near_
  std::vector<Cluster> cluster_;
  std::vector<Vec3> middle_;  // of each element
  std::vector<double> radius_;
  // Of each element: its middle from its cluster's centre, the radius around it, its normal; arrays, so that a cluster's are
  // looked at together.
  std::array<std::vector<float>, 7> disc_;
  std::vector<std::array<int, 3>> last_element_;  // of the last update's surface; empty: its feet name none
  std::vector<Vec3> last_node_;
  std::vector<double> least_;  // of each point: no less than its distance, where that is within reach_
  Search search_ = Search::all;
  double reach_ = 0;  // band_, or as much more as a point may come nearer while lists are kept
  std::vector<Lists> lists_;
  std::vector<Vec3> listed_node_;  // the nodes when lists_ were made; empty: there are none
  double margin_ = 0;              // how far nodes may move from there
  std::vector<double> travelled_,
      step_;  // of each element the largest steps of its nodes since, together; of each node the last
  double listed_reach_ = 0;
};

}  // namespace weir
