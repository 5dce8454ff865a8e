// PETSc's FGMRES + BAIJ ILU(0) in natural order, right preconditioned, classical Gram-Schmidt as by default: one core.
#include <petscksp.h>

#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/peers/csr_ilu_peer.hpp"

namespace weir::bench {
namespace {

Mat assembled(const BlockCsrData& A) {
  std::vector<PetscInt> blocks;
  for (int i = 0; i < A.rows(); ++i)
    blocks.push_back(
        static_cast<PetscInt>(A.row_start[static_cast<std::size_t>(i) + 1] - A.row_start[static_cast<std::size_t>(i)]));
  Mat M;
  MatCreateSeqBAIJ(PETSC_COMM_SELF, A.block, A.rows() * A.block, A.rows() * A.block, 0, blocks.data(), &M);
  for (PetscInt i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[static_cast<std::size_t>(i)]; e < A.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      const PetscInt j = A.column[static_cast<std::size_t>(e)];
      MatSetValuesBlocked(M, 1, &i, 1, &j, A.value.data() + e * A.block * A.block, INSERT_VALUES);
    }
  MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY);
  return M;
}

}  // namespace

PeerSolve peer_fgmres(const BlockCsrData& data, const std::vector<double>& b, int restart, int iterations,
                      double tolerance) {
  PetscBool started;
  PetscInitialized(&started);
  if (!started) PetscInitializeNoArguments();
  Mat A = assembled(data), F;
  const auto size = static_cast<PetscInt>(b.size());
  Vec right, x;
  VecCreateSeqWithArray(PETSC_COMM_SELF, data.block, size, b.data(), &right);
  VecDuplicate(right, &x);
  KSP ksp;
  PC pc;
  KSPCreate(PETSC_COMM_SELF, &ksp);
  KSPSetOperators(ksp, A, A);
  KSPSetType(ksp, KSPFGMRES);
  KSPGMRESSetRestart(ksp, restart);
  KSPSetTolerances(ksp, tolerance, 0, PETSC_DEFAULT, iterations);
  KSPGetPC(ksp, &pc);
  PCSetType(pc, PCILU);
  KSPSetUp(ksp);
  PCFactorGetMatrix(pc, &F);
  PeerSolve s;
  s.found = true;
  s.solve = best_processor_seconds([&] {
    VecSet(x, 0);
    KSPSolve(ksp, right, x);
  });
  PetscInt done;
  PetscReal norm, of_right;
  KSPGetIterationNumber(ksp, &done);
  KSPGetResidualNorm(ksp, &norm);
  VecNorm(right, NORM_2, &of_right);
  s.iterations = done;
  s.residual = norm / of_right;
  MatFactorInfo info;
  MatFactorInfoInitialize(&info);
  s.factor = best_processor_seconds([&] { MatLUFactorNumeric(F, A, &info); });
  s.apply = best_processor_seconds([&] { MatSolve(F, right, x); });
  s.product = best_processor_seconds([&] { MatMult(A, right, x); });
  VecDestroy(&right);
  VecDestroy(&x);
  KSPDestroy(&ksp);
  MatDestroy(&A);
  return s;
}

}  // namespace weir::bench
