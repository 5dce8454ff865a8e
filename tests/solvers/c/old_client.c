/* A client that was compiled with the first weir.h of WEIR_C_ABI 1: its declarations are copied here, never to be
 * changed. It runs with every later library of this ABI. Layouts are those of the 64-bit System V ABI. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct weir_csr {
  uint32_t bytes, flags;
  int64_t rows;
  int32_t block, row_start_bits;
  const void* row_start;
  const int32_t* column;
  const double* value;
} weir_csr;

typedef struct weir_result {
  uint32_t bytes;
  int32_t reason, iterations, reserved;
  double residual0, residual, target, setup_seconds, solve_seconds;
  int64_t memory;
} weir_result;

typedef struct weir_solver_t weir_solver_t;
typedef int (*weir_operator)(void*, const double*, double*);
int weir_c_abi(void);
const char* weir_version(void);
int weir_create(const char*, weir_solver_t**);
void weir_destroy(weir_solver_t*);
const char* weir_error(const weir_solver_t*);
const char* weir_describe(weir_solver_t*);
int weir_set_threads(weir_solver_t*, int);
int weir_setup(weir_solver_t*, const weir_csr*);
int weir_update(weir_solver_t*, const double*);
int weir_setup_operator(weir_solver_t*, int64_t, uint32_t, weir_operator, void*, const weir_csr*);
int weir_solve(weir_solver_t*, const double*, double*, weir_result*);
int weir_solve_transposed(weir_solver_t*, const double*, double*, weir_result*);
int weir_solve_many(weir_solver_t*, int, const double*, int64_t, double*, int64_t, weir_result*);
int weir_apply(weir_solver_t*, const double*, double*);
int weir_apply_transposed(weir_solver_t*, const double*, double*);
int weir_history(weir_solver_t*, const double**, int32_t*);
int weir_cancel(weir_solver_t*);

_Static_assert(sizeof(weir_csr) == 48 && offsetof(weir_csr, rows) == 8 && offsetof(weir_csr, row_start) == 24,
               "weir_csr");
_Static_assert(sizeof(weir_result) == 64 && offsetof(weir_result, residual0) == 16 &&
                   offsetof(weir_result, memory) == 56,
               "weir_result");

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      fprintf(stderr, "%s:%d: not: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                            \
    }                                                                      \
  } while (0)

static int tridiagonal(void* n, const double* x, double* y) {
  for (int i = 0; i < *(int*)n; ++i) y[i] = 2.5 * x[i] - (i > 0 ? x[i - 1] : 0) - (i < *(int*)n - 1 ? x[i + 1] : 0);
  return 0;
}

int main(void) {
  enum { n = 50 };
  int32_t start[n + 1], column[3 * n], e = 0;
  int size = n;
  double value[3 * n], b[2 * n], x[2 * n] = {0}, z[n];
  for (int i = 0; i < n; ++i) {
    start[i] = e + 1; /* WEIR_ONE_BASED: 16 */
    for (int j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < n) column[e] = j + 1, value[e++] = i == j ? 2.5 : -1;
  }
  start[n] = e + 1;
  for (int i = 0; i < 2 * n; ++i) b[i] = i % n + 1;
  const weir_csr A = {sizeof A, 16, n, 1, 32, start, column, value};
  weir_result results[2] = {{sizeof *results, -1, 0, 0, 0, 0, 0, 0, 0, 0}};
  weir_solver_t* s = NULL;
  CHECK(weir_c_abi() == 1 && strlen(weir_version()) > 0);
  CHECK(weir_create("method = \"nothing\"", &s) == 2 && strstr(weir_error(NULL), "nothing"));
  CHECK(weir_create("method = \"cg\"\ntolerance = 1e-12", &s) == 0 && weir_set_threads(s, 1) == 0);
  CHECK(weir_setup(s, &A) == 0 && weir_update(s, value) == 0 && strstr(weir_describe(s), "cg"));
  CHECK(weir_solve_many(s, 2, b, n, x, n, results) == 0);
  tridiagonal(&size, x, z);
  for (int i = 0; i < n; ++i) CHECK(fabs(z[i] - b[i]) < 1e-9 && x[i] == x[n + i]);
  for (int j = 0; j < 2; ++j)
    CHECK(results[j].bytes == sizeof *results && results[j].reason == 0 && results[j].iterations > 0 &&
          results[j].memory > 0);
  const double* norms = NULL;
  int32_t count = 0;
  CHECK(weir_history(s, &norms, &count) == 0 && count > 0);
  CHECK(weir_apply(s, b, z) == 0 && weir_apply_transposed(s, b, z) == 0);
  CHECK(weir_solve_transposed(s, b, x, NULL) == 0);
  CHECK(weir_setup_operator(s, n, 2, tridiagonal, &size, &A) == 0 && weir_solve(s, b, x, NULL) == 0);
  CHECK(weir_cancel(s) == 0 && weir_solve(s, b, memset(x, 0, sizeof x), results) == 0 && results[0].reason == 5);
  weir_destroy(s);
  return 0;
}
