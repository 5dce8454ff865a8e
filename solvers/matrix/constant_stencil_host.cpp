// One pass over the rows for every product. A clamped neighbour pointer is the Neumann ghost; a Dirichlet one adds 2 c
// to the diagonal of the row.
#include "solvers/matrix/constant_stencil.hpp"
#include "solvers/matrix/host_rows.hpp"

namespace weir::constant_host {
namespace {

// What the ends of direction d add to c0 at index i: the clamped pointer stands for a ghost of +x where fold x is meant.
double end_diagonal(const ConstantView& v, int d, int i, int n) {
  if (v.periodic[d]) return 0;
  return v.c[d] * ((i == 0 ? 1 - v.fold[d][0] : 0) + (i == n - 1 ? 1 - v.fold[d][1] : 0));
}

// Row (j, k), and its product at cell i.
struct Row {
  RowPointers p;
  double c0, cx, cy, cz, low, high;

  double operator()(int i, double west, double east) const {
    return c0 * p.x[i] - cx * (west + east) - cy * (p.S[i] + p.N[i]) - cz * (p.B[i] + p.T[i]);
  }
};

template <bool Residual, bool Dot>
double product(const ConstantView& v, const double* b, const double* x, double* y) {
  const Extents e = v.extents;
  const auto row = [&](int j, int k, std::int64_t offset) {
    const Row r{row_pointers(e, v.periodic[1], v.periodic[2], x, j, k),
                v.c0 + end_diagonal(v, 1, j, e.ny) + end_diagonal(v, 2, k, e.nz),
                v.c[0],
                v.c[1],
                v.c[2],
                v.periodic[0] ? 0 : v.c[0] * (1 - v.fold[0][0]),
                v.periodic[0] ? 0 : v.c[0] * (1 - v.fold[0][1])};
    return product_row<Residual, Dot>(r, e.nx, v.periodic[0], x + offset, Residual ? b + offset : nullptr, y + offset);
  };
  if constexpr (Dot) return sum_rows(e, row);
  for_rows(e, row);
  return 0;
}

}  // namespace

void apply(const ConstantView& s, const double* x, double* y) { product<false, false>(s, nullptr, x, y); }
double apply_dot(const ConstantView& s, const double* x, double* y) { return product<false, true>(s, nullptr, x, y); }
void residual(const ConstantView& s, const double* b, const double* x, double* r) { product<true, false>(s, b, x, r); }
double residual_dot(const ConstantView& s, const double* b, const double* x, double* r) {
  return product<true, true>(s, b, x, r);
}

}  // namespace weir::constant_host
