// Device sweeps. W warps share a block row; each takes 32 / n blocks of O at a time, so that a warp reads whole blocks
// column by column (n > 32: one block, two rows per lane). Partial sums meet in shared memory in a fixed order; the
// first warp substitutes forward and backward with shuffles (Figs. 10 to 13 of Zubair et al. 2016, with the row guard
// that Figs. 11 and 12 omit).
//   bytes: each block of O once (4 n^2 in float), D once (8 n^2), b, x.   Runs repeat bit for bit.
#include <algorithm>
#include <limits>

#include "solvers/device/block.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"

namespace weir::multicolor {
namespace {

// Host: values of A into the order of the colours, and the first row that is not finite. Device: take_rows.

// The largest entry of the blocks of a row, by which stored blocks are divided; 1 for an empty row.
template <class T>
WEIR_HD double row_scale(const MulticolorView<T>& m, const double* value, int p) {
  const std::int64_t nn = std::int64_t{m.n} * m.n;
  double largest = 0;
  for (int part = 0; part < 2; ++part) {
    const std::int64_t* range = part == 0 ? m.start : m.later;
    for (std::int64_t e = range[p]; e < range[p + 1]; ++e)
      for (std::int64_t k = 0; k < nn; ++k) {
        const double a = value[m.source[e] * nn + k], size = a < 0 ? -a : a;
        largest = size > largest ? size : largest;
      }
  }
  return largest > 0 ? largest : 1;
}

template <class T>
void copy_off_diagonals(const MulticolorView<T>& m, const double* value) {
  for_each<Host>(m.rows, [=] WEIR_HD(int p) {
    const int n = m.n;
    const std::int64_t nn = std::int64_t{n} * n;
    double inverse = 1;
    if (m.scale) {
      m.scale[p] = row_scale(m, value, p);
      inverse = 1 / m.scale[p];
    }
    for (int part = 0; part < 2; ++part) {
      const std::int64_t* range = part == 0 ? m.start : m.later;
      for (std::int64_t e = range[p]; e < range[p + 1]; ++e) {
        const double* from = value + m.source[e] * nn;
        T* to = m.off + e * nn;
        for (int v = 0; v < n; ++v)
          for (int u = 0; u < n; ++u) to[v * n + u] = static_cast<T>(from[u * n + v] * inverse);
      }
    }
  });
}

template <class T>
void copy_diagonals(const MulticolorView<T>& m, const BlockCsrView& A) {
  for_each<Host>(m.rows, [=] WEIR_HD(int p) {
    const int n = m.n;
    const std::int64_t nn = std::int64_t{n} * n;
    const double* from = A.value.data() + A.diagonal[m.row[p]] * nn;
    double* to = m.diagonal + p * nn;
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) to[v * n + u] = from[u * n + v];
  });
}

// The smallest row whose D or O is not finite once D is factorised, or rows.
template <class T>
int first_bad_row(const MulticolorView<T>& m) {
  const double last = max_abs<Host>(m.rows, [=] WEIR_HD(int p) {
    const std::int64_t nn = std::int64_t{m.n} * m.n;
    double sum = 0;
    for (std::int64_t k = p * nn; k < (p + 1) * nn; ++k) sum += 0 * m.diagonal[k];
    for (int part = 0; part < 2; ++part) {
      const std::int64_t* range = part == 0 ? m.start : m.later;
      for (std::int64_t k = range[p] * nn; k < range[p + 1] * nn; ++k) sum += 0 * static_cast<double>(m.off[k]);
    }
    return sum == 0 ? 0.0 : static_cast<double>(m.rows - m.row[p]);
  });
  return m.rows - static_cast<int>(last);
}

// Table I of the paper gives warps per row for the K40; here lanes beyond n take further blocks, and warps are added
// where the blocks of a row (about 14 neighbours) fill them.
int warps_per_row(int n) { return n <= 4 ? 1 : n <= 8 ? 2 : 4; }

}  // namespace

namespace device {
namespace {

constexpr int most_threads = 256;

struct Lane {
  int lane, warp, warps, together, u, h;  // together: blocks a warp takes at a time
  __device__ Lane(int n)
      : lane(static_cast<int>(threadIdx.x)),
        warp(static_cast<int>(threadIdx.y)),
        warps(static_cast<int>(blockDim.y)),
        together(n < 32 ? 32 / n : 1),
        u(n < 32 ? lane % n : lane),
        h(n < 32 ? lane / n : 0) {}
};

// Row u (and u + 32) of the part of O_i x that this thread's blocks give, into shared memory.
template <class T>
__device__ void partial_products(const MulticolorView<T>& m, const Lane& me, int p, bool first, const double* x,
                                 double* part) {
  const int n = m.n;
  const std::int64_t nn = std::int64_t{n} * n, earlier = m.start[p + 1] - m.start[p];
  const std::int64_t count = first ? earlier : earlier + m.later[p + 1] - m.later[p];
  if (me.h >= me.together) return;
  for (int u = me.u; u < n; u += 32) {
    double f = 0;
    for (std::int64_t k = me.warp * me.together + me.h; k < count; k += me.warps * me.together) {
      const std::int64_t e = k < earlier ? m.start[p] + k : m.later[p] + k - earlier;
      const T* O = m.off + e * nn + u;
      const double* xj = x + std::int64_t{m.column[e]} * n;
      for (int v = 0; v < n; ++v) f += static_cast<double>(O[v * n]) * xj[v];
    }
    part[(me.warp * me.together + me.h) * n + u] = f;
  }
}

// f: rows lane and lane + 32 of the right-hand side in, of the solution out. All lanes of the warp take part.
__device__ inline void substitute(const double* D, int n, int lane, double* f) {
  const auto entry = [&](int row, int column) { return row < n ? D[column * n + row] : 0.0; };
  double ahead[2] = {entry(lane, 0), entry(lane + 32, 0)};
  for (int j = 0; j < n - 1; ++j) {
    const double fj = __shfl_sync(full_warp, j < 32 ? f[0] : f[1], j % 32);
    const double d0 = ahead[0], d1 = ahead[1];
    ahead[0] = entry(lane, j + 1);
    ahead[1] = entry(lane + 32, j + 1);
    if (lane > j) f[0] -= d0 * fj;
    if (lane + 32 > j) f[1] -= d1 * fj;
  }
  for (int j = n - 1; j >= 0; --j) {  // `ahead` holds column j
    if (lane == j % 32) f[j / 32] *= ahead[j / 32];
    const double fj = __shfl_sync(full_warp, j < 32 ? f[0] : f[1], j % 32);
    const double d0 = ahead[0], d1 = ahead[1];
    if (j > 0) {
      ahead[0] = entry(lane, j - 1);
      ahead[1] = entry(lane + 32, j - 1);
    }
    if (lane < j) f[0] -= d0 * fj;
    if (lane + 32 < j) f[1] -= d1 * fj;
  }
}

// x_i = D_i^-1 (b_i - O_i x); called by every thread of the workgroup, with p < 0 by those without a row.
template <class T>
__device__ void update_row(const MulticolorView<T>& m, int p, bool first, const double* b, double* x, double* part) {
  const Lane me(m.n);
  const int n = m.n;
  if (p >= 0) partial_products(m, me, p, first, x, part);
  __syncthreads();
  if (p >= 0 && me.warp == 0) {
    const std::int64_t row = std::int64_t{m.row[p]} * n;
    const double scale = m.scale ? m.scale[p] : 1;
    double f[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
      const int u = me.lane + 32 * i;
      if (u >= n) continue;
      for (int k = 0; k < me.warps * me.together; ++k) f[i] += part[k * n + u];
      f[i] = b[row + u] - scale * f[i];
    }
    substitute(m.diagonal + p * std::int64_t{n} * n, n, me.lane, f);
    for (int i = 0; i < 2; ++i)
      if (me.lane + 32 * i < n) x[row + me.lane + 32 * i] = f[i];
  }
  __syncthreads();
}

__device__ inline double* own_part(double* shared, int n) {
  const int together = n < 32 ? 32 / n : 1;
  return shared + static_cast<int>(threadIdx.z * blockDim.y) * together * n;
}

// One colour: a workgroup takes blockDim.z rows.
template <class T>
__global__ void colour_rows(MulticolorView<T> m, ColourPass pass, const double* b, double* x) {
  WEIR_DYNAMIC_SHARED(double, shared);
  const int p = pass.from + static_cast<int>(blockIdx.x * blockDim.z + threadIdx.z);
  update_row(m, p < pass.to ? p : -1, pass.first, b, x, own_part(shared, m.n));
}

template <class T>
__global__ void small_colours(MulticolorView<T> m, Tail tail, const double* b, double* x) {
  WEIR_DYNAMIC_SHARED(double, shared);
  for (int k = 0; k < tail.count; ++k) {
    const ColourPass pass = tail.pass[k];
    for (int from = pass.from; from < pass.to; from += static_cast<int>(blockDim.z)) {
      const int p = from + static_cast<int>(threadIdx.z);
      update_row(m, p < pass.to ? p : -1, pass.first, b, x, own_part(shared, m.n));
    }
  }
}

// LU of a block without pivoting by one warp: L below the diagonal, pivots inverted. A lane updates the rows whose
// entry of column k it has scaled itself; row k is complete since the step before.
__device__ inline void factorise_block(int n, double* a, int lane) {
  for (int k = 0; k < n; ++k) {
    const double inverse = 1 / a[k * n + k];
    __syncwarp();
    for (int u = lane; u < n; u += 32)
      if (u >= k) a[k * n + u] = u == k ? inverse : a[k * n + u] * inverse;
    for (int u = lane; u < n; u += 32)
      for (int v = k + 1; v < n && u > k; ++v) a[v * n + u] -= a[k * n + u] * a[v * n + k];
    __syncwarp();
  }
}

__device__ inline double largest_of_warp(double v) {
  for (int d = 16; d > 0; d /= 2) {
    const double other = __shfl_xor_sync(full_warp, v, d);
    v = other > v ? other : v;
  }
  return v;
}

constexpr int rows_taken = 4;  // of a workgroup, a warp each

// Values of A into the order of the colours, D factorised, by a warp per row; N as in run_by_warps or 0. A row with a
// value that is not finite once stored or factorised is marked by such a value in the first entry of its D.
template <int N, class T>
__global__ void __launch_bounds__(32 * rows_taken) take_rows(MulticolorView<T> m, BlockCsrView A) {
  const int n = N > 0 ? N : m.n, nn = n * n, lane = static_cast<int>(threadIdx.x);
  const int p = static_cast<int>(blockIdx.x * rows_taken + threadIdx.y);
  WEIR_SHARED(double, blocks, [rows_taken][N > 0 ? N * N : 1]);
  if (p >= m.rows) return;  // a whole warp
  const double* value = A.value.data();
  const std::int64_t ranges[2][2] = {{m.start[p], m.start[p + 1]}, {m.later[p], m.later[p + 1]}};
  double scale = 1;
  if (m.scale) {
    double largest = 0;
    for (const auto& range : ranges)
      for (int k = lane; k < static_cast<int>(range[1] - range[0]) * nn; k += 32) {
        const double size = fabs(value[m.source[range[0] + k / nn] * nn + k % nn]);
        largest = size > largest ? size : largest;
      }
    largest = largest_of_warp(largest);
    scale = largest > 0 ? largest : 1;
    if (lane == 0) m.scale[p] = scale;
  }
  const double inverse = 1 / scale;
  double sum = 0;  // not 0: something is not finite
  for (const auto& range : ranges)
    for (int k = lane; k < static_cast<int>(range[1] - range[0]) * nn; k += 32) {
      const int e = k % nn;
      const T stored = static_cast<T>(value[m.source[range[0] + k / nn] * nn + e % n * n + e / n] * inverse);
      m.off[range[0] * nn + k] = stored;
      sum += 0 * static_cast<double>(stored);
    }
  const double* from = value + A.diagonal[m.row[p]] * nn;
  double *to = m.diagonal + std::int64_t{p} * nn, *a = N > 0 ? blocks[threadIdx.y] : to;
  for (int e = lane; e < nn; e += 32) a[e] = from[e % n * n + e / n];
  __syncwarp();
  factorise_block(n, a, lane);
  for (int e = lane; e < nn; e += 32) {
    sum += 0 * a[e];
    if (N > 0) to[e] = a[e];
  }
  const bool is_bad = __any_sync(full_warp, sum != 0);
  if (lane == 0 && is_bad) to[0] = std::numeric_limits<double>::quiet_NaN();
}

// The smallest row that is marked, or rows.
template <class T>
int first_marked_row(const MulticolorView<T>& m) {
  const double last = max_abs<Device>(m.rows, [=] WEIR_HD(int p) {
    const double first = m.diagonal[std::int64_t{p} * m.n * m.n];
    return first - first == 0 ? 0.0 : static_cast<double>(m.rows - m.row[p]);
  });
  return m.rows - static_cast<int>(last);
}

}  // namespace

template <class T>
void run(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x) {
  if (run_by_warps(m, passes, b, x)) return;
  const int W = warps_per_row(m.n), R = std::max(1, most_threads / (32 * W));
  const int together = m.n < 32 ? 32 / m.n : 1;
  LaunchConfig config{.grid = 1,
                      .block = dim3(32, static_cast<unsigned>(W), static_cast<unsigned>(R)),
                      .shared_bytes = static_cast<std::size_t>(R * W * together * m.n) * sizeof(double),
                      .name = "multicolor colour"};
  for_passes(
      passes,
      [&](const Tail& tail) {
        config.grid = 1;
        launch(config, small_colours<T>, m, tail, b, x);
      },
      [&](const ColourPass& pass) {
        config.grid = static_cast<unsigned>((pass.to - pass.from + R - 1) / R);
        launch(config, colour_rows<T>, m, pass, b, x);
      });
}

template <class T>
int factorise(const MulticolorView<T>& m, const BlockCsrView& A) {
  if (m.rows == 0) return 0;
  const LaunchConfig config{.grid = static_cast<unsigned>((m.rows + rows_taken - 1) / rows_taken),
                            .block = dim3(32, rows_taken),
                            .name = "multicolor set-up"};
  switch (m.n) {
    case 4:
      launch(config, take_rows<4, T>, m, A);
      break;
    case 5:
      launch(config, take_rows<5, T>, m, A);
      break;
    case 6:
      launch(config, take_rows<6, T>, m, A);
      break;
    default:
      launch(config, take_rows<0, T>, m, A);
  }
  return first_marked_row(m);
}

template void run(const MulticolorView<double>&, const std::vector<ColourPass>&, const double*, double*);
template void run(const MulticolorView<float>&, const std::vector<ColourPass>&, const double*, double*);
template void run(const MulticolorView<Bfloat16>&, const std::vector<ColourPass>&, const double*, double*);

}  // namespace device

template <class Space, class T>
int factorise(const MulticolorView<T>& m, const BlockCsrView& A) {
  int bad = m.rows;
  if constexpr (std::is_same_v<Space, Host>) {
    copy_off_diagonals(m, A.value.data());
    copy_diagonals(m, A);
    bad = host::invert_diagonals(m.rows, m.n, m.row, m.diagonal);
    bad = std::min(bad, first_bad_row(m));
  } else {
    bad = device::factorise(m, A);
  }
  return bad < m.rows ? bad : -1;
}

template int factorise<Host, double>(const MulticolorView<double>&, const BlockCsrView&);
template int factorise<Host, float>(const MulticolorView<float>&, const BlockCsrView&);
template int factorise<Host, Bfloat16>(const MulticolorView<Bfloat16>&, const BlockCsrView&);
template int factorise<Device, double>(const MulticolorView<double>&, const BlockCsrView&);
template int factorise<Device, float>(const MulticolorView<float>&, const BlockCsrView&);
template int factorise<Device, Bfloat16>(const MulticolorView<Bfloat16>&, const BlockCsrView&);

}  // namespace weir::multicolor
