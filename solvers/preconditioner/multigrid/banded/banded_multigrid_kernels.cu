// One thread per cell; every value is gathered in a fixed order: runs repeat bit for bit. Bytes per cell of the finest
// level and cycle of n steps each way: about 32 per step and 56 at the ends.
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_kernels.hpp"

#include "solvers/device/array.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir::banded_multigrid {

template <class Space>
double largest_diagonal(const BandedView& A) {
  const double* diagonal = A.bands.slot_blocks(slot::delta);
  return max_abs<Space>(A.bands.cells.count(), [=] WEIR_HD(int c) { return diagonal[c]; });
}

template <class Space>
void largest_couplings(const BandedView& A, int d, double* largest) {
  const Extents e = A.bands.cells;
  const int size[3] = {e.nx, e.ny, e.nz}, stride[3] = {1, e.nx, e.nx * e.ny}, a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
  const int n = size[d], along = stride[d], na = size[a], nb = size[b], sa = stride[a], sb = stride[b];
  const double* band = A.bands.slot_blocks(slot::delta + 1 + d);
  Array<double, Space> of_lines(std::int64_t{n} * na);  // along b; threads are contiguous in x
  double* const line = of_lines.data();
  for_each<Space>(Extents{d == 0 ? n : na, d == 0 ? na : n, 1}, [=] WEIR_HD(int x, int y, int) {
    const int i = d == 0 ? x : y, p = d == 0 ? y : x;
    double m = 0;
    for (int q = 0; q < nb; ++q) {
      const double v = -band[i * along + p * sa + q * sb];
      m = v > m ? v : m;
    }
    line[p * n + i] = m;
  });
  for_each<Space>(n, [=] WEIR_HD(int i) {
    double m = 0;
    for (int p = 0; p < na; ++p) m = line[p * n + i] > m ? line[p * n + i] : m;
    largest[i] = m;
  });
}

// Positive off-diagonal entries are no couplings and are left to the diagonal.
WEIR_HD inline double coupling_of(bool is_there, const double* band, double scale, int c) {
  const double a = is_there ? -scale * band[c] : 0;
  return a > 0 ? a : 0;
}

template <class Space>
void load_bands(const BandedView& A, const int* slots, double scale, const LevelView& L) {
  const BlockStencilView& S = A.bands;
  const double *W = S.slot_blocks(slots[0]), *E = S.slot_blocks(6 - slots[0]), *S_ = S.slot_blocks(slots[1]),
               *N = S.slot_blocks(6 - slots[1]), *B = S.slot_blocks(slots[2]), *T = S.slot_blocks(6 - slots[2]),
               *D = S.slot_blocks(slot::delta);
  for_each<Space>(L.cells, [=] WEIR_HD(int i, int j, int k) {
    const Extents e = L.cells;
    const int c = e.index(i, j, k);
    const double x = coupling_of(i > 0 || L.wraps[0], W, scale, c), y = coupling_of(j > 0 || L.wraps[1], S_, scale, c),
                 z = coupling_of(k > 0 || L.wraps[2], B, scale, c);
    const double sum =
        ((x + y) + z) +
        ((coupling_of(i + 1 < e.nx || L.wraps[0], E, scale, c) + coupling_of(j + 1 < e.ny || L.wraps[1], N, scale, c)) +
         coupling_of(k + 1 < e.nz || L.wraps[2], T, scale, c));
    const double d = scale * D[c], excess = d - sum, inverse = 1 / d;
    const bool alone = !(sum > 0);
    L.ax[c] = static_cast<float>(x);
    L.ay[c] = static_cast<float>(y);
    L.az[c] = static_cast<float>(z);
    L.inverse[c] = static_cast<float>(!alone ? inverse : d > 0 ? -inverse : d < 0 ? inverse : 0.0);
    L.excess[c] = alone || !(excess > 1e-13 * d) ? 0 : static_cast<float>(excess);  // smaller values are rounding
  });
}

namespace {

// Excess of a fine cell on the coarse level: if it stems from a Dirichlet end, the distance to the end grows.
WEIR_HD inline float moved_excess(const LevelView& F, const TransferView& t, int i, int j, int k) {
  const float wx = t.x.end_weight[i], wy = t.y.end_weight[j], wz = t.z.end_weight[k], w = wx + wy + wz;
  const float e = F.excess[F.cells.index(i, j, k)];
  return w > 0 ? e * (wx * t.x.end_ratio[i] + wy * t.y.end_ratio[j] + wz * t.z.end_ratio[k]) / w : e;
}

}  // namespace

template <class Space>
void coarsen(const LevelView& F, const LevelView& C, const TransferView& t) {
  for_each<Space>(C.cells, [=] WEIR_HD(int I, int J, int K) {
    const int i0 = t.x.first[I], j0 = t.y.first[J], k0 = t.z.first[K];
    const int i1 = t.x.first[I + 1], j1 = t.y.first[J + 1], k1 = t.z.first[K + 1], at = C.cells.index(I, J, K);
    float x = 0, y = 0, z = 0, excess = 0;
    for (int k = k0; k < k1; ++k)
      for (int j = j0; j < j1; ++j) x += F.ax[F.cells.index(i0, j, k)];
    for (int k = k0; k < k1; ++k)
      for (int i = i0; i < i1; ++i) y += F.ay[F.cells.index(i, j0, k)];
    for (int j = j0; j < j1; ++j)
      for (int i = i0; i < i1; ++i) z += F.az[F.cells.index(i, j, k0)];
    for (int k = k0; k < k1; ++k)
      for (int j = j0; j < j1; ++j)
        for (int i = i0; i < i1; ++i) excess += moved_excess(F, t, i, j, k);
    C.ax[at] = C.wraps[0] || I > 0 ? x * t.x.ratio[I] : 0;
    C.ay[at] = C.wraps[1] || J > 0 ? y * t.y.ratio[J] : 0;
    C.az[at] = C.wraps[2] || K > 0 ? z * t.z.ratio[K] : 0;
    C.excess[at] = excess;
  });
  for_each<Space>(C.cells, [=] WEIR_HD(int I, int J, int K) {
    const Around a = around(C.cells, I, J, K);
    const float sum = (C.ax[a.c] + C.ax[a.east]) + (C.ay[a.c] + C.ay[a.north]) + (C.az[a.c] + C.az[a.above]);
    const float d = sum + C.excess[a.c];
    C.inverse[a.c] = d > 0 ? 1 / d : 0;
  });
}

template <class Space>
void solve_coarsest(const LevelView& L, const double* inverse, const Ends& ends) {
  const int n = L.cells.count();
  const Ends e = ends;
  for_each<Space>(n, [=] WEIR_HD(int c) {
    double s = 0;
    for (int q = 0; q < n; ++q) s += inverse[c * n + q] * static_cast<double>(right_hand_side(L, e, q));
    L.v[c] = static_cast<float>(s);
    if (e.z) e.z[c] = e.solution(c, s, L.inverse[c]);
  });
}

namespace {

// w = u + omega (D^-1 (g + sum a u) - u); rows without couplings stay 0.
void step(const LevelView& L, const Ends& ends, const float* u, float* w, float omega) {
  const Ends e = ends;
  for_each<Device>(L.cells, [=] WEIR_HD(int i, int j, int k) {
    const Around a = around(L.cells, i, j, k);
    w[a.c] = u[a.c] + omega * (L.inverse[a.c] * (right_hand_side(L, e, a.c) + neighbours(L, u, a)) - u[a.c]);
  });
}

void first_step(const LevelView& L, const Ends& ends, float omega) {
  const Ends e = ends;
  for_each<Device>(L.cells.count(), [=] WEIR_HD(int c) { L.u[c] = omega * L.inverse[c] * right_hand_side(L, e, c); });
}

void residual(const LevelView& L, const Ends& ends, const float* u, float* w) {
  const Ends e = ends;
  for_each<Device>(L.cells, [=] WEIR_HD(int i, int j, int k) {
    const Around a = around(L.cells, i, j, k);
    w[a.c] = right_hand_side(L, e, a.c) + neighbours(L, u, a) - diagonal_times(u[a.c], L.inverse[a.c]);
  });
}

// Transpose of `interpolated`: the children of the coarse cell, and the adjacent ones of its neighbours.
void restrict_residual(const LevelView& F, const float* r, const LevelView& C, const TransferView& t) {
  for_each<Device>(C.cells, [=] WEIR_HD(int I, int J, int K) {
    const Around a = around(C.cells, I, J, K);
    const bool open_x[2] = {C.ax[a.c] > 0, C.ax[a.east] > 0}, open_y[2] = {C.ay[a.c] > 0, C.ay[a.north] > 0},
               open_z[2] = {C.az[a.c] > 0, C.az[a.above] > 0};
    const int i0 = t.x.first[I], i1 = t.x.first[I + 1], j0 = t.y.first[J], j1 = t.y.first[J + 1], k0 = t.z.first[K],
              k1 = t.z.first[K + 1];
    float sum = 0;
    for (int k = k0; k < k1; ++k)
      for (int j = j0; j < j1; ++j)
        for (int i = i0; i < i1; ++i) {
          const float kept = 1 - (open_x[i > i0] ? t.x.weight[i] : 0) - (open_y[j > j0] ? t.y.weight[j] : 0) -
                             (open_z[k > k0] ? t.z.weight[k] : 0);
          sum += kept * r[F.cells.index(i, j, k)];
        }
    for (int side = 0; side < 2; ++side) {
      const int i = side ? t.x.first[t.x.above(I)] : t.x.first[t.x.below(I) + 1] - 1;
      const int j = side ? t.y.first[t.y.above(J)] : t.y.first[t.y.below(J) + 1] - 1;
      const int k = side ? t.z.first[t.z.above(K)] : t.z.first[t.z.below(K) + 1] - 1;
      float x = 0, y = 0, z = 0;
      for (int kk = k0; kk < k1; ++kk)
        for (int jj = j0; jj < j1; ++jj) x += r[F.cells.index(i, jj, kk)];
      for (int kk = k0; kk < k1; ++kk)
        for (int ii = i0; ii < i1; ++ii) y += r[F.cells.index(ii, j, kk)];
      for (int jj = j0; jj < j1; ++jj)
        for (int ii = i0; ii < i1; ++ii) z += r[F.cells.index(ii, jj, k)];
      sum += (open_x[side] ? t.x.weight[i] * x : 0) + (open_y[side] ? t.y.weight[j] * y : 0) +
             (open_z[side] ? t.z.weight[k] * z : 0);
    }
    C.g[a.c] = sum;
  });
}

void prolong(const LevelView& F, float* u, const LevelView& C, const TransferView& t) {
  for_each<Device>(F.cells, [=] WEIR_HD(int i, int j, int k) {
    const int c = F.cells.index(i, j, k);
    if (F.inverse[c] > 0) u[c] += interpolated(C, t, C.v, i, j, k);
  });
}

double store(const LevelView& L, const Ends& ends, bool dot) {
  const Ends e = ends;
  const int n = L.cells.count();
  if (dot)
    return sum<Device>(n, [=] WEIR_HD(int c) {
      const double z = e.solution(c, static_cast<double>(L.v[c]), L.inverse[c]);
      e.z[c] = z;
      return z * e.r[c];
    });
  for_each<Device>(n, [=] WEIR_HD(int c) { e.z[c] = e.solution(c, static_cast<double>(L.v[c]), L.inverse[c]); });
  return 0;
}

}  // namespace

template <class Space>
void descend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
             const Ends& ends) {
  const std::size_t n = steps.size();
  first_step(L, ends, static_cast<float>(steps[0]));
  for (std::size_t p = 1; p < n; ++p) step(L, ends, p % 2 ? L.u : L.v, p % 2 ? L.v : L.u, static_cast<float>(steps[p]));
  residual(L, ends, after_descent(L, n), residual_of_descent(L, n));
  restrict_residual(L, residual_of_descent(L, n), coarse, t);
}

template <class Space>
double ascend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
              const Ends& ends, bool dot) {
  const std::size_t n = steps.size();
  prolong(L, after_descent(L, n), coarse, t);
  for (std::size_t p = n; p < 2 * n; ++p)
    step(L, ends, p % 2 ? L.u : L.v, p % 2 ? L.v : L.u, static_cast<float>(steps[p - n]));
  return ends.z ? store(L, ends, dot) : 0;
}

template void descend<Device>(const LevelView&, const LevelView&, const TransferView&, std::span<const double>,
                              const Ends&);
template double ascend<Device>(const LevelView&, const LevelView&, const TransferView&, std::span<const double>,
                               const Ends&, bool);
template void load_bands<Host>(const BandedView&, const int*, double, const LevelView&);
template void load_bands<Device>(const BandedView&, const int*, double, const LevelView&);
template double largest_diagonal<Host>(const BandedView&);
template double largest_diagonal<Device>(const BandedView&);
template void largest_couplings<Host>(const BandedView&, int, double*);
template void largest_couplings<Device>(const BandedView&, int, double*);
template void coarsen<Host>(const LevelView&, const LevelView&, const TransferView&);
template void coarsen<Device>(const LevelView&, const LevelView&, const TransferView&);
template void solve_coarsest<Host>(const LevelView&, const double*, const Ends&);
template void solve_coarsest<Device>(const LevelView&, const double*, const Ends&);

}  // namespace weir::banded_multigrid
