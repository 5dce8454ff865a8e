// Products of large block stencil matrices on the device, n = 2 .. 8: a lane keeps one place of a block, or two where blocks have more than
// 32 values, and goes through the slots, so that a read of the warp is a stretch of a slot; as many cells as fit lie side by side. The
// lanes of a row are added up in one fixed order: runs repeat bit for bit.
//   bytes: 7 n^2 values a cell; x, base and out stay in the caches
#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir::block_stencil_products {
namespace {

constexpr int threads = 256;

// How lanes lie over blocks of N x N values, column by column: lane l has row l % N of the columns l / N, l / N + columns.
template <int N>
struct Lanes {
  static constexpr int parts = N * N <= 32 ? 1 : 2;
  static constexpr int columns = (N + parts - 1) / parts, of_cell = columns * N, cells = 32 / of_cell;
};

template <int N>
__global__ void __launch_bounds__(threads)
    multiply_cells(BlockStencilView A, const double* base, double factor, const double* x, double* out) {
  using L = Lanes<N>;
  constexpr int slots = 7;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, mine = lane / L::of_cell;
  const int warp = static_cast<int>(blockIdx.x) * (threads / 32) + thread / 32, cells = A.cells.count();
  const int wanted = warp * L::cells + (mine < L::cells ? mine : 0), cell = wanted < cells ? wanted : cells - 1;
  const int u = lane % N, c = lane % L::of_cell / N;
  double a[slots][L::parts], xv[slots][L::parts];
  for (int t = 0; t < slots; ++t) {  // without a branch: what is not there is read of the cell itself and not added
    const bool is_slot = t >= A.first && t < A.first + A.slots;
    const int to = is_slot ? A.neighbour(cell, t) : -1;
    for (int p = 0; p < L::parts; ++p) {
      const int column = c + p * L::columns, v = column < N ? column : N - 1;
      const double read = A.block(cell, to < 0 ? slot::delta : t)[v * N + u];
      const double at = x[std::int64_t{to < 0 ? cell : to} * N + v];
      const bool counts = to >= 0 && column < N;
      a[t][p] = counts ? read : 0;
      xv[t][p] = counts ? at : 0;
    }
  }
  double sum = 0;
  for (int t = 0; t < slots; ++t)
    for (int p = 0; p < L::parts; ++p) sum += a[t][p] * xv[t][p];
  double s = 0;
  for (int k = 0; k < L::columns; ++k) s += __shfl_sync(full_warp, sum, lane - lane % L::of_cell + k * N + u);
  if (c != 0 || mine >= L::cells || wanted >= cells) return;
  const std::int64_t at = std::int64_t{cell} * N + u;
  out[at] = (base ? base[at] : 0.0) + factor * s;
}

template <int N>
void multiply(const BlockStencilView& A, const double* base, double factor, const double* x, double* out) {
  constexpr int of_block = threads / 32 * Lanes<N>::cells;
  launch({.grid = static_cast<unsigned>((A.cells.count() + of_block - 1) / of_block),
          .block = threads,
          .name = "block stencil product"},
         multiply_cells<N>, A, base, factor, x, out);
}

}  // namespace

bool product_by_warps(const BlockStencilView& A, const double* base, double factor, const double* x, double* out) {
  switch (A.n) {
    case 2:
      return multiply<2>(A, base, factor, x, out), true;
    case 3:
      return multiply<3>(A, base, factor, x, out), true;
    case 4:
      return multiply<4>(A, base, factor, x, out), true;
    case 5:
      return multiply<5>(A, base, factor, x, out), true;
    case 6:
      return multiply<6>(A, base, factor, x, out), true;
    case 7:
      return multiply<7>(A, base, factor, x, out), true;
    case 8:
      return multiply<8>(A, base, factor, x, out), true;
    default:
      return false;
  }
}

}  // namespace weir::block_stencil_products
