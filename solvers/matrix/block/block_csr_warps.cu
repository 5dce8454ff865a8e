// Products of large block CSR matrices on the device: one warp per block row (n = 1, 2: 8 or 16 lanes), whose blocks
// form one stream. Each lane keeps one entry position and steps from block to block, so reads are contiguous. As many
// blocks as fit are read at once; blocks with more than 32 values are read in two parts; for n > 8 each warp of a
// workgroup handles some rows of the block. Several reads are in flight at a time. Lanes are added in a fixed order,
// so results are reproducible bit for bit.
//   bytes: the blocks once, one column per block, row starts, y; x from L2, n contiguous values per block

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::csr_products {
namespace {

constexpr int threads = 256, warps = threads / 32;

// Layout of the lanes of a row over N x N blocks: lane l has column l % N of the rows l / N, l / N + rows, ...
template <int N>
struct Lanes {
  static constexpr int of_row = N == 1 ? 8 : N == 2 ? 16 : 32;
  static constexpr int parts = N * N <= 32 ? 1 : 2;
  static constexpr int rows = (N + parts - 1) / parts;
  static constexpr int blocks = parts == 1 ? of_row / (N * N) : 1;              // read at once
  static constexpr int at_once = N == 1 ? 2 : N == 2 ? 3 : parts == 2 ? 4 : 8;  // reads in flight per lane
};

// Stores b - s or s.
__device__ inline void leave(double s, const double* b, double* y, std::int64_t at) { y[at] = b ? b[at] - s : s; }

// b: null for y = A x, else y = b - A x.
template <int N, class T>
__global__ void __launch_bounds__(threads) multiply_rows(CsrView<T> A, const double* b, const double* x, double* y) {
  using L = Lanes<N>;
  constexpr int nn = N * N, of_block = L::rows * N;
  const int thread = static_cast<int>(threadIdx.x),
            row = static_cast<int>(blockIdx.x) * (threads / L::of_row) + thread / L::of_row;
  const int i = row < A.rows ? row : A.rows - 1, lane = thread % L::of_row, mine = lane / of_block;
  const int r = lane % of_block / N, c = lane % N;
  const bool adds = mine < L::blocks;
  const std::int64_t from = A.row_start[i];
  const int count = static_cast<int>(A.row_start[i + 1] - from);
  double sum[L::parts] = {};
  for (int k0 = 0; k0 < count; k0 += L::at_once * L::blocks) {
    double a[L::at_once][L::parts], xc[L::at_once];
    for (int q = 0; q < L::at_once; ++q) {  // past the end, the last block is read but not added: no branch
      const int k = k0 + q * L::blocks + (adds ? mine : 0);
      const std::int64_t e = from + (k < count ? k : count - 1);
      xc[q] = x[std::int64_t{A.column[e]} * N + c];
      for (int p = 0; p < L::parts; ++p) {
        const int u = r + p * L::rows;
        a[q][p] = static_cast<double>(A.value[e * nn + (u < N ? u : N - 1) * N + c]);
      }
    }
    for (int q = 0; q < L::at_once; ++q)
      for (int p = 0; p < L::parts; ++p) {
        const double more = sum[p] + a[q][p] * xc[q];
        sum[p] = adds && k0 + q * L::blocks + mine < count ? more : sum[p];
      }
  }
  // Lane u gets the sums of row u.
  const int u = lane % N, part = u / L::rows, first = u % L::rows * N;
  double s = 0;
  for (int h = 0; h < L::blocks; ++h)
    for (int v = 0; v < N; ++v)
      for (int p = 0; p < L::parts; ++p) {
        const double share = __shfl_sync(full_warp, sum[p], h * of_block + first + v, L::of_row);
        s += p == part ? share : 0;
      }
  if (lane < N && row < A.rows) leave(s, b, y, std::int64_t{i} * N + u);
}

// Any n: one workgroup per block row; each warp handles some rows of a block.
template <class T>
__global__ void __launch_bounds__(threads)
    multiply_large_rows(CsrView<T> A, const double* b, const double* x, double* y) {
  const int n = A.block, i = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32;
  // rows and columns of a block per pass
  const int columns = n < 32 ? n : 32, rows = 32 / columns, c0 = lane % columns;
  const std::int64_t from = A.row_start[i], to = A.row_start[i + 1];
  for (int r0 = warp * rows; r0 < n; r0 += warps * rows) {
    const int r = r0 + lane / columns;
    double sum = 0;
    for (int c = c0; r < n && lane / columns < rows && c < n; c += columns)
      for (std::int64_t e = from; e < to; ++e)
        sum += static_cast<double>(A.value[(e * n + r) * n + c]) * x[std::int64_t{A.column[e]} * n + c];
    double s = 0;
    for (int v = 0; v < columns; ++v) s += __shfl_sync(full_warp, sum, lane % rows * columns + v);
    if (lane < rows && r0 + lane < n) leave(s, b, y, std::int64_t{i} * n + r0 + lane);
  }
}

template <class T>
void multiply(const CsrView<T>& A, const double* b, const double* x, double* y) {
  const auto run = [&](auto kernel, int lanes) {
    const int rows = threads / lanes;
    launch({.grid = static_cast<unsigned>((A.rows + rows - 1) / rows), .block = threads, .name = "block CSR product"},
           kernel, A, b, x, y);
  };
  switch (A.block) {
    case 1:
      return run(multiply_rows<1, T>, Lanes<1>::of_row);
    case 2:
      return run(multiply_rows<2, T>, Lanes<2>::of_row);
    case 3:
      return run(multiply_rows<3, T>, 32);
    case 4:
      return run(multiply_rows<4, T>, 32);
    case 5:
      return run(multiply_rows<5, T>, 32);
    case 6:
      return run(multiply_rows<6, T>, 32);
    case 7:
      return run(multiply_rows<7, T>, 32);
    case 8:
      return run(multiply_rows<8, T>, 32);
    default:
      return run(multiply_large_rows<T>, threads);
  }
}

}  // namespace

template <class T>
Pair product_by_warps(const CsrView<T>& A, Product p, const double* b, const double* x, double* y) {
  const std::int64_t n = std::int64_t{A.rows} * A.block;
  if (A.rows > 0) multiply(A, is_residual(p) ? b : nullptr, x, y);
  switch (p) {
    case Product::apply_dot:
      return {sum<Device>(n, [=] WEIR_HD(int i) { return y[i] * x[i]; }), 0};
    case Product::apply_dots:
      return sum2<Device>(n, [=] WEIR_HD(int i) { return Pair{y[i] * b[i], y[i] * y[i]}; });
    case Product::residual_dot:
      return {sum<Device>(n, [=] WEIR_HD(int i) { return y[i] * y[i]; }), 0};
    default:
      return {};
  }
}

template Pair product_by_warps(const CsrView<double>&, Product, const double*, const double*, double*);
template Pair product_by_warps(const CsrView<float>&, Product, const double*, const double*, double*);

}  // namespace weir::csr_products
