// hypre's IJ files of one rank, as text: HYPRE_IJMatrixRead and HYPRE_IJVectorRead take them, and with them hypredrive. The
// name on disk is that given and ".00000", the rank. Counted from 0:
//   matrix  first row, last row, first column, last column; then a line an entry: row, column, value
//   vector  first row, last row; then row, value
#pragma once
#include <span>
#include <string>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Blocks become scalar rows, zeros and all. 17 digits: reading gives the same bits.
void write_hypre_matrix(const std::string& name, const BlockCsrData& matrix);
void write_hypre_vector(const std::string& name, std::span<const double> vector);

}  // namespace weir
