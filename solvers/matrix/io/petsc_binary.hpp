// PETSc's binary files: MatLoad and VecLoad read one after the other from the same file. Big-endian:
//   matrix  int32 1211216, rows, columns, entries, entries of each row, column of each entry; double of each entry
//   vector  int32 1211214, size; doubles
#pragma once
#include <span>
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Blocks become scalar rows, zeros and all. Error(usage) above 2^31 - 1 entries, Error(file_io) where it cannot be written.
void write_petsc_binary(const std::string& path, const BlockCsrData& matrix,
                        const std::vector<std::span<const double>>& vectors);

}  // namespace weir
