// PETSc itself reads what we write for it.
#include <gtest/gtest.h>

#include "solvers/matrix/io/petsc_binary.hpp"
#include "tests/support/petsc_load.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::petsc_load_test {
namespace {

TEST(PetscBinary, IsLoadedByPetsc) {
  const testing::ScratchFolder folder;
  const BlockCsrData A{2, {0, 1, 3}, {0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0.5}};
  const std::vector<double> b{1, 2, 3, 4};
  write_petsc_binary(folder / "a.petsc", A, {b, b});
  EXPECT_EQ(testing::petsc_product(folder / "a.petsc"),
            (std::vector<double>{1 + 4, 3 + 8, 5 + 12 + 27 + 40, 7 + 16 + 33 + 2}));
}

}  // namespace
}  // namespace weir::petsc_load_test
