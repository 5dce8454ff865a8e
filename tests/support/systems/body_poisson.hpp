// The systems of a fractional step with an immersed body, for tests and benchmarks: banded, on a box stretched or not.
#pragma once
#include <vector>

#include "solvers/matrix/stencil/banded.hpp"

namespace weir::test {

enum class Body { none, sphere, cylinder };  // the cylinder's axis is z

struct BodyOptions {
  Extents cells{32, 32, 32};
  double stretching = 0;  // 0: uniform; else tanh
  Body body = Body::sphere;
  double radius = 0.2;  // of a box of length 1, its centre in the middle
  bool outlet = true;   // pressure given at x = 1; else Neumann conditions all round
};

// - div (aperture grad p), rows multiplied by volumes: each face counts with the fraction of it that lies in the fluid.
// Cells without an open face have the row p = 0.
template <class Space>
Banded<Space> pressure_matrix(const BodyOptions& options);

// u / dt + c . grad u - nu laplacian u, rows multiplied by volumes, first-order upwind; Dirichlet values on the box and
// in the body's cells. cfl = c dt / h of the smallest cells. Not symmetric. With ghost rows: cells of the body next to
// the fluid take their value from an image point in the fluid by implicit trilinear interpolation, -1 times it.
template <class Space>
Banded<Space> advection_diffusion_matrix(const BodyOptions& options, double cfl, double diffusion, bool ghosts);

// Random numbers of volume's weight in the fluid, 0 in rows that stand alone; compatible where the pressure is.
std::vector<double> right_hand_side(const BodyOptions& options);

}  // namespace weir::test
