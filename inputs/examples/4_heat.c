/* 4. The heat equation u_t = u_xx + u_yy on the unit square in C, implicit in time: one system per time step, the
 * matrix set up once. The exact solution sin(pi x) sin(pi y) exp(-2 pi^2 t) vanishes on the sides.
 *
 *   cc 4_heat.c -lweir -lm && ./a.out
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir/weir.h>

static const double pi = 3.14159265358979323846;

int main(void) {
  const int n = 127, steps = 20, unknowns = n * n;
  const double h = 1.0 / (n + 1), dt = 1e-3, c = dt / (h * h);
  int64_t* row_start = malloc((unknowns + 1) * sizeof *row_start);
  int32_t* column = malloc(5 * unknowns * sizeof *column);
  double* value = malloc(5 * unknowns * sizeof *value);
  double *b = malloc(unknowns * sizeof *b), *u = malloc(unknowns * sizeof *u);

  int64_t e = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int row = j * n + i;
      row_start[row] = e;
      if (j > 0) column[e] = row - n, value[e++] = -c;
      if (i > 0) column[e] = row - 1, value[e++] = -c;
      column[e] = row, value[e++] = 1 + 4 * c;
      if (i < n - 1) column[e] = row + 1, value[e++] = -c;
      if (j < n - 1) column[e] = row + n, value[e++] = -c;
      u[row] = sin(pi * (i + 1) * h) * sin(pi * (j + 1) * h);
    }
  row_start[unknowns] = e;

  weir_solver_t* solver;
  const weir_csr A = {sizeof A, 0, unknowns, 1, 64, row_start, column, value};
  int code = weir_create("method = \"cg\"\ntolerance = 1e-10\npreconditioner = { type = \"block_ilu0\" }", &solver);
  if (code == WEIR_OK) code = weir_setup(solver, &A);
  int iterations = 0;
  for (int step = 0; code == WEIR_OK && step < steps; ++step) {
    for (int k = 0; k < unknowns; ++k) b[k] = u[k];
    weir_result result = {.bytes = sizeof result};
    code = weir_solve(solver, b, u, &result);
    if (code == WEIR_OK && result.reason != WEIR_CONVERGED) code = WEIR_SOLVER_FAILED;
    iterations += result.iterations;
  }
  if (code != WEIR_OK) {
    fprintf(stderr, "error %d: %s\n", code, weir_error(solver));
    return 1;
  }

  double error = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double exact = sin(pi * (i + 1) * h) * sin(pi * (j + 1) * h) * exp(-2 * pi * pi * dt * steps);
      error = fmax(error, fabs(u[j * n + i] - exact));
    }
  printf("Weir %s: %s\n", weir_version(), weir_describe(solver));
  printf("%d unknowns, %d steps, %d iterations, largest error %.2e\n", unknowns, steps, iterations, error);
  weir_destroy(solver);
  free(row_start), free(column), free(value), free(b), free(u);
  return error < 5e-3 ? 0 : 1;  /* first order in time: 2.6e-3 */
}
