#include "miniapps/compressible/flow.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/error.hpp"
#include "mesh/place_sum.hpp"
#include "mesh/unstructured/wall_distance.hpp"

namespace weir {
namespace {

// Includes the wall distance of this rank's own cells, and for SST of the near ghosts.
TurbulenceModel turbulence_of(const CompressibleCase& c, const UnstructuredMesh& whole,
                              const std::vector<FlowBoundary>& boundary, const MeshRanks* ranks) {
  TurbulenceModel model = c.turbulence;
  if (!model.is_on) return model;
  std::vector<bool> is_wall;
  for (const FlowBoundary& b : boundary) is_wall.push_back(b.is_viscous);
  std::vector<double> distance;
  if (!ranks || ranks->communicator.is_root()) distance = wall_distance(whole, is_wall);
  if (!ranks)
    model.distance = std::move(distance);
  else
    model.distance = ranks->from_root(distance, 1, ranks->part.own + (model.is_sst ? ranks->part.near : 0));
  return model;
}

int own_cells_of(const MeshRanks* ranks, const UnstructuredMesh& mesh) {
  return ranks ? ranks->part.own : mesh.cells();
}

}  // namespace

template <class Space>
CompressibleFlow<Space>::CompressibleFlow(const CompressibleCase& flow_case, const UnstructuredMesh& on,
                                          const std::vector<FlowBoundary>& with, const Table& linear,
                                          const MeshRanks* over)
    : c(flow_case),
      ranks(over),
      mesh(on),
      boundary(with),
      whole(over ? over->whole : on),
      cells(over ? over->whole_cells : on.cells()),
      values(flow_case.turbulence.equations()),
      space(on, flow_case.gas, flow_case.scheme, conditions_of(with), over,
            turbulence_of(flow_case, over ? over->whole : on, with, over)),
      force(flow_case, on, own_cells_of(over, on), flow_case.turbulence.equations()),
      equations(space, own_cells_of(over, on), &force),
      pseudo(equations, flow_case.pseudo_time, compressible_system.solver<Space>(linear),
             jacobian_pattern(on, own_cells_of(over, on), flow_case.turbulence.equations()), over),
      walls(on, flow_case, with, over),
      points(flow_case, over, flow_case.turbulence.equations()),
      force_window(flow_case.pseudo_time.force_tolerance, flow_case.pseudo_time.force_window) {
  const auto& centre = whole.centre;
  for (std::size_t d = 0; d < 2; ++d) places[d] = place_sum(centre.size(), [&](std::size_t i) { return centre[i][d]; });
  if (c.is_unsteady()) older = Array<double, Space>(pseudo.state().size());
  std::size_t most = 0;
  for (std::size_t p = 0; p < boundary.size(); ++p) {
    const int faces = boundary[p].is_exact || boundary[p].varies ? mesh.patches[p].count : 0;
    outside.emplace_back(std::int64_t{4} * faces);
    most = std::max(most, std::size_t{4} * at(faces));
  }
  outside_on_host.reserve(most);
}

template <class Space>
void CompressibleFlow<Space>::initialise() {
  std::vector<double> U;
  U.reserve(at(values) * at(own_cells()));
  for (int i = 0; i < own_cells(); ++i) {
    const auto& x = mesh.centre[i];
    const PrimitiveState first = c.initial.at(x[0], x[1], 0);
    if (!(first[0] > 0 && first[3] > 0))
      throw Error(Exit::usage, "flow.initial: density and pressure must be positive at (" + std::to_string(x[0]) +
                                   ", " + std::to_string(x[1]) + ")");
    for (const double value : to_conserved(first, c.gas.gamma)) U.push_back(value);
    const double rho = U[U.size() - 4];
    for (std::size_t k = 0; k + 4 < at(values); ++k) U.push_back(rho * c.turbulence.outside[k] / c.turbulence.unit[k]);
  }
  pseudo.state().upload(U);
}

template <class Space>
void CompressibleFlow<Space>::carry(std::vector<double> all) {
  for (std::size_t i = 0; c.turbulence.is_sst && i < all.size(); i += 6)
    for (std::size_t k = 0; k < 2; ++k)
      all[i + 4 + k] = std::max(all[i + 4 + k], 1e-3 * all[i] * c.turbulence.outside[k] / c.turbulence.unit[k]);
  pseudo.state().upload(ranks ? ranks->from_root(all, values, own_cells()) : all);
}

template <class Space>
std::vector<double> CompressibleFlow<Space>::eddy_viscosity() {
  if (!c.turbulence.is_sst) return {};
  Array<double, Space> of_cells(own_cells());
  space.eddy_viscosity(pseudo.state(), of_cells);
  const std::vector<double> mine = of_cells.to_vector();
  std::vector<double> records(at(values) * mine.size());  // distributed arrays have whole records
  for (std::size_t i = 0; i < mine.size(); ++i) records[at(values) * i] = mine[i];
  return records;
}

template <class Space>
void CompressibleFlow<Space>::set_outside(double at) {
  pseudo.far_field_time = at;
  const double gamma_m2 = c.gas.gamma * c.gas.mach * c.gas.mach;
  for (std::size_t p = 0; p < boundary.size(); ++p) {
    const FlowBoundary& b = boundary[p];
    if (!b.is_exact && (!b.varies || (outside_is_set && !b.depends_on_time))) continue;
    const Patch& patch = mesh.patches[p];
    outside_on_host.clear();
    for (int f = patch.first; f < patch.first + patch.count; ++f) {
      const auto& x = mesh.face_centre[f];
      const std::array<double, 4> values =
          b.is_exact ? c.exact.at(x[0], x[1], at) : boundary_record(gamma_m2, b.at(x, mesh.normal[f], at));
      outside_on_host.insert(outside_on_host.end(), values.begin(), values.end());
    }
    outside[p].upload(outside_on_host);
    if (b.is_exact)
      space.set_outside(static_cast<int>(p), outside[p]);
    else
      space.set_records(static_cast<int>(p), outside[p]);
  }
  if (!outside_is_set || c.body_force[0].depends_on_time() || c.body_force[1].depends_on_time()) force.set_time(at);
  outside_is_set = true;
}

std::int64_t space_bytes(const MeshFacts& mesh, const CompressibleCase& c) {
  // Cell: W and at second order gradients and limiter, volume, start of its links. Interior face: flux, eight
  // numbers, two cells, two positions in the matrix, and per cell two weights, a face and a cell. Boundary face: flux
  // and block, six numbers, outside state, five integers. Turbulent cell: nu~, its gradient and distance, a number;
  // for products the slopes of its source; SST: twice that, and two auxiliary numbers.
  const std::int64_t gradients = c.scheme.order == 1 ? 0 : c.scheme.limiter == Limiter::none ? 2 : 3;
  const std::int64_t copies = c.scheme.has_products ? 2 : 1;  // derivatives in addition to values
  const std::int64_t boundary_faces = mesh.faces - mesh.interior_faces;
  const bool is_turbulent = c.turbulence.is_on, is_sst = c.turbulence.is_sst;
  const std::int64_t of_model = is_sst ? 76 + 448 * (copies - 1) : is_turbulent ? 36 + 112 * (copies - 1) : 0;
  return static_cast<std::int64_t>(mesh.cells) *
             (32 * copies * (1 + gradients) + 8 + 4 + of_model + (c.has_force() ? 40 : 0)) +
         static_cast<std::int64_t>(mesh.interior_faces) * (32 + 64 + 16 + 2 * 24 + 8 * (c.turbulence.equations() - 4)) +
         boundary_faces * (32 + 128 + 48 + 32 + 20 +
                           (is_sst         ? 176
                            : is_turbulent ? 80
                                           : 0));
}

template struct CompressibleFlow<Host>;
template struct CompressibleFlow<Device>;

}  // namespace weir
