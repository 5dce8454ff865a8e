// PETSc's BAIJ with block ILU(0) in natural order: one core.
#include <petscmat.h>

#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/peers/block_ilu_peer.hpp"

namespace weir::bench {
namespace {

Mat assembled(const test::BlockSystem& system) {
  const BlockStencilView A = system.view();
  const int n = A.n, rows = system.cells.count();
  Mat M;
  MatCreateSeqBAIJ(PETSC_COMM_SELF, n, rows * n, rows * n, 7, nullptr, &M);
  MatSetOption(M, MAT_ROW_ORIENTED, PETSC_FALSE);  // blocks come column by column
  for (PetscInt c = 0; c < rows; ++c)
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const PetscInt to = A.neighbour(c, s);
      if (to >= 0) MatSetValuesBlocked(M, 1, &c, 1, &to, A.block(c, s), INSERT_VALUES);
    }
  MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY);
  return M;
}

}  // namespace

PeerSeconds peer_block_ilu(const test::BlockSystem& system, const std::vector<double>& solution) {
  PetscBool started;
  PetscInitialized(&started);
  if (!started) PetscInitializeNoArguments();
  Mat A = assembled(system), F;
  IS natural;
  const int size = system.cells.count() * system.n;
  ISCreateStride(PETSC_COMM_SELF, size, 0, 1, &natural);
  ISSetPermutation(natural);
  MatFactorInfo info;
  MatFactorInfoInitialize(&info);
  info.levels = 0;
  info.fill = 1;
  info.diagonal_fill = 0;
  MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_ILU, &F);
  MatILUFactorSymbolic(F, A, natural, natural, &info);
  Vec b, x;
  VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, system.b.data(), &b);
  VecDuplicate(b, &x);
  PeerSeconds seconds;
  seconds.found = true;
  seconds.factor = best_processor_seconds([&] { MatLUFactorNumeric(F, A, &info); });
  seconds.solve = best_processor_seconds([&] { MatSolve(F, b, x); });
  const PetscScalar* values;
  VecGetArrayRead(x, &values);
  seconds.difference = test::relative_difference(std::vector<double>(values, values + size), solution);
  VecRestoreArrayRead(x, &values);
  seconds.product = best_processor_seconds([&] { MatMult(A, b, x); });
  VecDestroy(&b);
  VecDestroy(&x);
  ISDestroy(&natural);
  MatDestroy(&F);
  MatDestroy(&A);
  return seconds;
}

}  // namespace weir::bench
