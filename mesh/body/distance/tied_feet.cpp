#include "mesh/body/distance/tied_feet.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/body/distance/closest.hpp"

namespace weir {

void find_tied_feet(const Body& body, const Vec3& x, const Foot& foot, double width, std::vector<SharedFoot>& found) {
  found.assign(1, {foot, 1});
  const Surface& s = body.surface();
  const double least = std::abs(foot.distance);
  for (int e = 0; e < s.elements(); ++e) {
    const Vec3& plane = body.pseudonormals().face[e];
    const double depth = dot(s.node[s.element[e][0]] - x, plane);
    if (dot(plane, foot.normal) > sharp_edge || depth <= 0 || depth >= least + width) continue;
    const PointOfElement on = closest_on_element(s, e, x);
    Vec3 out = on.foot - x;
    if (s.dimension == 2) out[2] = 0;
    const double distance = length(out), share = std::min(1 - (distance - least) / width, 1.0);
    if (!(share > 0)) continue;
    const Foot other{-distance, x + out, (1 / distance) * out, e, foot.body, on.at.w1, on.at.w2};
    const auto is_same = [&](const SharedFoot& f) { return dot(f.foot.normal, other.normal) > sharp_edge; };
    const auto same = std::ranges::find_if(found, is_same);
    if (same == found.end())
      found.push_back({other, share});
    else if (share > same->share)
      *same = {other, share};
  }
  double sum = 0;
  for (const SharedFoot& f : found) sum += f.share;
  for (SharedFoot& f : found) f.share /= sum;
}

}  // namespace weir
