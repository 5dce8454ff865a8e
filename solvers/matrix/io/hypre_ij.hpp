// hypre's IJ text files for one rank, read by HYPRE_IJMatrixRead, HYPRE_IJVectorRead and hypredrive. The name on disk
// is the given one and ".00000", the rank. Indices start at 0:
//   matrix  first row, last row, first column, last column; then one line per entry: row, column, value
//   vector  first row, last row; then row, value
#pragma once
#include <span>
#include <string>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Blocks become scalar rows, zeros included. 17 digits: reading restores the same bits.
void write_hypre_matrix(const std::string& name, const BlockCsrData& matrix);
void write_hypre_vector(const std::string& name, std::span<const double> vector);

}  // namespace weir
