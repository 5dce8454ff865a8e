// The system `advection_diffusion` of a velocity component, or (component scalar_nodes + s) that of scalar s, in delta
// form and per unit of volume (equation (2) of immersed_flow.hpp):
//   fluid          delta - dt nu/2 lap delta = right-hand side of momentum.hpp / V
//   ghost, fresh   self delta + sum w delta_k = target - (self u + sum w u_k),  an implicit interpolation
//   next to a moving body   a blend of both (cut_geometry.hpp)
//   solid          delta = 0
// The matrix has 5 or 7 bands; the interpolations are the sparse remainder. It is not symmetric next to a body.
#pragma once
#include <array>

#include "miniapps/immersed/geometry/cut_arrays.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"
#include "solvers/parallel/block_partition.hpp"

namespace weir {

// The 1D arrays of a SeparableOperator in a space. Each direction has four: lower / mass, upper / mass, diagonal / mass
// (lower + upper + boundary), and mass.
template <class Space>
class OperatorLines {
 public:
  // Lines of the unknowns of a box; couplings beyond its ends are kept.
  OperatorLines(const SeparableOperator& op, const RankBox& box);
  struct Line {
    const double *lower, *upper, *diagonal, *mass;
  };
  Line line(int d) const;

 private:
  std::array<Array<double, Space>, 3> values_;
  std::array<int, 3> n_{};
};

// Bands of 1 - s lap on the fluid nodes, the identity elsewhere, and the diagonal of the interpolation rows.
template <class Space>
void assemble_velocity(const Layout& layout, int component, const OperatorLines<Space>& lines, double s,
                       const CutArrays<Space>& cut, Banded<Space>& A);

// The other entries of the interpolation rows.
RemainderData remainder_of(const InterpolationRows& rows);

// Converts the volume-weighted right-hand side of momentum.hpp to that of the system. A node that was not fluid in the
// last step has no C(u^{n-1}): `advection` is set to 0 in nodes that are not fluid, and a recent node uses C(u^n)
// instead (euler: dt times the weight of C(u^{n-1})). wide: the flow in the places of the rows, with several ranks on
// the region of the rank.
template <class Space>
void finish_velocity_rhs(const Flow<Space>& flow, const Flow<Space>& wide, int component,
                         const OperatorLines<Space>& lines, const CutArrays<Space>& cut, double euler,
                         View<double> advection, View<double> rhs);

// Sets u_G = (target - sum w u_k) / self at the ghost nodes, so that the projected velocity satisfies the wall
// condition. (OpenFaces keeps the fluxes through their open faces.) wide: as above; work: one value per row.
template <class Space>
void set_ghost_nodes(const Flow<Space>& wide, int component, const CutArrays<Space>& cut, View<double> work,
                     Flow<Space>& flow);

}  // namespace weir
