/* A solver of yours inside Weir's flows: a shared library with one function, weir_plugin(), that describes it.
 *
 *   preconditioner = { type = "plugin", library = "./libmine.so", KEY = VALUE ... }    z = M^-1 r, under any Krylov method
 *   method = "plugin:./libmine.so"                                                     a whole solver: A x = b
 *
 * Plain C99, nothing else to include or to link: cc -std=c99 -O2 -fPIC -shared mine.c -o libmine.so (or C++, or any language
 * that makes C functions). docs/howto/bring_your_own_solver.md shows the way, `weir new plugin DIR` writes a working one.
 *
 * Units      none: the numbers are those of the discretised equations as Weir solves them.
 * Ownership  Weir owns what it passes, you own your solver. Arrays of the pattern are valid until the next setup or destroy, arrays
 *            of values until the next setup, update or destroy; but where `refresh` is not "always" Weir may have written
 *            newer values into them meanwhile: copy what your applications must not see change.
 * Errors     0 is success. Anything else, a C++ exception, NaN or Inf in a result end the solve as any failure does, with the
 *            library and the call in the message; error() is asked for the words. Never exit() or abort().
 * Threads    Weir calls one solver from one thread, one call at a time. Inside, take at most weir_matrix.threads threads.
 * Ranks      Under MPI each rank has a solver of its own for its own rows; couplings to other ranks' rows are left out. Do not
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

/* Changes when a library that was built with another version of this file would not work any more. */
#define WEIR_PLUGIN_ABI 1

/* How a matrix lies (of block rows i, blocks e). */
#define WEIR_CSR 1u       /* scalar rows: value[e] at column[e], row_start[i] <= e < row_start[i + 1], columns ascending */
#define WEIR_BLOCK_CSR 2u /* the same with B x B values for each e, row by row: value[(e * B + r) * B + c] */
#define WEIR_DIAGONALS 4u /* a structured grid: diagonal[s] holds B x B values a cell, column by column (below) */

/* Where it lies. */
#define WEIR_HOST 1u
#define WEIR_DEVICE 2u /* memory of the GPU (CUDA), work in the default stream */

/* What the solver is. */
#define WEIR_KEEPS_SYMMETRY 1u /* M is symmetric (and positive definite) where A is: cg may use it */
#define WEIR_VARIES 2u         /* not the same linear operator at every application: needs fgmres */
#define WEIR_DOES_NOT_REPEAT 4u /* not the same bits from the same input: refused by --deterministic */

typedef struct weir_matrix {
  uint32_t bytes;  /* sizeof(weir_matrix) of the Weir that calls: later versions append fields */
  uint32_t format; /* WEIR_CSR, ... : one that you take */
  uint32_t space;  /* WEIR_HOST, WEIR_DEVICE: of row_start, column, diagonal_entry, value and diagonal[s] */
  int32_t rows;    /* block rows; vectors have rows * block values, those of a block row side by side */
  int32_t block;   /* B; 1 for WEIR_CSR */
  int32_t cell;    /* unknowns of a cell: B, or where Weir has cut blocks into scalar rows the size that they had */

  int32_t symmetric;           /* 1: A = A^T */
  int32_t constant_null_space; /* 1: constants span the null spaces of A and A^T; Weir projects them out of b - A x, x and z */
  int32_t rank, ranks;         /* who has these rows; 0 and 1 without MPI */
  int32_t threads;             /* that the run gives a solver on the host */

  /* WEIR_CSR, WEIR_BLOCK_CSR */
  const int64_t* row_start;      /* rows + 1 */
  const int32_t* column;         /* row_start[rows], block columns */
  const int64_t* diagonal_entry; /* rows: the e of the diagonal block, -1 where there is none */
  const double* value;           /* row_start[rows] * B * B */

  /* WEIR_DIAGONALS: cell c = (k * grid[1] + j) * grid[0] + i couples to its neighbours in slot 0 (k - 1), 1 (j - 1), 2 (i - 1),
   * 3 (itself), 4 (i + 1), 5 (j + 1), 6 (k + 1) by A[r][q] = diagonal[s][(c * B + q) * B + r]. No slots 0 and 6 in 2D. NULL for
   * s < 3 of a matrix that is stored by its upper half: slot 6 - s of that neighbour, transposed. What points out of the
   * grid is finite and means nothing, unless the direction is periodic: then it couples to the far end. */
  int32_t grid[3];
  int32_t periodic[3];
  const double* diagonal[7];

  /* On the host, in every space: what else Weir knows, else NULL and 0. */
  const double* centre; /* rows * block / cell times x, y, z: of the cells' centres, in the lengths of the case */
  const int32_t* line;  /* 2 * lines: first cell and number of cells of runs that are coupled strongly to the next one */
  int32_t lines;
} weir_matrix;

typedef struct weir_solver weir_solver; /* yours */

typedef struct weir_plugin_description {
  uint32_t abi;     /* WEIR_PLUGIN_ABI */
  uint32_t formats; /* WEIR_CSR | ... : no copy of what Weir holds in one of these; else rows, refilled at each update */
  uint32_t spaces;  /* WEIR_HOST | WEIR_DEVICE */
  uint32_t traits;  /* WEIR_KEEPS_SYMMETRY | ... */
  const char* name; /* for the log: "sgs" */

  /* options: the keys of the case file's table beside `type` and `library`, a line "KEY = VALUE" each, in TOML. Where it fails,
   * what it has put into *solver (NULL before) is asked for the error and destroyed. */
  int (*create)(const char* options, weir_solver** solver);
  void (*destroy)(weir_solver*);
  const char* (*error)(weir_solver*);                      /* words for the last error; of NULL: of create; may be NULL */
  int (*setup)(weir_solver*, const weir_matrix* A);        /* a new pattern */
  int (*update)(weir_solver*, const weir_matrix* A);       /* new values, same pattern and addresses of it; NULL: setup */
  int (*apply)(weir_solver*, const double* r, double* z);  /* z = M^-1 r, all of z; r and z in A's space; allocate nothing */
  /* A x = b from x = 0 until |b - A x| (l2) <= target, all of x; *iterations: as your method counts them. Reaching the limit is no
   * error. Weir computes the true residual, and asks again for the rest as long as that helps. NULL: apply alone. */
  int (*solve)(weir_solver*, const double* b, double* x, double target, int max_iterations, int* iterations);
  int64_t (*bytes)(weir_solver*); /* memory, after setup, for Weir's tables; may be NULL */
} weir_plugin_description;

#if defined(__GNUC__)
#define WEIR_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define WEIR_PLUGIN_EXPORT
#endif

/* The one function that Weir looks for. What it points to lives as long as the library. */
WEIR_PLUGIN_EXPORT const weir_plugin_description* weir_plugin(void);

/* A number of the options, or `fallback` where the key is not there. */
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
