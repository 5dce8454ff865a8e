/* Interface of a user's solver: a shared library with one function, weir_plugin(), that describes it.
 *
 *   preconditioner = { type = "plugin", library = "./libmine.so", KEY = VALUE ... }    z = M^-1 r (Krylov methods)
 *   method = "plugin:./libmine.so"                                                     a complete solver: A x = b
 *
 * C99 without further headers or libraries: cc -std=c99 -O2 -fPIC -shared mine.c -o libmine.so (or C++, or any language
 * with C functions). See docs/howto/bring_your_own_solver.md; `weir new plugin DIR` writes a working example.
 *
 * Units      none: the numbers are those of the discretised equations.
 * Ownership  Weir owns the arrays, the library owns its solver. Arrays of the pattern are valid until the next setup or
 *            destroy, arrays of values until the next setup, update or destroy. If `refresh` is not "always", Weir may
 *            overwrite the values in the meantime: copy what must not change between applications.
 * Errors     0 is success. Any other value, a C++ exception, and NaN or Inf in a result are reported as a failed solve
 *            with the library, the call and the text of error(). Do not call exit() or abort().
 * Threads    Weir calls a solver from one thread, one call at a time. Use at most weir_matrix.threads threads.
 * Ranks      Under MPI each rank has its own solver for its own rows, without couplings to rows of other ranks. Do not
 *            communicate.
 */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every incompatible change of this file. */
#define WEIR_PLUGIN_ABI 1

/* Storage formats (block rows i, blocks e). */
#define WEIR_CSR 1u       /* scalar rows: value[e] at column[e], row_start[i] <= e < row_start[i + 1], ascending */
#define WEIR_BLOCK_CSR 2u /* the same with row-major B x B blocks: value[(e * B + r) * B + c] */
#define WEIR_DIAGONALS 4u /* structured grid: diagonal[s] has a column-major B x B block per cell (below) */

/* Memory spaces. */
#define WEIR_HOST 1u
#define WEIR_DEVICE 2u /* GPU memory (CUDA), work in the default stream */

/* Properties of the solver. */
#define WEIR_KEEPS_SYMMETRY 1u /* M is symmetric positive definite if A is: required by cg */
#define WEIR_VARIES 2u         /* not the same linear operator at every application: requires fgmres */
#define WEIR_DOES_NOT_REPEAT 4u /* results are not reproducible bit for bit: refused by --deterministic */

typedef struct weir_matrix {
  uint32_t bytes;  /* sizeof(weir_matrix) of the calling Weir: later versions append fields */
  uint32_t format; /* WEIR_CSR, ... : one of those supported */
  uint32_t space;  /* WEIR_HOST, WEIR_DEVICE: of row_start, column, diagonal_entry, value and diagonal[s] */
  int32_t rows;    /* block rows; vectors have rows * block values, contiguous per block row */
  int32_t block;   /* B; 1 for WEIR_CSR */
  int32_t cell;    /* unknowns per cell: B, or the original block size if Weir has made scalar rows */

  int32_t symmetric;           /* 1: A = A^T */
  int32_t constant_null_space; /* 1: constants span the null spaces of A and A^T; Weir projects them out */
  int32_t rank, ranks;         /* rank of these rows, number of ranks; 0 and 1 without MPI */
  int32_t threads;             /* for the solver on the host */

  /* WEIR_CSR, WEIR_BLOCK_CSR */
  const int64_t* row_start;      /* rows + 1 */
  const int32_t* column;         /* row_start[rows], block columns */
  const int64_t* diagonal_entry; /* rows: e of the diagonal block; -1: none */
  const double* value;           /* row_start[rows] * B * B */

  /* WEIR_DIAGONALS: cell c = (k * grid[1] + j) * grid[0] + i couples to its neighbours in slot 0 (k - 1), 1 (j - 1),
   * 2 (i - 1), 3 (itself), 4 (i + 1), 5 (j + 1), 6 (k + 1) by A[r][q] = diagonal[s][(c * B + q) * B + r]. No slots 0
   * and 6 in 2D. If only the upper half is stored, diagonal[s] is NULL for s < 3: use slot 6 - s of that neighbour,
   * transposed. Blocks that point out of the grid are finite but unused, unless the direction is periodic: then they
   * couple to the opposite end. */
  int32_t grid[3];
  int32_t periodic[3];
  const double* diagonal[7];

  /* Additional data in host memory; NULL and 0: not available. */
  const double* centre; /* x, y, z of the rows * block / cell cell centres, in the unit of the case */
  const int32_t* line;  /* 2 * lines: first cell and number of cells of runs of strongly coupled cells */
  int32_t lines;
} weir_matrix;

typedef struct weir_solver weir_solver; /* defined by the library */

typedef struct weir_plugin_description {
  uint32_t abi;     /* WEIR_PLUGIN_ABI */
  uint32_t formats; /* WEIR_CSR | ... : used without a copy if Weir has it; else converted at each update */
  uint32_t spaces;  /* WEIR_HOST | WEIR_DEVICE */
  uint32_t traits;  /* WEIR_KEEPS_SYMMETRY | ... */
  const char* name; /* for the log: "sgs" */

  /* options: the keys of the case file's table except `type` and `library`, one line "KEY = VALUE" each, in TOML. If it
   * fails, error() and destroy() are called with *solver (NULL before the call). */
  int (*create)(const char* options, weir_solver** solver);
  void (*destroy)(weir_solver*);
  const char* (*error)(weir_solver*);                      /* text of the last error; NULL: of create; may be NULL */
  int (*setup)(weir_solver*, const weir_matrix* A);        /* a new pattern */
  int (*update)(weir_solver*, const weir_matrix* A);       /* new values, pattern at the same address; NULL: setup */
  int (*apply)(weir_solver*, const double* r, double* z);  /* z = M^-1 r in the space of A; must not allocate */
  /* Solves A x = b from x = 0 until |b - A x| (l2) <= target. *iterations: number of iterations. Reaching the limit is
   * not an error. Weir computes the true residual and calls again for the correction as long as that helps. NULL: only
   * apply is available. */
  int (*solve)(weir_solver*, const double* b, double* x, double target, int max_iterations, int* iterations);
  int64_t (*bytes)(weir_solver*); /* memory after setup, for reports; may be NULL */
} weir_plugin_description;

#if defined(__GNUC__)
#define WEIR_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define WEIR_PLUGIN_EXPORT
#endif

/* The exported function. Its result must stay valid as long as the library is loaded. */
WEIR_PLUGIN_EXPORT const weir_plugin_description* weir_plugin(void);

/* A number of the options, or `fallback` if the key is missing. */
static inline double weir_number(const char* options, const char* key, double fallback) {
  const size_t n = strlen(key);
  const char* line = options;
  while (line && *line) {
    if (strncmp(line, key, n) == 0 && line[n + strspn(line + n, " ")] == '=')
      return strtod(line + n + strspn(line + n, " ") + 1, NULL);
    line = strchr(line, '\n');
    if (line) ++line;
  }
  return fallback;
}

#ifdef __cplusplus
}
#endif
#endif
