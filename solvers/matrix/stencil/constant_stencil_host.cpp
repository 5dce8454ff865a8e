// One pass over the rows for every product. A clamped neighbour pointer is the Neumann ghost; a Dirichlet one adds 2 c
// to the diagonal of the row.
#include "solvers/matrix/stencil/constant_stencil.hpp"
#include "solvers/matrix/host_rows.hpp"
#include "solvers/matrix/stencil/pass_sweep.hpp"

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

Row stencil_row(const ConstantView& v, const double* x, int j, int k) {
  const Extents e = v.extents;
  return {row_pointers(e, v.periodic[1], v.periodic[2], x, j, k),
          v.c0 + end_diagonal(v, 1, j, e.ny) + end_diagonal(v, 2, k, e.nz),
          v.c[0],
          v.c[1],
          v.c[2],
          v.periodic[0] ? 0 : v.c[0] * (1 - v.fold[0][0]),
          v.periodic[0] ? 0 : v.c[0] * (1 - v.fold[0][1])};
}

template <bool Residual, bool Dot>
double product(const ConstantView& v, const double* b, const double* x, double* y) {
  const Extents e = v.extents;
  const auto row = [&](int j, int k, std::int64_t offset) {
    return product_row<Residual, Dot>(stencil_row(v, x, j, k), e.nx, v.periodic[0], x + offset,
                                      Residual ? b + offset : nullptr, y + offset);
  };
  if constexpr (Dot) return sum_rows(e, row);
  for_rows(e, row);
  return 0;
}

// p.A p of one row, nothing stored; or r -= alpha A p, and r.r.
template <bool Update>
double cg_row(const Row row, int n, bool periodic, double alpha, double* __restrict r) {
  const double* p = row.p.x;
  return for_products(row, n, periodic, p, [=](int i, double Ap) {
    if (!Update) return p[i] * Ap;
    const double v = r[i] - alpha * Ap;
    r[i] = v;
    return v * v;
  });
}

}  // namespace

void apply(const ConstantView& s, const double* x, double* y) { product<false, false>(s, nullptr, x, y); }
double apply_dot(const ConstantView& s, const double* x, double* y) { return product<false, true>(s, nullptr, x, y); }
void residual(const ConstantView& s, const double* b, const double* x, double* r) { product<true, false>(s, b, x, r); }
double residual_dot(const ConstantView& s, const double* b, const double* x, double* r) {
  return product<true, true>(s, b, x, r);
}

// The new direction, and its product one plane behind, in one sweep through memory.
double cg_direction(const ConstantView& s, double alpha, double beta, const double* z, double* p, double* x) {
  const Extents e = s.extents;
  double* part = detail::reduction_scratch(std::int64_t{e.ny} * e.nz);
  const PassSweep sweep(e, s.periodic[1] || s.periodic[2], 3 * sizeof(double));
  sweep(2, [&](int pass, int j, int k) {
    const std::int64_t offset = e.index(0, j, k);
    if (pass == 1) {
      part[k * e.ny + j] = cg_row<false>(stencil_row(s, p, j, k), e.nx, s.periodic[0], 0, nullptr);
      return;
    }
    const double* zr = z + offset;
    double *pr = p + offset, *xr = x + offset;
#pragma omp simd
    for (int i = 0; i < e.nx; ++i) {
      const double old = pr[i];
      xr[i] += alpha * old;
      pr[i] = zr[i] + beta * old;
    }
  });
  return detail::tree_sum(part, std::int64_t{e.ny} * e.nz);
}
double cg_residual(const ConstantView& s, double alpha, const double* p, double* r) {
  return sum_rows(s.extents, [&](int j, int k, std::int64_t offset) {
    const Row row = stencil_row(s, p, j, k);
    fetch_row_ahead(row.p.T, s.extents.nx);
    fetch_row_ahead(r + offset, s.extents.nx);
    return cg_row<true>(row, s.extents.nx, s.periodic[0], alpha, r + offset);
  });
}

}  // namespace weir::constant_host
