// The projection on a cut grid: what flows through the open part of each face and what the body's surface pushes out
// sum to zero in every wet cell (Ng, Min & Gibou 2009, eq. 14; Seo & Mittal 2011),
//   sum_f alpha_f A_f (u*_f - grad psi) . n_f + (u_body . S) = 0 ,   u*_f: the mean over the open part (CutFace)
// so that the pressure satisfies dpsi/dn = 0 on the body, the matrix is symmetric with the 5 or 7 bands of the grid,
// and the volume displaced by a moving body is conserved to the tolerance of the solver. Dry cells: psi = 0. If u*_f
// were the node velocity, at another distance from the wall, cut cells next to a shear layer would have sources of
// first order, -u' h^2 alpha (1 - alpha) / 2 per face, that change as a body moves and cause most of the noise of its
// force. The velocity in the middle of the open part leaves sources of the order u'' h^3; the mean of a parabola has
// none of either.
#pragma once
#include "miniapps/immersed/geometry/cut_arrays.hpp"
#include "miniapps/incompressible/projection.hpp"
#include "miniapps/structured/metrics.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir {

template <class Space>
void assemble_pressure(const Layout& layout, const Metrics& m, const CutArrays<Space>& cut, Banded<Space>& A);

// b = -(sum_f alpha_f A_f u . n_f + u_body . S) in the wet cells.
template <class Space>
void minus_mass_balance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, View<double> b);

// max |b| / V over the cells.
template <class Space>
double max_mass_error(const Layout& layout, const Metrics& m, View<const double> b);

// u -= grad psi on the faces that let fluid pass and are unknowns.
template <class Space>
void correct_open_faces(const Metrics& m, const CutArrays<Space>& cut, View<const double> psi, Flow<Space>& flow,
                        const PsiBelow& below = {});

// The mean velocities through the open part of the cut faces, which differ from their node velocities.
template <class Space>
class OpenFaces {
 public:
  // u*_f in the place of u*; wide: u* on the rank's region (wide_flow.hpp).
  void open(const CutArrays<Space>& cut, const Flow<Space>& wide, Flow<Space>& flow);
  void close(const CutArrays<Space>& cut, Flow<Space>& flow);  // u* less what the projection took from u*_f
  // Exchanges the mean velocities with the node velocities of the flow; a second call restores them.
  void swap(const CutArrays<Space>& cut, Flow<Space>& flow);

 private:
  std::array<GrowingArray<double, Space>, 3> node_, open_;
};

// Subtracts its mean over the wet cells of all ranks; returns the mean.
template <class Space>
double remove_wet_mean(const CutArrays<Space>& cut, const Communicator& ranks, int wet_cells, View<double> x);

// Cells that are not held, next to held ones (diagonals included), take the mean of linear extrapolations from those,
// which the momentum equation reads when the body has moved away. wide: the flow, over ranks on the region of the rank;
// wet: of the cells of its layout.
template <class Space>
void extend_pressure(const unsigned char* wet, const Flow<Space>& wide, Flow<Space>& flow);

}  // namespace weir
