#include "mesh/body/extend.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace weir {
namespace {

// Cuts elements at the plane; stores the new nodes of cut edges.
class Cutter {
 public:
  Cutter(const Surface& s, std::size_t d, int sign, double at, double tie) : out_(s), d_(d), at_(at), tie_(tie) {
    for (const Vec3& x : s.node) beyond_.push_back(sign * (x[d] - at) >= -tie);
    out_.element.clear();
    out_.patch.clear();
  }

  bool is_beyond(int node) const { return beyond_[static_cast<std::size_t>(node)]; }

  void cut(const Surface& s, std::size_t e) {
    const auto& corner = s.element[e];
    const int n = s.corners();
    // The corners in order with the cut points: those on one side are consecutive.
    std::vector<int> inside, outside;
    for (int k = 0; k < n; ++k) {
      const int a = corner[static_cast<std::size_t>(k)], b = corner[static_cast<std::size_t>((k + 1) % n)];
      (is_beyond(a) ? outside : inside).push_back(a);
      const bool is_edge = n == 3 || k == 0;
      if (!is_edge || is_beyond(a) == is_beyond(b)) continue;
      const int x = crossing(a, b);
      inside.push_back(x);
      outside.push_back(x);
    }
    if (n == 2) {
      if (inside.size() > 1) add({inside[0], inside[1], 0}, s.patch[e]);
      if (outside.size() > 1) add({outside[0], outside[1], 0}, s.patch[e]);
      return;
    }
    // Starts at a corner on the plane, because it moves away from its cut point along an edge that may have this
    // direction.
    const auto on_plane = std::ranges::find_if(outside, [&](int k) { return lies_on_plane(k); });
    if (on_plane != outside.end()) std::rotate(outside.begin(), on_plane, outside.end());
    for (const std::vector<int>& part : {inside, outside})
      for (std::size_t k = 2; k < part.size(); ++k) add({part[0], part[k - 1], part[k]}, s.patch[e]);
  }

  Surface moved(double step) {
    for (std::size_t i = 0; i < beyond_.size(); ++i)
      if (beyond_[i]) out_.node[i][d_] += step;
    return std::move(out_);
  }

 private:
  // True if a node of the original surface lies on the plane.
  bool lies_on_plane(int node) const {
    const auto n = static_cast<std::size_t>(node);
    return n < beyond_.size() && beyond_[n] && std::abs(out_.node[n][d_] - at_) <= tie_;
  }
  // Edges to a corner on the plane share one cut point: several at one place would make triangles without area.
  int crossing(int a, int b) {
    const int beyond = is_beyond(a) ? a : b;
    const bool is_on_plane = lies_on_plane(beyond);
    const Vec3 corner = out_.node[static_cast<std::size_t>(beyond)];
    const auto [place, is_new] = crossings_.try_emplace(
        is_on_plane ? std::pair(beyond, beyond) : std::pair<int, int>(std::minmax(a, b)), out_.nodes());
    if (!is_new) return place->second;
    const Vec3 &x = out_.node[static_cast<std::size_t>(a)], &y = out_.node[static_cast<std::size_t>(b)];
    const Vec3 on = is_on_plane ? corner : x + std::clamp((at_ - x[d_]) / (y[d_] - x[d_]), 0.0, 1.0) * (y - x);
    out_.node.push_back(on);
    return place->second;
  }
  void add(const std::array<int, 3>& element, int patch) {
    if (out_.dimension == 3 && (element[0] == element[1] || element[1] == element[2] || element[2] == element[0]))
      return;
    out_.element.push_back(element);
    out_.patch.push_back(patch);
  }

  Surface out_;
  std::size_t d_;
  double at_, tie_;
  std::vector<bool> beyond_;  // per node of the original surface
  std::map<std::pair<int, int>, int> crossings_;
};

}  // namespace

std::optional<Surface> extended_beyond(const Surface& s, int d, int sign, double at, double tie, double step) {
  const auto axis = static_cast<std::size_t>(d);
  Cutter cutter(s, axis, sign, at, tie);
  const auto passes = [&](const Vec3& x) { return sign * (x[axis] - at) > tie; };
  bool reaches = std::ranges::any_of(s.node, passes);
  for (const auto& e : s.element)
    reaches = reaches || std::all_of(e.begin(), e.begin() + s.corners(), [&](int n) { return cutter.is_beyond(n); });
  if (!reaches) return {};
  for (std::size_t e = 0; e < s.element.size(); ++e) cutter.cut(s, e);
  return cutter.moved(sign * step);
}

}  // namespace weir
