// A file in PETSc's binary format, read by PETSc itself.
#pragma once
#include <string>
#include <vector>

namespace weir::testing {

// A b of the matrix A and the vector b that PETSc loads from the file; empty where it refuses.
std::vector<double> petsc_product(const std::string& path);

}  // namespace weir::testing
