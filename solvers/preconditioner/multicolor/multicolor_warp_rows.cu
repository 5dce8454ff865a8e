// The sweeps on the device where n is 4, 5 or 6: a warp a block row, no barrier, no shared memory. The blocks of a row are read as one
// stream: lane l takes every (32 / n) n-th value from l on, which are values of row l % n of the blocks, several at a time, so
// that their reads wait together and not for each other. The lanes of a row are added up in one fixed order, and D is substituted
// in registers (multicolor_device.cu has the method and other n).
//   bytes: each block of O once (4 n^2 in float), D once (8 n^2), b, x, a column a block.   Runs repeat bit for bit.
#include <algorithm>

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"

namespace weir::multicolor::device {
namespace {

constexpr int rows_of_block = 8;  // and as many warps
constexpr int tail_rows = 64;     // colours of at most so many rows share a launch
constexpr int at_once = 6;        // values of O that a lane waits for together

// Blocks k = 0 .. count - 1 of a row, earlier colours' first.
struct RowOfBlocks {
  std::int64_t early, late, earlier, count;
  template <class T>
  __device__ RowOfBlocks(const MulticolorView<T>& m, int p, bool first)
      : early(m.start[p]), late(m.later[p]), earlier(m.start[p + 1] - early) {
    count = first ? earlier : earlier + m.later[p + 1] - late;
  }
  __device__ std::int64_t operator[](int k) const { return k < earlier ? early + k : late + k - earlier; }
};

// What this lane reads of O_i x. Without branches between the reads: beyond the row's end the last value is read and not added.
template <int n, class T>
__device__ double share_of_row(const MulticolorView<T>& m, const RowOfBlocks& blocks, int lane, const double* x) {
  constexpr int nn = n * n, lanes = 32 / n * n;
  const int values = static_cast<int>(blocks.count) * nn;
  double f = 0;
  for (int from = 0; from < values; from += at_once * lanes) {
    double O[at_once], xj[at_once];
    for (int q = 0; q < at_once; ++q) {
      const int t = from + q * lanes + lane, at = t < values ? t : values - 1, within = at % nn;
      const std::int64_t e = blocks[at / nn];
      O[q] = static_cast<double>(m.off[e * nn + within]);
      xj[q] = x[std::int64_t{m.column[e]} * n + within / n];
    }
    for (int q = 0; q < at_once; ++q) {
      const double product = O[q] * xj[q];
      f += lane < lanes && from + q * lanes + lane < values ? product : 0;
    }
  }
  return f;
}

// x_i = D_i^-1 (b_i - O_i x) by one warp; every lane has row lane % n.
template <int n, class T>
__device__ void update_row(const MulticolorView<T>& m, int p, bool first, const double* b, double* x) {
  constexpr int nn = n * n;
  const int lane = static_cast<int>(threadIdx.x), u = lane % n;
  const std::int64_t row = std::int64_t{m.row[p]} * n;
  const double scale = m.scale ? m.scale[p] : 1;
  double d[n];
  for (int j = 0; j < n; ++j) d[j] = m.diagonal[p * std::int64_t{nn} + j * n + u];
  const double share = share_of_row<n>(m, RowOfBlocks(m, p, first), lane, x);
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
__global__ void __launch_bounds__(32 * rows_of_block)
    colour_by_warps(MulticolorView<T> m, ColourPass pass, const double* b, double* x) {
  const int p = pass.from + static_cast<int>(blockIdx.x * rows_of_block + threadIdx.y);
  if (p < pass.to) update_row<n>(m, p, pass.first, b, x);  // a whole warp
}

struct Tail {  // consecutive small colours, one after the other
  static constexpr int most = 16;
  ColourPass pass[most];
  int count = 0;
};

template <int n, class T>
__global__ void __launch_bounds__(32 * rows_of_block)
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
  for (std::size_t k = 0; k < passes.size();) {
    Tail tail;
    for (; k < passes.size() && passes[k].to - passes[k].from <= tail_rows && tail.count < Tail::most; ++k)
      tail.pass[tail.count++] = passes[k];
    if (tail.count > 0) {
      config.grid = 1;
      launch(config, small_colours_by_warps<n, T>, m, tail, b, x);
      continue;
    }
    config.grid = static_cast<unsigned>((passes[k].to - passes[k].from + rows_of_block - 1) / rows_of_block);
    launch(config, colour_by_warps<n, T>, m, passes[k], b, x);
    ++k;
  }
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
