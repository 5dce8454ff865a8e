// A system as the compressible miniapp makes them, for measuring: an unstructured mesh of quadrilaterals (below, where
// a boundary layer would be) and triangles (above), 4 unknowns a cell, an upwind-like coupling whose direction varies,
// in reverse Cuthill-McKee order.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::bench {

struct FlowSystem {
  BlockCsrData A;
  std::vector<double> b;
};
// About 3/2 side^2 cells.
FlowSystem flow_system(int side, unsigned seed = 1);

}  // namespace weir::bench
