/* 9. Weir's parilu as a shell preconditioner of PETSc: convection and diffusion on n x n points, the rows distributed
 * over the ranks by PETSc, GMRES of PETSc.
 *
 *   mpicc 9_petsc_shell.c $(pkg-config --cflags --libs weir PETSc) && mpirun -n 2 ./a.out
 */
#include <petscksp.h>
#include <stdlib.h>
#include <weir/weir.h>

static PetscErrorCode apply(PC pc, Vec r, Vec z) {
  weir_solver_t* solver;
  const PetscScalar* from;
  PetscScalar* to;
  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &solver));
  PetscCall(VecGetArrayRead(r, &from));
  PetscCall(VecGetArrayWrite(z, &to));
  const int code = weir_apply(solver, from, to);
  PetscCall(VecRestoreArrayWrite(z, &to));
  PetscCall(VecRestoreArrayRead(r, &from));
  PetscCheck(code == WEIR_OK, PETSC_COMM_WORLD, PETSC_ERR_LIB, "%s", weir_error(solver));
  PetscFunctionReturn(0);
}

static PetscErrorCode apply_transposed(PC pc, Vec r, Vec z) {
  weir_solver_t* solver;
  const PetscScalar* from;
  PetscScalar* to;
  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &solver));
  PetscCall(VecGetArrayRead(r, &from));
  PetscCall(VecGetArrayWrite(z, &to));
  const int code = weir_apply_transposed(solver, from, to);
  PetscCall(VecRestoreArrayWrite(z, &to));
  PetscCall(VecRestoreArrayRead(r, &from));
  PetscCheck(code == WEIR_OK, PETSC_COMM_WORLD, PETSC_ERR_LIB, "%s", weir_error(solver));
  PetscFunctionReturn(0);
}

/* This rank's rows of the matrix that the preconditioner is made from, with columns of the whole matrix. */
static PetscErrorCode set_up(PC pc) {
  weir_solver_t* solver;
  Mat A;
  PetscInt first, last, count;
  const PetscInt* columns;
  const PetscScalar* values;
  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &solver));
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  int64_t* row_start = calloc(last - first + 1, sizeof *row_start);
  for (PetscInt row = first; row < last; ++row) {
    PetscCall(MatGetRow(A, row, &count, NULL, NULL));
    row_start[row - first + 1] = row_start[row - first] + count;
    PetscCall(MatRestoreRow(A, row, &count, NULL, NULL));
  }
  int32_t* column = malloc((row_start[last - first] + 1) * sizeof *column);
  double* value = malloc((row_start[last - first] + 1) * sizeof *value);
  for (PetscInt row = first; row < last; ++row) {
    PetscCall(MatGetRow(A, row, &count, &columns, &values)); /* ascending */
    for (PetscInt k = 0; k < count; ++k) {
      column[row_start[row - first] + k] = (int32_t)columns[k];
      value[row_start[row - first] + k] = values[k];
    }
    PetscCall(MatRestoreRow(A, row, &count, &columns, &values));
  }
  const weir_csr rows = {sizeof rows, 0, last - first, 1, 64, row_start, column, value};
  const int code = weir_setup(solver, &rows);
  free(row_start), free(column), free(value);
  PetscCheck(code == WEIR_OK, PETSC_COMM_WORLD, PETSC_ERR_LIB, "%s", weir_error(solver));
  PetscFunctionReturn(0);
}

static PetscErrorCode fill(Mat A, int n) {
  PetscInt first, last;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt i = row % n, j = row / n;
    if (j > 0) PetscCall(MatSetValue(A, row, row - n, -1, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(A, row, row - 1, -1.3, INSERT_VALUES));
    PetscCall(MatSetValue(A, row, row, 4, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(A, row, row + 1, -0.7, INSERT_VALUES));
    if (j < n - 1) PetscCall(MatSetValue(A, row, row + n, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  const int n = 100;
  const MPI_Comm world = MPI_COMM_WORLD;
  weir_solver_t* solver;
  Mat A;
  Vec exact, b, x;
  KSP ksp;
  PC pc;
  KSPConvergedReason reason;
  PetscInt iterations;
  PetscReal error;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(MatCreateAIJ(world, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, NULL, 5, NULL, &A));
  PetscCall(fill(A, n));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &exact));
  PetscCall(VecSet(exact, 1));
  PetscCall(MatMult(A, exact, b));

  PetscCheck(weir_create("preconditioner = { type = \"parilu\" }", &solver) == WEIR_OK, world, PETSC_ERR_LIB, "%s",
             weir_error(NULL));
  PetscCheck(weir_set_communicator(solver, &world) == WEIR_OK, world, PETSC_ERR_LIB, "%s", weir_error(solver));
  PetscCall(KSPCreate(world, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, solver));
  PetscCall(PCShellSetSetUp(pc, set_up));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetApplyTranspose(pc, apply_transposed));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(VecAXPY(x, -1, exact));
  PetscCall(VecNorm(x, NORM_INFINITY, &error));
  PetscCall(PetscPrintf(world, "%d unknowns, Weir %s: %d iterations, largest error %.1e\n", n * n, weir_version(),
                        (int)iterations, (double)error));
  PetscCall(KSPDestroy(&ksp));
  weir_destroy(solver);
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&exact));
  PetscCall(PetscFinalize());
  return reason > 0 && error < 1e-6 ? 0 : 1;
}
