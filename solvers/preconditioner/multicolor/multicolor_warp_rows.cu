// Device sweeps for n = 4, 5, 6: one warp per block row, no barrier, no shared memory. The blocks of a row are read as
// one stream: lane l reads every (32 / n) n-th value from l on, which are values of row l % n of the blocks, several at
// a time. Lanes of a row are summed in one fixed order, and D is substituted in registers (method and other n:
// multicolor_device.cu).
//   bytes: each block of O once (4 n^2 in float), D once (8 n^2), b, x, a column per block.   Runs repeat bit for bit.
#include <algorithm>

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"

namespace weir::multicolor::device {
namespace {

constexpr int rows_of_block = 8;  // and as many warps
constexpr int blocks_of_sm = 4;   // 64 registers per thread; the compiler would choose 48 and spill

// What this lane reads of O_i x. Blocks of earlier colours are stored first. A lane reads every (32 / n)-th column from
// lane / n on, the value in row lane % n of each. After n columns, read at once, 32 / n blocks are done and the lane is
// at the same column of a block again. Lanes beyond (32 / n) n read what lane 0 reads; their sum is not used.
//
// Offsets within a row and within x are 32-bit: D alone would fill a device long before they overflow.
template <int n, class T>
struct ShareOfRow {
  static constexpr int step = 32 / n;  // blocks a round
  const T *early, *late;               // block b starts at b n^2 of the first, or from `earlier` on of the second
  const int *early_column, *late_column;
  const double* x;
  int earlier, blocks;
  int block[n], column[n];  // of the values read at once: which block of the round, which column of it

  __device__ ShareOfRow(const MulticolorView<T>& m, int p, bool first, int lane, const double* vector) : x(vector) {
    const std::int64_t from = m.start[p], later = m.later[p];
    earlier = static_cast<int>(m.start[p + 1] - from);
    blocks = first ? earlier : earlier + static_cast<int>(m.later[p + 1] - later);
    early = m.off + from * (n * n) + lane % n;
    late = m.off + (later - earlier) * (n * n) + lane % n;
    early_column = m.column + from;
    late_column = m.column + (later - earlier);
    int c = lane < step * n ? lane / n : 0, b = 0;
    if (step > n && c >= n) c -= n, ++b;
    for (int q = 0; q < n; ++q) {
      block[q] = b;
      column[q] = c;
      c += step % n;
      b += step / n;
      if (c >= n) c -= n, ++b;
    }
  }

  // One round from block `from` on, without branches between the reads. tail: beyond the end of the row the last block
  // is read and not added.
  template <bool tail>
  __device__ double add(int from, double f) const {
    double O[n], xj[n];
    for (int q = 0; q < n; ++q) {
      const int wanted = from + block[q], b = tail ? std::min(wanted, blocks - 1) : wanted;
      const bool is_early = b < earlier;
      O[q] = static_cast<double>((is_early ? early : late)[b * (n * n) + column[q] * n]);
      xj[q] = x[static_cast<unsigned>((is_early ? early_column : late_column)[b] * n + column[q])];
    }
    for (int q = 0; q < n; ++q) f = !tail || from + block[q] < blocks ? f + O[q] * xj[q] : f;
    return f;
  }

  __device__ double sum() const {
    int from = 0;
    double f = 0;
    for (; from + step <= blocks; from += step) f = add<false>(from, f);
    return from < blocks ? add<true>(from, f) : f;
  }
};

// x_i = D_i^-1 (b_i - O_i x) by one warp; every lane has row lane % n.
template <int n, class T>
__device__ void update_row(const MulticolorView<T>& m, int p, bool first, const double* b, double* x) {
  constexpr int nn = n * n;
  const int lane = static_cast<int>(threadIdx.x), u = lane % n;
  const std::int64_t row = std::int64_t{m.row[p]} * n;
  const double scale = m.scale ? m.scale[p] : 1;
  double d[n];
  for (int j = 0; j < n; ++j) d[j] = m.diagonal[p * std::int64_t{nn} + j * n + u];
  const double share = ShareOfRow<n, T>(m, p, first, lane, x).sum();
  double sum = 0;
  for (int h = 0; h < 32 / n; ++h) sum += __shfl_sync(full_warp, share, h * n + u);
  double f = b[row + u] - scale * sum;
  for (int j = 0; j < n - 1; ++j) {
    const double fj = __shfl_sync(full_warp, f, j), reduced = f - d[j] * fj;
    f = u > j ? reduced : f;
  }
  for (int j = n - 1; j >= 0; --j) {
    const double solved = f * d[j];
    f = u == j ? solved : f;
    const double fj = __shfl_sync(full_warp, f, j), reduced = f - d[j] * fj;
    f = u < j ? reduced : f;
  }
  if (lane < n) x[row + u] = f;
}

template <int n, class T>
__global__ void __launch_bounds__(32 * rows_of_block, blocks_of_sm)
    colour_by_warps(MulticolorView<T> m, ColourPass pass, const double* b, double* x) {
  const int p = pass.from + static_cast<int>(blockIdx.x * rows_of_block + threadIdx.y);
  if (p < pass.to) update_row<n>(m, p, pass.first, b, x);  // a whole warp
}

template <int n, class T>
__global__ void __launch_bounds__(32 * rows_of_block, blocks_of_sm)
    small_colours_by_warps(MulticolorView<T> m, Tail tail, const double* b, double* x) {
  for (int k = 0; k < tail.count; ++k) {
    const ColourPass pass = tail.pass[k];
    for (int p = pass.from + static_cast<int>(threadIdx.y); p < pass.to; p += rows_of_block)
      update_row<n>(m, p, pass.first, b, x);
    __syncthreads();
  }
}

template <int n, class T>
void run_exact(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x) {
  LaunchConfig config{.grid = 1, .block = dim3(32, rows_of_block), .name = "multicolor colour"};
  for_passes(
      passes,
      [&](const Tail& tail) {
        config.grid = 1;
        launch(config, small_colours_by_warps<n, T>, m, tail, b, x);
      },
      [&](const ColourPass& pass) {
        config.grid = static_cast<unsigned>((pass.to - pass.from + rows_of_block - 1) / rows_of_block);
        launch(config, colour_by_warps<n, T>, m, pass, b, x);
      });
}

}  // namespace

template <class T>
bool run_by_warps(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x) {
  switch (m.n) {
    case 4:
      return run_exact<4>(m, passes, b, x), true;
    case 5:
      return run_exact<5>(m, passes, b, x), true;
    case 6:
      return run_exact<6>(m, passes, b, x), true;
    default:
      return false;
  }
}

template bool run_by_warps(const MulticolorView<double>&, const std::vector<ColourPass>&, const double*, double*);
template bool run_by_warps(const MulticolorView<float>&, const std::vector<ColourPass>&, const double*, double*);
template bool run_by_warps(const MulticolorView<Bfloat16>&, const std::vector<ColourPass>&, const double*, double*);

}  // namespace weir::multicolor::device
