#include "mesh/body/body.hpp"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

Surface sorted(Surface s) {
  sort_elements(s);
  return s;
}

}  // namespace

Body::Body(Surface reference, Motion motion, std::optional<Ellipsoid> exact)
    : motion_(std::move(motion)),
      reference_(sorted(std::move(reference))),
      surface_(reference_),
      edges_(find_edges(reference_)),
      exact_reference_(exact),
      exact_(exact),
      node_velocity_(reference_.node.size()) {
  move(0);
}

Body::Body(LeftVentricle ventricle, Motion motion) : Body(std::move(ventricle.surface), {}) {
  motion_ = std::move(motion);
  motion_.laws.insert(motion_.laws.begin(), std::move(ventricle.stretch));
  opening_.push_back(std::move(ventricle.mitral));
  opening_.push_back(std::move(ventricle.aortic));
  fluid_velocity_.resize(node_velocity_.size());
  move(0);
}

void Body::move(double t) {
  time_ = t;
  const Placement before = placement_;
  placement_ = motion_.at(t);
  for (std::size_t i = 0; i < reference_.node.size(); ++i) {
    surface_.node[i] = placement_.place(reference_.node[i]);
    node_velocity_[i] = placement_.velocity_at(surface_.node[i]);
  }
  if (has_openings()) open_valves();
  // Translation does not change normals.
  const bool has_turned = before.rotation != placement_.rotation || before.stretch != placement_.stretch;
  if (!exact_ && (has_turned || !has_moved_)) pseudonormals_.update(surface_, edges_);
  has_moved_ = true;
  if (!exact_) return;
  exact_->position = placement_.position;
  exact_->rotation = placement_.rotation;
  for (std::size_t d = 0; d < 3; ++d) exact_->radius[d] = placement_.stretch[d] * exact_reference_->radius[d];
}

Vec3 Body::wall_velocity(const Foot& foot) const { return placement_.velocity_at(foot.point); }

// In an opening the fluid has the velocity c w(node) n, n pointing out of the cavity, with c from the discrete flux,
// so that the flow through the openings equals the rate of volume change.
void Body::open_valves() {
  std::ranges::copy(node_velocity_, fluid_velocity_.begin());
  const double gain = volume_rate();
  empties_ = gain < 0;
  const Opening& opening = opening_[empties_ ? 1 : 0];
  const Vec3 out = turned(placement_.rotation, {0, 0, 1});
  double capacity = 0;  // flux of w n out of the cavity
  for (int e = 0; e < surface_.elements(); ++e) {
    if (surface_.patch[e] != opening.patch) continue;
    double mean = 0;
    for (const int n : surface_.element[e]) mean += opening.weight[n] / 3;
    capacity -= mean * dot(out, area_vector(surface_, e));
  }
  for (std::size_t n = 0; n < fluid_velocity_.size(); ++n)
    fluid_velocity_[n] += (-gain / capacity * opening.weight[n]) * out;
}

Vec3 Body::fluid_velocity(const Foot& foot) const {
  if (fluid_velocity_.empty() || foot.element < 0) return wall_velocity(foot);
  const auto& [a, b, c] = surface_.element[foot.element];
  return (1 - foot.w1 - foot.w2) * fluid_velocity_[a] + foot.w1 * fluid_velocity_[b] + foot.w2 * fluid_velocity_[c];
}

bool Body::is_outflow(const Foot& foot) const {
  return empties_ && foot.element >= 0 && surface_.patch[foot.element] == opening_[1].patch;
}

double Body::volume() const { return is_cavity() ? -weir::volume(surface_) : weir::volume(surface_); }

double Body::volume_rate() const {
  const double rate = flux(surface_, node_velocity_);
  return is_cavity() ? -rate : rate;
}

}  // namespace weir
