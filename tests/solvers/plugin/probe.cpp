// A plugin that tests build in many ways: z = A r from the format that -DFORMATS=... leaves, so that a test can compare
// it with our own product, with the option `constant` added to it; and whatever a plugin can do wrong: the option fault
// = N at the call of that number.
#include <unistd.h>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "weir_plugin.h"

struct weir_solver {
  weir_matrix A{};
  int fault = 0, setups = 0, updates = 0;
  double constant = 0;
  char words[80] = "";
};

enum Fault {
  none,
  create_fails,
  setup_fails,
  setup_throws,
  apply_fails,
  apply_throws,
  apply_nan,
  apply_crashes,
  apply_aborts,
  apply_frees_twice,
  apply_sleeps,
  setup_crashes,
  setup_writes_values,
  apply_writes_values,
  apply_writes_r,
  setup_rounds_up,
  apply_traps,
  apply_exits,
  apply_exits_at_once,
  apply_exits_quickly,
  apply_becomes_a_program
};

static double value_of_diagonals(const weir_matrix& A, int s, int from, int to, int r, int c) {
  const int B = A.block;
  if (A.diagonal[s]) return A.diagonal[s][(int64_t{from} * B + c) * B + r];
  return A.diagonal[6 - s][(int64_t{to} * B + r) * B + c];
}

static int neighbour(const weir_matrix& A, int cell, int s) {
  const int *n = A.grid, at[3] = {cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])},
            stride[3] = {1, n[0], n[0] * n[1]};
  if (s == 3) return cell;
  const int d = s < 3 ? 2 - s : s - 4, step = s < 3 ? -1 : 1, to = at[d] + step;
  if (to >= 0 && to < n[d]) return cell + step * stride[d];
  return A.periodic[d] && n[d] > 1 ? cell - step * (n[d] - 1) * stride[d] : -1;
}

static void multiply(const weir_matrix& A, const double* x, double* y) {
  const int B = A.block;
  for (int i = 0; i < A.rows; ++i)
    for (int r = 0; r < B; ++r) {
      double sum = 0;
      if (A.format == WEIR_DIAGONALS) {
        for (int s = 0; s < 7; ++s) {
          if (!A.diagonal[s] && !A.diagonal[6 - s]) continue;
          const int j = neighbour(A, i, s);
          for (int c = 0; c < B && j >= 0; ++c) sum += value_of_diagonals(A, s, i, j, r, c) * x[j * B + c];
        }
      } else {
        for (int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
          for (int c = 0; c < B; ++c) sum += A.value[(e * B + r) * B + c] * x[A.column[e] * B + c];
      }
      y[i * B + r] = sum;
    }
}

static int create(const char* options, weir_solver** s) {
  *s = new weir_solver;
  (*s)->fault = static_cast<int>(weir_number(options, "fault", 0));
  (*s)->constant = weir_number(options, "constant", 0);
  return (*s)->fault == create_fails ? 7 : 0;
}
static void destroy(weir_solver* s) { delete s; }
static const char* error(weir_solver* s) { return s ? s->words : ""; }

static const double* values(const weir_matrix& A) { return A.format == WEIR_DIAGONALS ? A.diagonal[3] : A.value; }

static int setup(weir_solver* s, const weir_matrix* A) {
  s->A = *A;
  ++s->setups;
  if (s->fault == setup_crashes) *reinterpret_cast<volatile int*>(s->setups) = 1;
  if (s->fault == setup_throws) throw std::runtime_error("too small a world");
  if (s->fault == setup_writes_values) const_cast<double*>(values(*A))[0] *= 2;
  if (s->fault == setup_rounds_up) std::fesetround(FE_UPWARD);
  std::snprintf(s->words, sizeof s->words, "no pivot in row %d of %d", 3, A->rows);
  return s->fault == setup_fails ? 1 : 0;
}
static int update(weir_solver* s, const weir_matrix* A) {
  s->A = *A;
  ++s->updates;
  return 0;
}

[[maybe_unused]] static int apply(weir_solver* s, const double* r, double* z) {
  multiply(s->A, r, z);
  for (int i = 0; i < s->A.rows * s->A.block; ++i) z[i] += s->constant;
  if (s->fault == apply_writes_values) const_cast<double*>(values(s->A))[1] = 0;
  if (s->fault == apply_writes_r) const_cast<double*>(r)[2] += 1;
  if (s->fault == apply_traps) feenableexcept(FE_INVALID);
  if (s->fault == apply_exits) std::exit(0);
  if (s->fault == apply_exits_at_once) _exit(0);
  if (s->fault == apply_exits_quickly) std::quick_exit(0);
  if (s->fault == apply_becomes_a_program) execl("/bin/true", "true", nullptr);
  if (s->fault == apply_throws) throw std::runtime_error("out of luck");
  if (s->fault == apply_nan) z[1] = 0 / (z[1] - z[1]);
  if (s->fault == apply_crashes) *reinterpret_cast<volatile int*>(s->setups) = 1;
  if (s->fault == apply_aborts) std::abort();
  if (s->fault == apply_frees_twice) {
    void* volatile p = std::malloc(2000);
    std::free(p);
    std::free(p);
    void* volatile q = std::malloc(24);
    std::free(q);
    std::free(q);
    std::free(q);
  }
  while (s->fault == apply_sleeps) sleep(1);
  return s->fault == apply_fails ? 5 : 0;
}

// Jacobi's method, as far as it gets.
[[maybe_unused]] static int solve(weir_solver* s, const double* b, double* x, double target, int max_iterations,
                                  int* iterations) {
  const int n = s->A.rows * s->A.block, B = s->A.block;
  double* r = static_cast<double*>(std::malloc(sizeof(double) * n));
  for (int i = 0; i < n; ++i) x[i] = 0;
  double square = 2 * target * target + 1;
  for (*iterations = 0; *iterations < max_iterations && square > target * target; ++*iterations) {
    multiply(s->A, x, r);
    square = 0;
    for (int i = 0; i < n; ++i) {
      const double rest = b[i] - r[i];
      square += rest * rest;
      x[i] += rest / s->A.value[(s->A.diagonal_entry[i / B] * B + i % B) * B + i % B];
    }
  }
  std::free(r);
  return s->fault == apply_fails ? 5 : 0;
}

extern "C" const weir_plugin_description* ENTRY(void) {
  static const weir_plugin_description d{ABI,   FORMATS, SPACES, 0,     "probe", create, destroy,
                                         error, setup,   update, APPLY, SOLVE,   nullptr};
  return &d;
}
