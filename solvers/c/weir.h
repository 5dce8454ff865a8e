/* A x = b by Weir's solvers, for C and every language that calls C functions.
 *
 *   weir_solver_t* solver;
 *   weir_create("method = \"cg\"\npreconditioner = { type = \"block_ilu0\" }", &solver);
 *   weir_setup(solver, &A);              once per pattern
 *   weir_solve(solver, b, x, &result);   x holds the initial guess on entry and the solution on return
 *   weir_update(solver, A.value);        new values, same pattern
 *   weir_destroy(solver);
 *
 * Options    the keys of [linear.SYSTEM] in a case file, as TOML (docs/reference/solvers.md). NULL or "": the defaults.
 *            [select] names further solvers; the fastest on the caller's systems is chosen (call_from_c.md).
 * Errors     0 is success; another value is one of WEIR_BAD_INPUT ... below, and weir_error() returns the message. No
 *            function ends the process. A solve that does not converge is a result (weir_result.reason), not an error.
 * Ownership  weir_setup and weir_update copy the matrix, except with WEIR_BORROW. All pointers are used during the call
 *            only, except the operator and the context of weir_setup_operator, which are used until the next setup or
 *            weir_destroy.
 * Threads    Different solvers may be used from different threads at the same time. One solver is used by one thread at
 *            a time; only weir_cancel may be called from another thread. A second call is refused (WEIR_BAD_INPUT).
 * Handles    A weir_solver_t* is a number that is never given twice. A call after weir_destroy is refused.
 * Ranks      Without weir_set_communicator a solver belongs to one process. With it the rows of a matrix are
 *            distributed: each rank passes its rows, which follow those of the lower ranks, with columns of the whole
 *            matrix, and its part of the vectors. All calls of such a solver but weir_error, weir_describe,
 *            weir_history and weir_set_threads are collective over its communicator, weir_destroy too; an error of one
 *            rank is returned on all. Flags of weir_csr are the same on all ranks.
 * Versions   Structs begin with their size, which the caller sets: later versions append fields. A program that was
 *            compiled with this header runs with every later library of the same WEIR_C_ABI.
 */
#ifndef WEIR_H
#define WEIR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_C_ABI 1

/* Of this header; weir_version() is that of the library. */
#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 3
#define WEIR_VERSION_PATCH 0
#define WEIR_VERSION_AT_LEAST(major, minor, patch) \
  (WEIR_VERSION_MAJOR * 10000 + WEIR_VERSION_MINOR * 100 + WEIR_VERSION_PATCH >= (major)*10000 + (minor)*100 + (patch))

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

/* Returned by every function that can fail. */
#define WEIR_OK 0
#define WEIR_INTERNAL 1      /* a defect of the library; weir_error() has the details */
#define WEIR_BAD_INPUT 2     /* wrong shapes, options, pointers, or a call out of order */
#define WEIR_SOLVER_FAILED 3 /* set-up impossible: for example a zero pivot */
#define WEIR_NOT_FINITE 4    /* NaN or infinity in the input or the result */
#define WEIR_FILE_IO 6
#define WEIR_OUT_OF_MEMORY 7
#define WEIR_NO_DEVICE 8

/* weir_csr.flags */
/* WEIR_FACTS_GIVEN: the next two flags are right; without it both are found from the numbers (two passes) */
#define WEIR_FACTS_GIVEN 1u
#define WEIR_SYMMETRIC 2u           /* A = A^T */
#define WEIR_CONSTANT_NULL_SPACE 4u /* constants span the null spaces of A and A^T; they are projected out of b and x */
#define WEIR_COLUMN_MAJOR 8u        /* B x B values of a block are stored by columns */
#define WEIR_ONE_BASED 16u          /* row_start and column count from 1 */
/* WEIR_BORROW: the arrays are used, not copied, until the next setup or weir_destroy; one rank, 64-bit row_start,
 * indices from 0, blocks by rows. weir_update takes the same array with new values. */
#define WEIR_BORROW 64u
#define WEIR_ON_DEVICE 32u /* arrays and vectors are in the memory of the GPU; needs a library built for CUDA */

/* Rows of a sparse matrix: block row i has the B x B blocks row_start[i] .. row_start[i + 1] - 1, at block columns
 * column[e] in ascending order without duplicates, each stored by rows. */
typedef struct weir_csr {
  uint32_t bytes;         /* sizeof(weir_csr) */
  uint32_t flags;         /* WEIR_SYMMETRIC | ... */
  int64_t rows;           /* block rows of this rank; vectors have rows * block values */
  int32_t block;          /* B, 1 to 64 */
  int32_t row_start_bits; /* 32 or 64 */
  const void* row_start;  /* rows + 1 */
  const int32_t* column;
  const double* value;
} weir_csr;

/* weir_stencil.periodic: directions whose ends are neighbours */
#define WEIR_X 1u
#define WEIR_Y 2u
#define WEIR_Z 4u

/* One unknown per cell of a structured grid, x fastest. The bands follow each other, each with an entry per cell: its
 * coupling to the neighbours at z - 1, y - 1, x - 1, the cell itself, x + 1, y + 1, z + 1; with one cell in z five
 * bands from y - 1 to y + 1. Entries beyond the ends of the grid are finite and have no effect. multigrid needs this
 * form. One rank. */
typedef struct weir_stencil {
  uint32_t bytes; /* sizeof(weir_stencil) */
  uint32_t flags; /* WEIR_FACTS_GIVEN, WEIR_SYMMETRIC, WEIR_CONSTANT_NULL_SPACE, WEIR_ON_DEVICE */
  int32_t cells[3];
  uint32_t periodic;
  const double* value;
} weir_stencil;

/* weir_result.reason */
#define WEIR_CONVERGED 0
#define WEIR_MAX_ITERATIONS 1
#define WEIR_BREAKDOWN 2
#define WEIR_STAGNATED 3
#define WEIR_DIVERGED 4 /* NaN or infinity in the iteration */
#define WEIR_CANCELLED 5

typedef struct weir_result {
  uint32_t bytes; /* sizeof(weir_result); set by the caller */
  int32_t reason; /* WEIR_CONVERGED ... */
  int32_t iterations;
  int32_t reserved;
  double residual0;     /* |b - A x| of the initial guess */
  double residual;      /* |b - A x| computed from the returned x */
  double target;        /* |b - A x| that the tolerance asks for */
  double setup_seconds; /* of the last weir_setup or weir_update */
  double solve_seconds;
  int64_t memory; /* bytes of the preconditioner; 0: not known */
} weir_result;

typedef struct weir_solver_t weir_solver_t;

WEIR_API const char* weir_version(void); /* "0.3.0" */
WEIR_API int weir_c_abi(void);           /* WEIR_C_ABI of the library */

/* *solver is NULL after an error; weir_error(NULL) then has the message. */
WEIR_API int weir_create(const char* options, weir_solver_t** solver);
WEIR_API void weir_destroy(weir_solver_t* solver); /* NULL or destroyed: nothing happens */

/* Message of the last call of this solver that failed; NULL: of the last call of this thread that reached no solver:
 * weir_create, NULL, a solver that has been destroyed. */
WEIR_API const char* weir_error(const weir_solver_t* solver);
/* Method, preconditioner and tolerance as one line. Valid until the next call of this solver. */
WEIR_API const char* weir_describe(weir_solver_t* solver);

/* Number of OpenMP threads during calls of this solver; 0: as the caller's. */
WEIR_API int weir_set_threads(weir_solver_t* solver, int threads);

/* Distributes the matrices of later setups over an MPI communicator: the address of an MPI_Comm, or a handle of
 * Fortran. Collective. The communicator is duplicated and the duplicate freed by weir_destroy, so the caller may free
 * it after the call. A solver without a form over ranks (docs/reference/solvers.md) preconditions each rank's rows on
 * their own. */
WEIR_API int weir_set_communicator(weir_solver_t* solver, const void* mpi_comm);
WEIR_API int weir_set_communicator_f(weir_solver_t* solver, int handle);

WEIR_API int weir_setup(weir_solver_t* solver, const weir_csr* A);
WEIR_API int weir_setup_stencil(weir_solver_t* solver, const weir_stencil* A);
/* value: as in the last setup. The symmetry and the null space are those of that setup. */
WEIR_API int weir_update(weir_solver_t* solver, const double* value);

/* An operator without a matrix: y = A x by `apply`, which returns 0 or, to end the solve, another value. `near` is the
 * matrix that the preconditioner is made from; NULL: no preconditioner. flags: WEIR_SYMMETRIC,
 * WEIR_CONSTANT_NULL_SPACE. */
typedef int (*weir_operator)(void* context, const double* x, double* y);
WEIR_API int weir_setup_operator(weir_solver_t* solver, int64_t size, uint32_t flags, weir_operator apply,
                                 void* context, const weir_csr* near);

/* A x = b and A^T x = b. result may be NULL. The transposed solver is set up at its first use, from a
 * transposed copy. */
WEIR_API int weir_solve(weir_solver_t* solver, const double* b, double* x, weir_result* result);
WEIR_API int weir_solve_transposed(weir_solver_t* solver, const double* b, double* x, weir_result* result);
/* k systems with the same matrix: vector j begins at b + j * stride_b and x + j * stride_x. results: k of them, or
 * NULL. All k are solved even where one does not converge. With cg, bicgstab, bicgstab_l, gmres, fgmres and idrs on the
 * host, one pass over the matrix and over the factors of block_ilu0 serves all k; the solutions have the bits of single
 * solves, the times are those of all k. */
WEIR_API int weir_solve_many(weir_solver_t* solver, int k, const double* b, int64_t stride_b, double* x,
                             int64_t stride_x, weir_result* results);
/* z = M^-1 r and z = M^-T r: one application of the preconditioner. */
WEIR_API int weir_apply(weir_solver_t* solver, const double* r, double* z);
WEIR_API int weir_apply_transposed(weir_solver_t* solver, const double* r, double* z);

/* Residual norms of the last solve, one per iteration: *count of them, valid until the next call of this solver. */
WEIR_API int weir_history(weir_solver_t* solver, const double** norms, int32_t* count);

/* Writes the systems of later weir_solve and weir_solve_many calls into a folder, which weir replay FOLDER and weir
 * solve FOLDER of the program read (inputs/clients/README.md); NULL: no more. With WEIR_CAPTURE=DIR in the environment
 * each solver that is created writes into a folder of its own, DIR/1, DIR/2, .... One rank; operators without a matrix
 * are not written. */
WEIR_API int weir_record(weir_solver_t* solver, const char* folder);

/* Ends the solve that is running, or the next one, with reason WEIR_CANCELLED. */
WEIR_API int weir_cancel(weir_solver_t* solver);

#ifdef __cplusplus
}
#endif
#endif
