// PETSc's binary files: MatLoad and VecLoad read consecutive objects from the same file. Big-endian:
//   matrix  int32 1211216, rows, columns, entries, entries of each row, column of each entry; double of each entry
//   vector  int32 1211214, size; doubles
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Blocks become scalar rows, zeros included. Throws Error(usage) above 2^31 - 1 entries, Error(file_io).
void write_petsc_binary(const std::string& path, const BlockCsrData& matrix,
                        const std::vector<std::span<const double>>& vectors);

// The objects of such a file: matrices (AIJ) and vectors, with 32-bit or 64-bit integers.
struct PetscObject {
  bool is_matrix = false, has_wide_integers = false;
  std::int64_t rows = 0, entries = 0;
  std::int64_t offset = 0;  // byte offset of the data after the sizes
};
bool is_petsc_binary(const std::string& path);  // by the first bytes
// Throws Error(usage) with the byte position: truncated, dense, not square, neither matrix nor vector.
std::vector<PetscObject> petsc_objects(const std::string& path);
// Scalar rows, columns ascending. Throws Error(usage): not finite, or columns repeated or out of range.
BlockCsrData read_petsc_matrix(const std::string& path, const PetscObject& matrix);
std::vector<double> read_petsc_vector(const std::string& path, const PetscObject& vector);
// From FILE.info (-matload_block_size); 0: not given.
int petsc_block_size(const std::string& path);

}  // namespace weir
