// What PETSc itself makes of a file in its binary format.
#pragma once
#include <string>
#include <vector>

namespace weir::testing {

// A b of the matrix A and the vector b that PETSc loads from the file; empty where it refuses.
std::vector<double> petsc_product(const std::string& path);

}  // namespace weir::testing
