/* solvers/c/weir.h over MPI ranks, as a C program that initialises MPI itself calls it. Exit code: number of failed
 * checks. */
#include <math.h>
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/c/weir.h"

static int failures = 0;
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      ++failures;                                                          \
      fprintf(stderr, "%s:%d: not: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                      \
  } while (0)

enum { n = 12, points = n * n, block = 2, most = 5 * points };

/* Rows [first, end) of convection and diffusion on n x n points, two coupled unknowns per point. */
struct rows {
  int first, end, start[points + 1], column[most];
  double value[most * block * block];
};

static void add(struct rows* A, int* e, int is_there, int column, double a, double coupling) {
  if (!is_there) return;
  double* v = A->value + 4 * *e;
  v[0] = a, v[1] = coupling, v[2] = 0.5 * coupling, v[3] = 1.1 * a;
  A->column[(*e)++] = column;
}

static void fill(struct rows* A, int first, int end, double wind) {
  int e = 0;
  A->first = first, A->end = end;
  for (int row = first; row < end; ++row) {
    const int i = row % n, j = row / n;
    A->start[row - first] = e;
    add(A, &e, j > 0, row - n, -1, 0);
    add(A, &e, i > 0, row - 1, -1 - wind, wind);
    add(A, &e, 1, row, 4.5, wind);
    add(A, &e, i < n - 1, row + 1, -1 + wind, 0);
    add(A, &e, j < n - 1, row + n, -1, 0);
  }
  A->start[end - first] = e;
}

static weir_csr csr_of(const struct rows* A) {
  const weir_csr csr = {sizeof csr, 0, A->end - A->first, block, 32, A->start, A->column, A->value};
  return csr;
}

/* Unequal parts. */
static int first_row(int rank, int size) {
  return rank == size ? points : (int)((long)points * rank * (rank + 1) / (size * (size + 1))) + (rank > 0);
}

static weir_solver_t* make(const char* options, MPI_Comm comm) {
  weir_solver_t* solver = NULL;
  CHECK(weir_create(options, &solver) == WEIR_OK);
  if (comm != MPI_COMM_NULL) CHECK(weir_set_communicator(solver, &comm) == WEIR_OK);
  return solver;
}

static void fill_rhs(double* b) {
  for (int i = 0; i < points * block; ++i) b[i] = sin(1.0 + i);
}

/* The system on `comm` against the same one on this rank alone. */
static void compare(const char* options, MPI_Comm comm, double wind, int is_transposed) {
  static struct rows whole, part;
  static double b[points * block], alone[points * block], x[points * block];
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(&whole, 0, points, wind);
  fill(&part, first_row(rank, size), first_row(rank + 1, size), wind);
  fill_rhs(b);
  memset(alone, 0, sizeof alone);
  memset(x, 0, sizeof x);
  MPI_Comm mine;
  MPI_Comm_dup(comm, &mine);
  weir_solver_t *one = make(options, MPI_COMM_NULL), *many = make(options, mine);
  MPI_Comm_free(&mine);
  weir_csr A = csr_of(&whole), P = csr_of(&part);
  CHECK(weir_setup(one, &A) == WEIR_OK);
  if (weir_setup(many, &P) != WEIR_OK) fprintf(stderr, "%s\n", weir_error(many)), ++failures;
  weir_result result = {.bytes = sizeof result};
  for (int pass = 0; pass < 2; ++pass) {
    int (*const solve)(weir_solver_t*, const double*, double*, weir_result*) =
        is_transposed ? weir_solve_transposed : weir_solve;
    CHECK(solve(one, b, alone, NULL) == WEIR_OK);
    if (solve(many, b + block * part.first, x, &result) != WEIR_OK)
      fprintf(stderr, "%s\n", weir_error(many)), ++failures;
    CHECK(result.reason == WEIR_CONVERGED);
    double far = 0;
    for (int i = 0; i < block * (part.end - part.first); ++i)
      far = fmax(far, fabs(x[i] - alone[block * part.first + i]));
    CHECK(far < 1e-9);
    for (int e = 0; e < 4 * whole.start[points]; ++e) whole.value[e] *= 2;
    for (int e = 0; e < 4 * part.start[part.end - part.first]; ++e) part.value[e] *= 2;
    CHECK(weir_update(one, whole.value) == WEIR_OK);
    CHECK(weir_update(many, part.value) == WEIR_OK);
  }
  weir_destroy(one);
  weir_destroy(many);
}

static const char* const jacobi = "method = 'gmres'\ntolerance = 1e-12\npreconditioner = { type = 'jacobi' }";

/* Solvers on two halves of the ranks and on all of them, in use at the same time. */
static void two_communicators(int rank, int size) {
  static struct rows small, large;
  static double b[points * block], x[points * block], y[points * block];
  fill_rhs(b);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int half_rank, half_size;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  fill(&small, first_row(half_rank, half_size), first_row(half_rank + 1, half_size), 0.2);
  fill(&large, first_row(rank, size), first_row(rank + 1, size), 0.2);
  weir_solver_t *on_half = make(jacobi, half), *on_all = make(jacobi, MPI_COMM_WORLD);
  weir_csr A = csr_of(&small), B = csr_of(&large);
  CHECK(weir_setup(on_half, &A) == WEIR_OK);
  CHECK(weir_setup(on_all, &B) == WEIR_OK);
  MPI_Comm_free(&half);
  for (int pass = 0; pass < 3; ++pass) {
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    CHECK(weir_solve(on_half, b + block * small.first, x, NULL) == WEIR_OK);
    CHECK(weir_solve(on_all, b + block * large.first, y, NULL) == WEIR_OK);
    for (int i = large.first; i < large.end; ++i)
      if (i >= small.first && i < small.end)
        CHECK(fabs(x[block * (i - small.first)] - y[block * (i - large.first)]) < 1e-9);
  }
  weir_destroy(on_half);
  weir_destroy(on_all);
}

/* An error of the last rank is an error of all. */
static void bad_input(int rank, int size) {
  static struct rows part;
  static double b[points * block], x[points * block];
  const int is_last = rank == size - 1;
  weir_solver_t* s = make(jacobi, MPI_COMM_WORLD);
  fill(&part, first_row(rank, size), first_row(rank + 1, size), 0);
  weir_csr A = csr_of(&part);
  if (is_last) part.value[3] = NAN;
  CHECK(weir_setup(s, &A) == WEIR_NOT_FINITE);
  CHECK(strstr(weir_error(s), "value[3]"));
  fill(&part, part.first, part.end, 0);
  if (is_last) A.rows = 0;
  CHECK(weir_setup(s, &A) == WEIR_BAD_INPUT);
  A = csr_of(&part);
  if (is_last) A.block = 1;
  CHECK(size == 1 || weir_setup(s, &A) == WEIR_BAD_INPUT);
  A = csr_of(&part);
  if (is_last) part.column[0] = points;
  CHECK(weir_setup(s, &A) == WEIR_BAD_INPUT);
  fill(&part, part.first, part.end, 0);
  CHECK(weir_setup(s, &A) == WEIR_OK);
  CHECK(weir_solve(s, is_last ? NULL : b, x, NULL) == WEIR_BAD_INPUT);
  CHECK(weir_solve(s, b, x, NULL) == WEIR_OK);
  CHECK(weir_set_communicator(s, NULL) == WEIR_BAD_INPUT);
  weir_destroy(s);
}

static int twice(void* context, const double* x, double* y) {
  for (int i = 0; i < *(int*)context; ++i) y[i] = 2 * x[i];
  return 0;
}

static void an_operator(int rank) {
  int size = 3 + rank;
  double b[64], x[64] = {0};
  for (int i = 0; i < size; ++i) b[i] = 1 + i;
  weir_solver_t* s = NULL;
  CHECK(weir_create("method = 'cg'\npreconditioner = { type = 'none' }", &s) == WEIR_OK);
  CHECK(weir_set_communicator_f(s, (int)MPI_Comm_c2f(MPI_COMM_WORLD)) == WEIR_OK);
  CHECK(weir_setup_operator(s, size, WEIR_SYMMETRIC, twice, &size, NULL) == WEIR_OK);
  CHECK(weir_solve(s, b, x, NULL) == WEIR_OK);
  for (int i = 0; i < size; ++i) CHECK(fabs(2 * x[i] - b[i]) < 1e-7);
  weir_destroy(s);
}

int main(int argc, char** argv) {
  weir_solver_t* early = NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  CHECK(weir_create("", &early) == WEIR_OK);
  CHECK(weir_set_communicator(early, &world) == WEIR_BAD_INPUT); /* before MPI_Init */
  weir_destroy(early);
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int is_transposed = 0; is_transposed < 2; ++is_transposed) {
    compare(jacobi, MPI_COMM_WORLD, 0.2, is_transposed);
    compare("method = 'gmres'\ntolerance = 1e-12\npreconditioner = { type = 'block_ilu0' }", MPI_COMM_WORLD, 0.2,
            is_transposed);
    compare("method = 'bicgstab'\ntolerance = 1e-12\npreconditioner = { type = 'none' }", MPI_COMM_WORLD, 0.2,
            is_transposed);
  }
  compare("method = 'cg'\ntolerance = 1e-12\npreconditioner = { type = 'block_jacobi' }", MPI_COMM_WORLD, 0, 0);
  MPI_Comm some; /* without the last rank */
  MPI_Comm_split(MPI_COMM_WORLD, size > 1 && rank == size - 1 ? MPI_UNDEFINED : 0, rank, &some);
  if (some != MPI_COMM_NULL) {
    compare(jacobi, some, 0.2, 0);
    MPI_Comm_free(&some);
  }
  two_communicators(rank, size);
  bad_input(rank, size);
  an_operator(rank);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures > 0;
}
