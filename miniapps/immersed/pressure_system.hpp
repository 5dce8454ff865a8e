// The projection on a cut grid: in every wet cell the fluxes through the open parts of the faces and the volume
// displaced by the surface of the body sum to zero (Ng, Min & Gibou 2009, eq. 14; Seo & Mittal 2011),
//   sum_f alpha_f A_f (u*_f - grad psi) . n_f + (u_body . S) = 0 ,   u*_f: the mean over the open part (CutFace)
// The pressure therefore satisfies dpsi/dn = 0 on the body, the matrix is symmetric with the 5 or 7 bands of the grid,
// and the volume displaced by a moving body is conserved to the tolerance of the solver. Dry cells have psi = 0. u*_f
// must be the mean over the open part. The velocity of the node, at another distance from the wall, adds a mass source
// of first order, -u' h^2 alpha (1 - alpha) / 2 per face in a shear layer. This source changes as the body moves and
// causes most of the noise of its force. The velocity in the middle of the open part adds a source of the order u''
// h^3; the mean of a parabola adds neither.
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
  // Replaces u* by u*_f; wide: u* on the region of the rank (wide_flow.hpp).
  void open(const CutArrays<Space>& cut, const Flow<Space>& wide, Flow<Space>& flow);
  // Restores u* and applies to it the change that the projection has made to u*_f.
  void close(const CutArrays<Space>& cut, Flow<Space>& flow);
  // Exchanges the mean velocities with the node velocities of the flow; a second call restores them.
  void swap(const CutArrays<Space>& cut, Flow<Space>& flow);

 private:
  std::array<GrowingArray<double, Space>, 3> node_, open_;
};

// Subtracts from x its mean over the wet cells of all ranks; returns the mean. x is 0 in dry cells on return.
template <class Space>
double remove_wet_mean(const CutArrays<Space>& cut, const Communicator& ranks, int wet_cells, View<double> x);

// Sets the pressure of cells that are not held (cut_geometry.hpp) but adjoin held cells, also diagonally: the mean of
// linear extrapolations from the held cells. The momentum equation uses these values after the body has moved away.
// wide: the flow, with several ranks on the region of the rank; wet: kinds of the cells of its layout.
template <class Space>
void extend_pressure(const unsigned char* wet, const Flow<Space>& wide, Flow<Space>& flow);

}  // namespace weir
