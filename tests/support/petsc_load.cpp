#include "tests/support/petsc_load.hpp"

#include <petscmat.h>

#include "solvers/adapters/mpi_once.hpp"

namespace weir::testing {

std::vector<double> petsc_product(const std::string& path) {
  begin_mpi_once();
  if (PetscInitializeNoArguments()) return {};
  PetscViewer file = nullptr;
  Mat A = nullptr;
  Vec b = nullptr, y = nullptr;
  std::vector<double> product;
  if (!PetscViewerBinaryOpen(PETSC_COMM_SELF, path.c_str(), FILE_MODE_READ, &file) && !MatCreate(PETSC_COMM_SELF, &A) &&
      !MatSetType(A, MATSEQAIJ) && !MatLoad(A, file) && !VecCreate(PETSC_COMM_SELF, &b) && !VecLoad(b, file) &&
      !VecDuplicate(b, &y) && !MatMult(A, b, y)) {
    PetscInt n = 0;
    const PetscScalar* values = nullptr;
    VecGetSize(y, &n);
    VecGetArrayRead(y, &values);
    product.assign(values, values + n);
    VecRestoreArrayRead(y, &values);
  }
  VecDestroy(&y);
  VecDestroy(&b);
  MatDestroy(&A);
  PetscViewerDestroy(&file);
  PetscFinalize();
  return product;
}

}  // namespace weir::testing
