// Banded cycle on the host, row by row. All steps on the way down, from r to the residual, are one sweep through
// memory, and so are the correction and all steps on the way up, to z and r.z (pass_sweep.hpp). The residual is summed
// into the coarse rows in a separate pass.
#include <algorithm>

#include "solvers/device/reduce.hpp"
#include "solvers/matrix/stencil/pass_sweep.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_kernels.hpp"

namespace weir::banded_multigrid {
namespace {

constexpr int bytes_per_cell = 32;  // read and written by a step
constexpr int chunk = 256;          // coarse cells of a row treated together

// Row (j, k), the rows of its neighbours and the couplings to them. At an end without period the neighbour is the row
// itself, with couplings 0.
struct StencilRow {
  const float *x, *xS, *xN, *xB, *xT, *aW, *aS, *aN, *aB, *aT;
  int n;
  StencilRow(const LevelView& L, const float* u, int j, int k) : n(L.cells.nx) {
    const Extents e = L.cells;
    const auto at = [&](int jj, int kk) { return e.index(0, jj, kk); };
    const int row = at(j, k), north = at(j + 1 < e.ny ? j + 1 : 0, k), above = at(j, k + 1 < e.nz ? k + 1 : 0);
    x = u + row;
    xS = u + (j > 0 ? at(j - 1, k) : L.wraps[1] ? at(e.ny - 1, k) : row);
    xN = u + (j + 1 < e.ny || L.wraps[1] ? north : row);
    xB = u + (k > 0 ? at(j, k - 1) : L.wraps[2] ? at(j, e.nz - 1) : row);
    xT = u + (k + 1 < e.nz || L.wraps[2] ? above : row);
    aW = L.ax + row;
    aS = L.ay + row;
    aN = L.ay + north;
    aB = L.az + row;
    aT = L.az + above;
  }
  float operator()(int i, float aE, float west, float east) const {
    return (aW[i] * west + aE * east) + (aS[i] * xS[i] + aN[i] * xN[i]) + (aB[i] * xB[i] + aT[i] * xT[i]);
  }
  float at_end(int i) const {
    const int before = i > 0 ? i - 1 : n - 1, after = i + 1 < n ? i + 1 : 0;
    return (*this)(i, aW[after], x[before], x[after]);
  }
};

// out(i, sum of couplings times neighbours) for every cell of the row.
template <class F>
void for_row(const StencilRow& row, const F out) {
  const StencilRow s = row;
  out(0, s.at_end(0));
#pragma omp simd
  for (int i = 1; i < s.n - 1; ++i) out(i, s(i, s.aW[i + 1], s.x[i - 1], s.x[i + 1]));
  if (s.n > 1) out(s.n - 1, s.at_end(s.n - 1));
}

// f(g) with g(i, 1 / d_i) the right-hand side of cell i of a row: of the level or of the caller, as a compile-time
// choice for the loops.
template <class F>
void with_right(const LevelView& L, const Ends& ends, int row, const F& f) {
  if (ends.r)
    f([e = Ends{ends.r + row, nullptr, ends.scale}](int i, float inverse) { return e.right(i, inverse); });
  else
    f([g = L.g + row](int i, float) { return g[i]; });
}

void first_step(const LevelView& L, const Ends& ends, float omega, int j, int k) {
  const int row = L.cells.index(0, j, k), n = L.cells.nx;
  const float* inverse = L.inverse + row;
  float* __restrict u = L.u + row;
  with_right(L, ends, row, [=](const auto g) {
#pragma omp simd
    for (int i = 0; i < n; ++i) u[i] = omega * inverse[i] * g(i, inverse[i]);
  });
}

void step(const LevelView& L, const Ends& ends, const float* u, float* w, float omega, int j, int k) {
  const StencilRow s(L, u, j, k);
  const int row = L.cells.index(0, j, k);
  const float *inverse = L.inverse + row, *x = s.x;
  float* __restrict out = w + row;
  with_right(L, ends, row, [=](const auto g) {
    for_row(s, [=](int i, float sum) { out[i] = x[i] + omega * (inverse[i] * (g(i, inverse[i]) + sum) - x[i]); });
  });
}

void residual(const LevelView& L, const Ends& ends, const float* u, float* w, int j, int k) {
  const StencilRow s(L, u, j, k);
  const int row = L.cells.index(0, j, k);
  const float *inverse = L.inverse + row, *x = s.x;
  float* __restrict out = w + row;
  with_right(L, ends, row, [=](const auto g) {
    for_row(s, [=](int i, float sum) { out[i] = g(i, inverse[i]) + sum - diagonal_times(x[i], inverse[i]); });
  });
}

double store(const LevelView& L, const Ends& e, int j, int k) {
  const int row = L.cells.index(0, j, k), n = L.cells.nx;
  const float *u = L.v + row, *inverse = L.inverse + row;
  const Ends here{e.r + row, nullptr, e.scale};
  double* __restrict z = e.z + row;
  double dot = 0;
#pragma omp simd reduction(+ : dot)
  for (int i = 0; i < n; ++i) {
    const double value = here.solution(i, static_cast<double>(u[i]), inverse[i]);
    z[i] = value;
    dot += value * here.r[i];
  }
  return dot;
}

// Data for the transfers along y and z of one fine row: its coarse row, the neighbours on its sides, and the couplings
// to them.
struct Sides {
  int row, across_y, across_z;
  const float *open_y, *open_z;
  float wy, wz;
};
Sides sides(const LevelView& C, const TransferView& t, int j, int k) {
  const int J = t.y.parent[j], K = t.z.parent[k];
  const bool low_y = t.y.is_low(j), low_z = t.z.is_low(k);
  const int J2 = low_y ? t.y.below(J) : t.y.above(J), K2 = low_z ? t.z.below(K) : t.z.above(K);
  Sides s;
  s.row = C.cells.index(0, J, K);
  s.across_y = C.cells.index(0, J2, K);
  s.across_z = C.cells.index(0, J, K2);
  s.open_y = C.ay + (low_y ? s.row : s.across_y);
  s.open_z = C.az + (low_z ? s.row : s.across_z);
  s.wy = t.y.weight[j];
  s.wz = t.z.weight[k];
  return s;
}

// One fine row of u += P x, in cells with couplings.
void prolong(const LevelView& F, float* u_all, const LevelView& C, const TransferView& t, int j, int k) {
  const Sides s = sides(C, t, j, k);
  const int row = F.cells.index(0, j, k), nc = C.cells.nx;
  const float *P = C.v + s.row, *Y = C.v + s.across_y, *Z = C.v + s.across_z, *open_x = C.ax + s.row;
  const float *inverse = F.inverse + row, *weight = t.x.weight;
  float* u = u_all + row;
  float centre[chunk], low[chunk], high[chunk];
  for (int from = 0; from < nc; from += chunk) {
    const int to = std::min(from + chunk, nc);
#pragma omp simd
    for (int I = from; I < to; ++I)
      centre[I - from] =
          P[I] + (s.open_y[I] > 0 ? s.wy * (Y[I] - P[I]) : 0.0f) + (s.open_z[I] > 0 ? s.wz * (Z[I] - P[I]) : 0.0f);
    for (int I = from; I < to; ++I) {
      const int before = I > 0 ? I - 1 : nc - 1, after = I + 1 < nc ? I + 1 : 0;
      low[I - from] = open_x[I] > 0 ? P[before] - P[I] : 0.0f;
      high[I - from] = open_x[after] > 0 ? P[after] - P[I] : 0.0f;
    }
    if (t.pairs) {
#pragma omp simd
      for (int I = from; I < to; ++I) {
        const int i = 2 * I, m = I - from;
        u[i] += inverse[i] > 0 ? centre[m] + weight[i] * low[m] : 0.0f;
        u[i + 1] += inverse[i + 1] > 0 ? centre[m] + weight[i + 1] * high[m] : 0.0f;
      }
      continue;
    }
    for (int i = t.x.first[from]; i < t.x.first[to]; ++i) {
      const int m = t.x.parent[i] - from;
      u[i] += inverse[i] > 0 ? centre[m] + weight[i] * (t.x.is_low(i) ? low[m] : high[m]) : 0.0f;
    }
  }
}

// sums[I - from] = sum over the children in a fine row.
void sum_children(const TransferView& t, const float* r, int from, int to, float* __restrict sums) {
  if (t.pairs) {
#pragma omp simd
    for (int I = from; I < to; ++I) sums[I - from] = r[2 * I] + r[2 * I + 1];
    return;
  }
  for (int I = from; I < to; ++I) {
    float s = 0;
    for (int i = t.x.first[I]; i < t.x.first[I + 1]; ++i) s += r[i];
    sums[I - from] = s;
  }
}

// out += exchange between the children of a row and their neighbours along x.
void exchange_along_x(const TransferView& t, const float* r, const float* open, int nc, int from, int to, float* out) {
  for (int I = from; I < to; ++I) {
    const int west = t.x.below(I), east = t.x.above(I), first = t.x.first[I], last = t.x.first[I + 1] - 1;
    const int from_west = t.x.first[west + 1] - 1, from_east = t.x.first[east];
    const float* w = t.x.weight;
    const bool pair = last > first;
    if (open[I] > 0) out[I - from] += w[from_west] * r[from_west] - (pair ? w[first] * r[first] : 0);
    if (open[I + 1 < nc ? I + 1 : 0] > 0) out[I - from] += w[from_east] * r[from_east] - (pair ? w[last] * r[last] : 0);
  }
}

// Coarse row (J, K) of g = P^T r: its own fine rows, and the adjacent ones of its neighbours.
void restrict_row(const LevelView& F, const float* r, const LevelView& C, const TransferView& t, int J, int K) {
  const int row = C.cells.index(0, J, K), nc = C.cells.nx;
  const int j0 = t.y.first[J], j1 = t.y.first[J + 1], k0 = t.z.first[K], k1 = t.z.first[K + 1];
  float sums[chunk], total[chunk];
  for (int from = 0; from < nc; from += chunk) {
    const int to = std::min(from + chunk, nc), n = to - from;
    std::fill(total, total + n, 0.0f);
    for (int k = k0; k < k1; ++k)
      for (int j = j0; j < j1; ++j) {
        const float* fine = r + F.cells.index(0, j, k);
        const Sides s = sides(C, t, j, k);
        sum_children(t, fine, from, to, sums);
#pragma omp simd
        for (int m = 0; m < n; ++m)
          total[m] += sums[m] * (1 - (s.open_y[from + m] > 0 ? s.wy : 0.0f) - (s.open_z[from + m] > 0 ? s.wz : 0.0f));
        exchange_along_x(t, fine, C.ax + row, nc, from, to, total);
      }
    const auto take = [&](int j, int k, float w, const float* open) {
      if (w == 0) return;
      sum_children(t, r + F.cells.index(0, j, k), from, to, sums);
#pragma omp simd
      for (int m = 0; m < n; ++m) total[m] += open[from + m] > 0 ? w * sums[m] : 0.0f;
    };
    for (int side = 0; side < 2; ++side) {
      const int j = side ? t.y.first[t.y.above(J)] : t.y.first[t.y.below(J) + 1] - 1;
      const int k = side ? t.z.first[t.z.above(K)] : t.z.first[t.z.below(K) + 1] - 1;
      const float* open_y = C.ay + (side ? C.cells.index(0, t.y.above(J), K) : row);
      const float* open_z = C.az + (side ? C.cells.index(0, J, t.z.above(K)) : row);
      for (int kk = k0; kk < k1; ++kk) take(j, kk, t.y.weight[j], open_y);
      for (int jj = j0; jj < j1; ++jj) take(jj, k, t.z.weight[k], open_z);
    }
    std::copy(total, total + n, C.g + row + from);
  }
}

PassSweep sweep(const LevelView& L) { return PassSweep(L.cells, L.wraps[1] || L.wraps[2], bytes_per_cell); }

}  // namespace

template <class Space>
void descend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
             const Ends& ends) {
  const int n = static_cast<int>(steps.size());
  sweep(L)(n + 1, [&](int p, int j, int k) {
    const float *from = p % 2 ? L.u : L.v, omega = p < n ? static_cast<float>(steps[p]) : 0;
    float* to = p % 2 ? L.v : L.u;
    if (p == 0)
      first_step(L, ends, omega, j, k);
    else if (p < n)
      step(L, ends, from, to, omega, j, k);
    else
      residual(L, ends, from, to, j, k);
  });
  const float* r = residual_of_descent(L, steps.size());
  const int rows = coarse.cells.ny * coarse.cells.nz;
#pragma omp parallel for schedule(static) if (L.cells.count() > parallel_grain)
  for (int q = 0; q < rows; ++q) restrict_row(L, r, coarse, t, q % coarse.cells.ny, q / coarse.cells.ny);
}

template <class Space>
double ascend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
              const Ends& ends, bool dot) {
  const int n = static_cast<int>(steps.size()), rows = L.cells.ny * L.cells.nz;
  double* part = dot ? detail::reduction_scratch(rows) : nullptr;
  sweep(L)(n + 1, [&](int p, int j, int k) {
    if (p == 0) return prolong(L, after_descent(L, steps.size()), coarse, t, j, k);
    const int q = n + p - 1;  // continues the count of the descent
    step(L, ends, q % 2 ? L.u : L.v, q % 2 ? L.v : L.u, static_cast<float>(steps[p - 1]), j, k);
    if (p < n || !ends.z) return;
    const double row_dot = store(L, ends, j, k);
    if (dot) part[k * L.cells.ny + j] = row_dot;
  });
  return dot ? detail::tree_sum(part, rows) : 0;
}

template void descend<Host>(const LevelView&, const LevelView&, const TransferView&, std::span<const double>,
                            const Ends&);
template double ascend<Host>(const LevelView&, const LevelView&, const TransferView&, std::span<const double>,
                             const Ends&, bool);

}  // namespace weir::banded_multigrid
