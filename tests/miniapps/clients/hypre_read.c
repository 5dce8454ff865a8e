/* hypre reads what weir replay --export hypre wrote, and multiplies: hypre_read FOLDER prints A b. */
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_mv.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  HYPRE_IJMatrix A;
  HYPRE_IJVector b, y;
  void *A_rows, *b_values, *y_values;
  char name[1000];
  HYPRE_BigInt first, last, i;
  HYPRE_Complex value;
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  snprintf(name, sizeof name, "%s/IJ.out.A", argv[1]);
  if (HYPRE_IJMatrixRead(name, MPI_COMM_WORLD, HYPRE_PARCSR, &A)) return 1;
  snprintf(name, sizeof name, "%s/IJ.out.b", argv[1]);
  if (HYPRE_IJVectorRead(name, MPI_COMM_WORLD, HYPRE_PARCSR, &b)) return 2;
  snprintf(name, sizeof name, "%s/IJ.out.x0", argv[1]);
  if (HYPRE_IJVectorRead(name, MPI_COMM_WORLD, HYPRE_PARCSR, &y)) return 3;
  HYPRE_IJMatrixGetObject(A, &A_rows);
  HYPRE_IJVectorGetObject(b, &b_values);
  HYPRE_IJVectorGetObject(y, &y_values);
  HYPRE_ParCSRMatrixMatvec(1, (HYPRE_ParCSRMatrix)A_rows, (HYPRE_ParVector)b_values, 0, (HYPRE_ParVector)y_values);
  HYPRE_IJVectorGetLocalRange(y, &first, &last);
  for (i = first; i <= last; ++i) {
    HYPRE_IJVectorGetValues(y, 1, &i, &value);
    printf("%.17g\n", value);
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
