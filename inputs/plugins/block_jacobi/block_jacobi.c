/* z = D^-1 r, D the diagonal blocks of A. In C99:
 *   cc -std=c99 -O3 -march=native -fPIC -shared -I FOLDER_OF_weir_plugin.h block_jacobi.c -o libblock_jacobi.so */
#include <math.h>
#include "weir_plugin.h"

struct weir_solver {
  int rows, block;
  double* inverse;
  const char* error;
};

/* In place, Gauss-Jordan without a choice of pivots. */
static int invert(double* a, int B) {
  for (int k = 0; k < B; ++k) {
    const double pivot = a[k * B + k];
    if (!isnormal(pivot)) return 1;
    a[k * B + k] = 1;
    for (int c = 0; c < B; ++c) a[k * B + c] /= pivot;
    for (int r = 0; r < B; ++r) {
      if (r == k) continue;
      const double f = a[r * B + k];
      a[r * B + k] = 0;
      for (int c = 0; c < B; ++c) a[r * B + c] -= f * a[k * B + c];
    }
  }
  return 0;
}

static int create(const char* options, weir_solver** solver) {
  (void)options;
  *solver = calloc(1, sizeof(weir_solver));
  return *solver ? 0 : 1;
}

static void destroy(weir_solver* s) {
  free(s->inverse);
  free(s);
}

static const char* error(weir_solver* s) { return s ? s->error : "out of memory"; }

/* The diagonal block of row i, row by row; 0 where there is none. */
static int take_diagonal(const weir_matrix* A, int i, double* d) {
  const int B = A->block;
  if (A->format == WEIR_DIAGONALS) {
    const double* from = A->diagonal[3] + (size_t)i * B * B;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c) d[r * B + c] = from[c * B + r];
    return 1;
  }
  const int64_t e = A->diagonal_entry[i];
  if (e >= 0) memcpy(d, A->value + e * B * B, sizeof(double) * B * B);
  return e >= 0;
}

static int update(weir_solver* s, const weir_matrix* A) {
  const int B = A->block;
  for (int i = 0; i < A->rows; ++i) {
    double* d = s->inverse + (size_t)i * B * B;
    if (!take_diagonal(A, i, d) || invert(d, B)) {
      s->error = "a diagonal block is singular";
      return 1;
    }
  }
  return 0;
}

static int setup(weir_solver* s, const weir_matrix* A) {
  free(s->inverse);
  s->rows = A->rows;
  s->block = A->block;
  s->inverse = malloc(sizeof(double) * A->rows * A->block * A->block);
  s->error = "out of memory";
  return s->inverse ? update(s, A) : 1;
}

/* Called with a constant B, so that the compiler unrolls; a parallel loop here would hide that from it. */
static inline void multiply(const weir_solver* s, int B, const double* restrict r, double* restrict z) {
  for (int i = 0; i < s->rows; ++i) {
    const double *a = s->inverse + (size_t)i * B * B, *ri = r + (size_t)i * B;
    for (int k = 0; k < B; ++k) {
      double sum = 0;
      for (int c = 0; c < B; ++c) sum += a[k * B + c] * ri[c];
      z[(size_t)i * B + k] = sum;
    }
  }
}

static int apply(weir_solver* s, const double* r, double* z) {
  switch (s->block) {
    case 1: multiply(s, 1, r, z); break;
    case 3: multiply(s, 3, r, z); break;
    case 4: multiply(s, 4, r, z); break;
    case 5: multiply(s, 5, r, z); break;
    case 6: multiply(s, 6, r, z); break;
    default: multiply(s, s->block, r, z);
  }
  return 0;
}

static int64_t bytes(weir_solver* s) { return (int64_t)sizeof(double) * s->rows * s->block * s->block; }

const weir_plugin_description* weir_plugin(void) {
  static const weir_plugin_description description = {
      .abi = WEIR_PLUGIN_ABI, .formats = WEIR_BLOCK_CSR | WEIR_DIAGONALS, .spaces = WEIR_HOST,
      .traits = WEIR_KEEPS_SYMMETRY, .name = "block Jacobi", .create = create, .destroy = destroy, .error = error,
      .setup = setup, .update = update, .apply = apply, .bytes = bytes};
  return &description;
}
