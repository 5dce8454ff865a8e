// Symmetric (block) Gauss-Seidel in row order: M = (D + L) D^-1 (D + U), A = L + D + U, D the diagonal blocks.
#include <cmath>
#include <vector>
#include "weir_plugin.h"
struct weir_solver {
  weir_matrix A{};                     // the pattern arrays belong to Weir
  std::vector<double> value, inverse;  // a copy of A, which may change while the factorization is kept; D^-1
  const char* error = "";
};
static bool invert(double* a, int B) {  // Gauss-Jordan, in place
  for (int k = 0; k < B; ++k) {
    const double pivot = a[k * B + k];
    if (!std::isnormal(pivot)) return false;
    a[k * B + k] = 1;
    for (int c = 0; c < B; ++c) a[k * B + c] /= pivot;
    for (int r = 0; r < B; ++r) {
      const double f = a[r * B + k];
      for (int c = 0; c < B && r != k; ++c) a[r * B + c] = (c == k ? 0 : a[r * B + c]) - f * a[k * B + c];
    }
  }
  return true;
}
// Forward: z_i = D_i^-1 (r_i - lower row * z). Backward: z_i - D_i^-1 (upper row * z). Blocks e to the end of row i.
static void relax(const weir_solver& s, int i, int64_t e, int64_t end, const double* r, double* z) {
  const int B = s.A.block;
  double rest[64] = {};
  for (int k = 0; r && k < B; ++k) rest[k] = r[i * B + k];
  for (; e < end; ++e)
    for (int k = 0; k < B; ++k)
      for (int c = 0; c < B; ++c) rest[k] -= s.value[(e * B + k) * B + c] * z[s.A.column[e] * B + c];
  for (int k = 0; k < B; ++k) {
    if (r) z[i * B + k] = 0;
    for (int c = 0; c < B; ++c) z[i * B + k] += s.inverse[(i * B + k) * B + c] * rest[c];
  }
}
static int setup(weir_solver* s, const weir_matrix* A) {
  const int BB = A->block * A->block;
  s->A = *A;
  s->value.assign(A->value, A->value + A->row_start[A->rows] * BB);
  s->inverse.assign(int64_t{A->rows} * BB, 0);
  for (int64_t i = 0, d; i < A->rows; ++i) {
    for (int k = 0; k < BB && (d = A->diagonal_entry[i]) >= 0; ++k) s->inverse[i * BB + k] = A->value[d * BB + k];
    if (!invert(&s->inverse[i * BB], A->block)) return s->error = "a diagonal block is singular", 1;
  }
  return 0;
}
static int apply(weir_solver* s, const double* r, double* z) {
  const int64_t *start = s->A.row_start, *d = s->A.diagonal_entry;
  for (int i = 0; i < s->A.rows; ++i) relax(*s, i, start[i], d[i], r, z);
  for (int i = s->A.rows - 1; i >= 0; --i) relax(*s, i, d[i] + 1, start[i + 1], nullptr, z);
  return 0;
}
extern "C" const weir_plugin_description* weir_plugin(void) {
  static weir_plugin_description d{
      WEIR_PLUGIN_ABI, WEIR_BLOCK_CSR, WEIR_HOST, WEIR_KEEPS_SYMMETRY, "sgs", {}, {}, {}, {}, {}, {}, {}, {}};
  d.create = [](const char*, weir_solver** s) { return *s = new weir_solver, 0; };
  d.destroy = [](weir_solver* s) { delete s; };
  d.setup = setup, d.apply = apply, d.error = [](weir_solver* s) { return s->error; };
  return &d;
}
