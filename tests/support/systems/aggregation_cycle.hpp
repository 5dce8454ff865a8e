// Systems for aggregation, and its cycle as in the textbook, on dense matrices.
#pragma once
#include "base/at.hpp"
#include "solvers/preconditioner/aggregation/aggregates.hpp"
#include "tests/support/systems/block_matrices.hpp"

namespace weir::test {

// nx x ny cells, i running fastest: diffusion of strength across.x and across.y, first-order upwind convection with the
// velocity `flow` in x; all sides hold a value. Blocks: the same for each unknown, which the diagonal block mixes a
// little.
struct Across {
  double x = 1, y = 1;
};
inline BlockCsrData grid_system(int nx, int ny, int B, Across across, double flow = 0) {
  BlockCsrData d;
  d.block = B;
  d.symmetric = flow == 0;
  d.row_start.push_back(0);
  const auto add = [&](int column, double value, double mixed) {
    d.column.push_back(column);
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c) d.value.push_back(r == c ? value : mixed);
  };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int row = i + nx * j;
      const double diagonal = 2 * across.x + 2 * across.y + flow;
      if (j > 0) add(row - nx, -across.y, 0);
      if (i > 0) add(row - 1, -across.x - flow, 0);
      add(row, diagonal, 0.01 * across.x / B);
      if (i + 1 < nx) add(row + 1, -across.x, 0);
      if (j + 1 < ny) add(row + nx, -across.y, 0);
      d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
    }
  return d;
}

inline aggregation::Aggregates find_aggregates(const BlockCsrData& A, int passes) {
  std::vector<double> size;
  for (std::int64_t e = 0, nn = std::int64_t{A.block} * A.block; e < A.row_start.back(); ++e)
    size.push_back(norm(Numbers(A.value.begin() + e * nn, A.value.begin() + (e + 1) * nn)));
  return aggregation::find_aggregates({A.row_start, A.column}, size, passes, 0.25);
}

// z + D^-1 (r - A z), D: the diagonal blocks.
inline Numbers jacobi_sweep(const Dense& A, int B, const Numbers& r, Numbers z) {
  const Numbers defect = minus(r, A * z);
  for (int i = 0; i < A.n; i += B) {
    Dense d(B);
    Numbers of_block(at(B));
    for (int u = 0; u < B; ++u) {
      of_block[at(u)] = defect[at(i + u)];
      for (int v = 0; v < B; ++v) d(u, v) = A(i + u, i + v);
    }
    const Numbers change = dense_solve(d, of_block);
    for (int u = 0; u < B; ++u) z[at(i + u)] += change[at(u)];
  }
  return z;
}

// The exchange between the blocks of C, of size B, is reduced to `kept` of it, pair by pair.
inline void weaken_diffusion(Dense& C, int B, double kept) {
  for (int i = 0; i < C.n; i += B)
    for (int j = 0; j < i; j += B)
      for (int u = 0; u < B; ++u)
        for (int v = 0; v < B; ++v) {
          double &out = C(i + u, j + v), &back = C(j + u, i + v);
          const double less = (1 - kept) * -0.5 * (out + back);
          out += less;
          back += less;
          C(i + u, i + v) -= less;
          C(j + u, j + v) -= less;
        }
}

// P^T A P, weakened.
inline Dense coarse_matrix(const Dense& A, int B, const aggregation::Aggregates& a, double diffusion) {
  const auto coarse = [&](int row) { return a.of_row[at(row / B)] * B + row % B; };
  Dense C(a.count() * B);
  for (int i = 0; i < A.n; ++i)
    for (int j = 0; j < A.n; ++j) C(coarse(i), coarse(j)) += A(i, j);
  weaken_diffusion(C, B, diffusion);
  return C;
}

struct CycleOptions {
  int pre = 0, post = 1;
  double scaling = 1, diffusion = 1;
  bool w = false;
};

// One cycle with the levels levels[l], levels[l + 1], ..., the last of which is solved exactly; block Jacobi sweeps.
inline Numbers textbook_cycle(const Dense& A, int B, const std::vector<aggregation::Aggregates>& levels,
                              const CycleOptions& o, const Numbers& r, std::size_t l = 0) {
  if (l == levels.size()) return dense_solve(A, r);
  Numbers z(r.size());
  for (int s = 0; s < o.pre; ++s) z = jacobi_sweep(A, B, r, z);
  const auto coarse = [&](int row) { return at(levels[l].of_row[at(row / B)] * B + row % B); };
  const Dense C = coarse_matrix(A, B, levels[l], o.diffusion);
  Numbers sums(at(C.n));
  const Numbers defect = minus(r, A * z);
  for (int i = 0; i < A.n; ++i) sums[coarse(i)] += defect[at(i)];
  Numbers correction = textbook_cycle(C, B, levels, o, sums, l + 1);
  if (o.w && l + 1 < levels.size()) {
    const Numbers again = textbook_cycle(C, B, levels, o, minus(sums, C * correction), l + 1);
    for (std::size_t i = 0; i < again.size(); ++i) correction[i] += again[i];
  }
  for (int i = 0; i < A.n; ++i) z[at(i)] += o.scaling * correction[coarse(i)];
  for (int s = 0; s < o.post; ++s) z = jacobi_sweep(A, B, r, z);
  return z;
}

}  // namespace weir::test
