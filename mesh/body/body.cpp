#include "mesh/body/body.hpp"

#include <utility>

namespace weir {

Body::Body(Surface reference, Motion motion, std::optional<Ellipsoid> exact)
    : motion_(std::move(motion)),
      reference_(std::move(reference)),
      surface_(reference_),
      edges_(find_edges(reference_)),
      exact_reference_(exact),
      exact_(exact),
      node_velocity_(reference_.node.size()) {
  move(0);
}

void Body::move(double t) {
  time_ = t;
  placement_ = motion_.at(t);
  for (std::size_t i = 0; i < reference_.node.size(); ++i) {
    surface_.node[i] = placement_.place(reference_.node[i]);
    node_velocity_[i] = placement_.velocity_at(surface_.node[i]);
  }
  if (!exact_) return;
  exact_->position = placement_.position;
  exact_->rotation = placement_.rotation;
  for (std::size_t d = 0; d < 3; ++d) exact_->radius[d] = placement_.stretch[d] * exact_reference_->radius[d];
}

Vec3 Body::wall_velocity(const Foot& foot) const { return placement_.velocity_at(foot.point); }

Vec3 Body::fluid_velocity(const Foot& foot) const { return wall_velocity(foot); }

double Body::volume() const { return is_cavity() ? -weir::volume(surface_) : weir::volume(surface_); }

double Body::volume_rate() const {
  const double rate = weir::volume_rate(surface_, node_velocity_);
  return is_cavity() ? -rate : rate;
}

}  // namespace weir
