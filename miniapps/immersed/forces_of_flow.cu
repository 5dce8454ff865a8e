// The forces, fluxes and surface loads of an immersed flow, over all ranks.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "miniapps/immersed/immersed_flow.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {

// Forces on the fluid in the control volume over the present step. Call it before end_step().
template <class Space>
void ImmersedFlow<Space>::measure_driving(double dt, double (&driven)[3]) {
  const bool has_buoyancy =
      std::ranges::any_of(scalars_, [](const Scalar<Space>& s) { return s.given().drives_flow(); });
  for (int c = 0; c < flow_case_.dim(); ++c) {
    const double force = this->momentum_terms(c, dt).force;
    if (force == 0 && !flow_case_.force_has_formula && !has_buoyancy) continue;
    const View<double> b = rhs_.view().part(0, delta_[c].size());
    fill<Space>(0, b);
    force_.add_to(c, metrics(), 1, b);
    for (const Scalar<Space>& scalar : scalars_) scalar.add_buoyancy(c, 1, b);
    driven[c] = control_.driving(flow_, metrics(), arrays_, c, force, b);
  }
}

template <class Space>
WallMotions ImmersedFlow<Space>::wall_motions() const {
  WallMotions all;
  for (const Body& body : bodies_)
    all.push_back(bodies_.size() > 1 && body.is_fixed() ? WallMotion{}
                                                        : weir::wall_motion(body, flow_case_.grid, case_.box));
  return all;
}

template <class Space>
BodyPieces ImmersedFlow<Space>::pieces_of(std::size_t body) const {
  const auto range = std::ranges::equal_range(own_cut().surface, static_cast<int>(body), {}, &Piece::body);
  const Placement& placement = bodies_[body].placement();
  return {static_cast<int>(range.begin() - own_cut().surface.begin()), static_cast<int>(range.size()),
          placement.angular_velocity, placement.position};
}

template <class Space>
Force ImmersedFlow<Space>::surface_force(std::size_t body) {
  if (!wide_.is_current()) wide_.fetch(flow_);
  const Force own = weir::surface_force(wide_.of(flow_), wide_.metrics(metrics()), arrays_, flow_case_.viscosity,
                                        pieces_of(body), piece_work_);
  double parts[9];
  for (int d = 0; d < 3; ++d) {
    parts[d] = own.pressure[d];
    parts[3 + d] = own.viscous[d];
    parts[6 + d] = own.torque[d];
  }
  ranks_.communicator().sum(parts);
  Force all;
  for (int d = 0; d < 3; ++d) {
    all.pressure[d] = parts[d];
    all.viscous[d] = parts[3 + d];
    all.torque[d] = parts[6 + d];
  }
  return all;
}

template <class Space>
SurfaceScalar ImmersedFlow<Space>::surface_scalar(std::size_t s, std::size_t body) {
  if (!wide_.is_current()) wide_.fetch(flow_);
  const ScalarOnBody on{s, flow_case_.scalars[s].diffusivity, case_.bodies[body].walls[s]};
  const SurfaceScalar own =
      weir::surface_scalar(wide_.of(flow_), on, wide_.metrics(metrics()), arrays_, pieces_of(body), piece_work_);
  double parts[3] = {own.area, own.flux, own.value};
  ranks_.communicator().sum(parts);
  return {parts[0], parts[1], parts[2]};
}

template <class Space>
std::vector<SurfaceLoad> ImmersedFlow<Space>::surface_loads(std::size_t body) {
  surface_force(body);  // sets piece_work_
  const BodyPieces of = pieces_of(body);
  const std::span<const Piece> pieces =
      std::span(own_cut().surface).subspan(static_cast<std::size_t>(of.first), static_cast<std::size_t>(of.count));
  const std::vector<double> work = piece_work_.to_vector();
  const std::size_t n = pieces.size(), width = 10 + 2 * scalars_.size();
  std::vector<std::vector<double>> of_scalar;  // area, flux and value times area
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    surface_scalar(s, body);
    of_scalar.push_back(piece_work_.to_vector());
  }
  std::vector<double> mine;
  for (std::size_t q = 0; q < n; ++q) {
    const Piece& s = pieces[q];
    double area = 0, along = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      area += s.area[d] * s.area[d];
      along += work[d * n + q] * s.area[d];
    }
    if (!(area > 0)) continue;
    for (std::size_t d = 0; d < 3; ++d) mine.push_back(s.point[d]);
    for (std::size_t d = 0; d < 3; ++d) mine.push_back(s.normal[d]);
    for (std::size_t d = 0; d < 3; ++d) mine.push_back(work[(3 + d) * n + q] / std::sqrt(area));
    mine.push_back(-along / area);
    for (const std::vector<double>& values : of_scalar)
      for (const std::size_t e : {2, 1}) mine.push_back(values[e * n + q] / values[q]);
  }
  const Communicator& all_ranks = ranks_.communicator();
  std::vector<double> sizes(static_cast<std::size_t>(all_ranks.size()));
  sizes[static_cast<std::size_t>(all_ranks.rank())] = static_cast<double>(mine.size());
  all_ranks.sum(sizes);
  const std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<double> all(all_ranks.is_root() ? std::accumulate(counts.begin(), counts.end(), std::size_t{0}) : 0);
  all_ranks.gather(mine, counts, all);
  std::vector<SurfaceLoad> loads(all.size() / width);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const double* v = all.data() + i * width;
    loads[i] = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, v[9], {v + 10, v + width}};
  }
  return loads;
}

#define WEIR_FORCES_OF_FLOW(S)                                                      \
  template void ImmersedFlow<S>::measure_driving(double, double(&)[3]);             \
  template WallMotions ImmersedFlow<S>::wall_motions() const;                       \
  template BodyPieces ImmersedFlow<S>::pieces_of(std::size_t) const;                \
  template Force ImmersedFlow<S>::surface_force(std::size_t);                       \
  template SurfaceScalar ImmersedFlow<S>::surface_scalar(std::size_t, std::size_t); \
  template std::vector<SurfaceLoad> ImmersedFlow<S>::surface_loads(std::size_t);
WEIR_FORCES_OF_FLOW(Host)
WEIR_FORCES_OF_FLOW(Device)
#undef WEIR_FORCES_OF_FLOW

}  // namespace weir
