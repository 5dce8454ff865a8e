#include "mesh/body/distance/distance_of_all.hpp"

#include <omp.h>

#include <algorithm>

namespace weir {

void DistanceOfAll::update(const Bodies& bodies, std::span<const double> bands) {
  while (of_.size() < bodies.size()) of_.push_back(std::make_unique<BodyDistance>(x_, y_, z_, options_));
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bands.empty()) of_[b]->use_band(bands[b]);
    of_[b]->update(bodies[b]);
  }
  if (of_.size() == 1) return;
  const std::size_t n = of_[0]->code().size(), chunks = static_cast<std::size_t>(std::max(1, omp_get_max_threads()));
  code_.resize(n);
  std::vector<std::vector<NearPoint>> found(chunks);
  std::vector<Approach> nearest(chunks);
#pragma omp parallel for schedule(static, 1)
  for (std::size_t c = 0; c < chunks; ++c) merge_points(n * c / chunks, n * (c + 1) / chunks, found[c], nearest[c]);
  near_.clear();
  nearest_ = {};
  for (std::size_t c = 0; c < chunks; ++c) {
    near_.insert(near_.end(), found[c].begin(), found[c].end());
    if (nearest[c].first >= 0 && (nearest_.first < 0 || nearest[c].gap < nearest_.gap)) nearest_ = nearest[c];
  }
  for (std::size_t i = 0; i < near_.size(); ++i)
    code_[static_cast<std::size_t>(near_[i].index)] = static_cast<std::int32_t>(i);
}

void DistanceOfAll::merge_points(std::size_t first, std::size_t last, std::vector<NearPoint>& found,
                                 Approach& nearest) {
  const auto meet = [&](int a, int b, double gap) {
    if (nearest.first < 0 || gap < nearest.gap) nearest = {std::min(a, b), std::max(a, b), gap};
  };
  for (std::size_t p = first; p < last; ++p) {
    const Foot* best = nullptr;
    int best_body = 0, solid_in = -1;
    for (std::size_t q = 0; q < of_.size(); ++q) {
      const int b = static_cast<int>(q);
      const std::int32_t code = of_[q]->code()[p];
      if (code == BodyDistance::fluid) continue;
      const Foot* foot = code >= 0 ? &of_[q]->near()[static_cast<std::size_t>(code)].foot : nullptr;
      if (!foot || foot->distance < 0) {
        if (solid_in >= 0) meet(solid_in, b, -1);
        solid_in = b;
      }
      if (!foot) continue;
      if (best && best->distance > 0 && foot->distance > 0 && dot(best->normal, foot->normal) < 0)
        meet(best_body, b, best->distance + foot->distance);
      if (best && best->distance <= foot->distance) continue;
      best = foot;
      best_body = b;
    }
    code_[p] = solid_in >= 0 ? BodyDistance::solid : BodyDistance::fluid;
    if (!best || (solid_in >= 0 && best->distance > 0)) continue;  // deep in another one
    found.push_back({static_cast<std::int64_t>(p), *best});
    found.back().foot.body = best_body;
  }
}

int DistanceOfAll::body_at(std::int64_t p) const {
  const auto at = static_cast<std::size_t>(p);
  if (code()[at] >= 0) return near()[static_cast<std::size_t>(code()[at])].foot.body;
  const auto is_solid = [&](const auto& of) { return of->code()[at] == BodyDistance::solid; };
  const auto found = std::ranges::find_if(of_, is_solid);
  return found == of_.end() ? 0 : static_cast<int>(found - of_.begin());
}

void DistanceOfAll::fill(std::span<double> distance) const {
  of_[0]->fill(distance);
  if (of_.size() == 1) return;
  double band = of_[0]->band();
  for (const auto& of : of_) band = std::min(band, of->band());
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < code_.size(); ++p) {
    const std::int32_t c = code_[p];
    distance[p] = c >= 0 ? near_[static_cast<std::size_t>(c)].foot.distance : c == BodyDistance::solid ? -band : band;
  }
}

}  // namespace weir
