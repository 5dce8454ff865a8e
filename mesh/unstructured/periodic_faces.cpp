// Periodic markers become interior faces.
#include <algorithm>
#include <cmath>

#include "base/nearest.hpp"
#include "mesh/unstructured/faces.hpp"

namespace weir {
namespace {

using Point = std::array<double, 2>;

constexpr double match_tolerance = 1e-4;  // of a face's length

const Point& at(const MeshDescription& d, int node) { return d.node[static_cast<std::size_t>(node)]; }
Point middle(const MeshDescription& d, const Face& f) {
  return {0.5 * (at(d, f.a)[0] + at(d, f.b)[0]), 0.5 * (at(d, f.a)[1] + at(d, f.b)[1])};
}
double distance(const Point& x, const Point& y) { return std::hypot(x[0] - y[0], x[1] - y[1]); }

int marker_index(const MeshDescription& d, const std::string& name) {
  const auto found = std::find(d.marker.begin(), d.marker.end(), name);
  if (found == d.marker.end())
    refuse_cell(d, -1, "there is no marker '" + name + "' to be periodic" + did_you_mean(name, d.marker));
  return static_cast<int>(found - d.marker.begin());
}

Point centre_of_gravity(const MeshDescription& d, const std::vector<Face>& faces) {
  Point sum{};
  double total = 0;
  for (const Face& f : faces) {
    const double length = distance(at(d, f.a), at(d, f.b));
    const Point x = middle(d, f);
    sum = {sum[0] + length * x[0], sum[1] + length * x[1]};
    total += length;
  }
  return {sum[0] / total, sum[1] / total};
}

// Faces sorted along the axis in which they spread, so that a partner is found by bisection.
class Partners {
 public:
  Partners(const MeshDescription& d, const std::vector<Face>& faces)
      : d_(d), faces_(faces), used_(faces.size(), false) {
    Point low{HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL};
    for (const Face& f : faces)
      for (std::size_t k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], middle(d, f)[k]);
        high[k] = std::max(high[k], middle(d, f)[k]);
      }
    axis_ = high[0] - low[0] > high[1] - low[1] ? 0 : 1;
    for (std::size_t i = 0; i < faces.size(); ++i) sorted_.push_back({middle(d, faces[i])[axis_], i});
    std::sort(sorted_.begin(), sorted_.end());
  }

  // The unused face that runs from b to a once those are moved by t; null where there is none.
  const Face* take(const Face& f, const Point& t) {
    const Point a{at(d_, f.a)[0] + t[0], at(d_, f.a)[1] + t[1]}, b{at(d_, f.b)[0] + t[0], at(d_, f.b)[1] + t[1]};
    const double tolerance = match_tolerance * distance(a, b), x = 0.5 * (a[axis_] + b[axis_]);
    auto candidate = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair<double, std::size_t>{x - tolerance, 0});
    for (; candidate != sorted_.end() && candidate->first <= x + tolerance; ++candidate) {
      const Face& g = faces_[candidate->second];
      if (used_[candidate->second] || distance(at(d_, g.a), b) > tolerance || distance(at(d_, g.b), a) > tolerance)
        continue;
      used_[candidate->second] = true;
      return &g;
    }
    return nullptr;
  }

 private:
  const MeshDescription& d_;
  const std::vector<Face>& faces_;
  std::vector<bool> used_;
  std::vector<std::pair<double, std::size_t>> sorted_;
  std::size_t axis_ = 0;
};

void join(MeshDescription& d, const PeriodicPair& pair, FaceSet& all) {
  const int first = marker_index(d, pair.first), second = marker_index(d, pair.second);
  const std::string names = "periodic markers '" + pair.first + "' and '" + pair.second + "'";
  if (first == second) refuse_cell(d, -1, "marker '" + pair.first + "' cannot be periodic with itself");
  std::vector<Face> one, two, rest;
  for (const Face& f : all.boundary) {
    const int m = d.edge_marker[static_cast<std::size_t>(f.other)];
    (m == first ? one : m == second ? two : rest).push_back(f);
  }
  if (one.size() != two.size() || one.empty())
    refuse_cell(d, -1,
                names + " have " + std::to_string(one.size()) + " and " + std::to_string(two.size()) +
                    " faces; they must match one by one");
  Point t;
  if (pair.translation) {
    t = *pair.translation;
  } else {
    const Point x = centre_of_gravity(d, one), y = centre_of_gravity(d, two);
    t = {y[0] - x[0], y[1] - x[1]};
  }
  Partners partners(d, two);
  std::vector<Face> partner;
  for (const Face& f : one) {
    const Face* g = partners.take(f, t);
    if (!g)
      refuse_edge(d, f.other,
                  names + ": " + face_text(d, f.a, f.b) + ", moved by " + point_text(t) + ", meets no face of '" +
                      pair.second + "'");
    if (f.owner == g->owner)
      refuse_edge(d, f.other, names + " bound the same cell; a periodic mesh is at least two cells wide");
    partner.push_back(*g);
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    const Face &f = one[i], &g = partner[i];
    for (const auto& [from, to] : {std::pair{f.a, g.b}, std::pair{f.b, g.a}})
      d.node[static_cast<std::size_t>(to)] = {at(d, from)[0] + t[0], at(d, from)[1] + t[1]};
    if (f.owner < g.owner)
      all.periodic.push_back({{f.owner, g.owner, f.a, f.b}, {-t[0], -t[1]}});
    else
      all.periodic.push_back({{g.owner, f.owner, g.a, g.b}, t});
  }
  all.boundary = std::move(rest);
}

}  // namespace

void join_periodic(MeshDescription& description, FaceSet& faces) {
  for (const PeriodicPair& pair : description.periodic) join(description, pair, faces);
}

}  // namespace weir
