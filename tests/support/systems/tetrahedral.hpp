// Systems with the sparsity of Zubair et al. 2016: tetrahedral meshes, 14 neighbours a node.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::test {

// Nodes of a body-centred cubic lattice of m^3 cells: its tetrahedra (Delaunay) join a node to 8 nodes of the other
// kind and 6 of its own, 14 neighbours, the paper's average. In reverse Cuthill-McKee order; random blocks of n x n,
// diagonally dominant. m = 78: 967,591 rows.
BlockCsrData tetrahedral_system(int m, int n);

}  // namespace weir::test
