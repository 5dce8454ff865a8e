// Sweeps and residual for blocks of 9 to 64 unknowns: a workgroup a block row, entry after entry; thread u has row u of the
// block at hand, sums it alone and stores each of its values once, final. What all rows need, a block of U, an inverse, or
// the diagonal block while it is inverted, lies in shared memory (n^2 doubles, at most 32 KiB).
//   Bytes: 8 n^2 of L and of U a product; 2 n^3 flops.
#include "solvers/preconditioner/parilu/parilu_device.hpp"

namespace weir::parilu {
namespace {

constexpr int threads = largest_parilu_block;

template <bool Shared>
__device__ inline double load(const double* p) {
  return Shared ? load_relaxed(p) : *p;
}
template <bool Shared>
__device__ inline void store(double* p, double v) {
  if (Shared)
    store_relaxed(p, v);
  else
    *p = v;
}

// A whole block into shared memory; all threads of the workgroup come here.
template <bool Shared>
__device__ void fetch(int nn, const double* from, double* block) {
  __syncthreads();  // what was there has been read
  for (int q = static_cast<int>(threadIdx.x); q < nn; q += threads) block[q] = load<Shared>(from + q);
  __syncthreads();
}

// row = row u of A_ij - sum_{k < min(i, j)} L_ik U_kj; all threads come here. block: shared, a U_kj at a time.
template <bool Shared>
__device__ void form_row(const BlockCsrView& A, const FactorsView& f, int i, int j, int u, double* block, double* row) {
  const int n = f.n, nn = n * n;
  const std::int64_t a = find(A.column.data(), A.row_start[i], A.row_start[i + 1], j);
  for (int v = 0; u < n && v < n; ++v) row[v] = a < 0 ? 0 : A.value[a * nn + u * n + v];
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    const int k = f.lower.column[e];
    if (k >= j) break;
    const std::int64_t m = find(f.upper.column, f.upper.start[k], f.upper.start[k + 1], j);
    if (m < 0) continue;
    fetch<Shared>(nn, f.upper.value + m * nn, block);
    for (int w = 0; u < n && w < n; ++w) {
      const double l = load<Shared>(f.lower.value + e * nn + w * n + u);
      for (int v = 0; v < n; ++v) row[v] = fma(-l, block[v * n + w], row[v]);
    }
  }
}

// d <- d^-1 as async_ilu::invert_or_replace has it, each thread its row; all threads of the workgroup come here.
__device__ bool invert_together(int n, int u, double* d) {
  double size = 0;
  for (int e = 0; e < n * n; ++e) size = fmax(size, fabs(d[e]));
  bool usable = true;
  for (int r = 0; r < n; ++r) {
    __syncthreads();
    const double pivot = d[r * n + r], inverse = 1 / pivot;
    usable = usable && pivot != 0 && inverse - inverse == 0 && pivot - pivot == 0;
    __syncthreads();
    if (u == r) {
      d[r * n + r] = 1;
      for (int v = 0; v < n; ++v) d[v * n + r] = d[v * n + r] * inverse;
    }
    __syncthreads();
    if (u >= n || u == r) continue;
    const double factor = d[r * n + u];
    d[r * n + u] = 0;
    for (int v = 0; v < n; ++v) d[v * n + u] = fma(-factor, d[v * n + r], d[v * n + u]);
  }
  __syncthreads();  // the last pivot row has been read
  const double one = size > 0 && size - size == 0 ? 1 / size : 1;
  for (int v = 0; u < n && v < n && !usable; ++v) d[v * n + u] = u == v ? one : 0;
  return usable;
}

template <bool Shared>
__global__ void sweep_rows(BlockCsrView A, FactorsView in, FactorsView out) {
  WEIR_DYNAMIC_SHARED(double, block);
  const int i = static_cast<int>(blockIdx.x), u = static_cast<int>(threadIdx.x), n = in.n, nn = n * n;
  double row[largest_parilu_block];
  for (std::int64_t e = in.lower.start[i]; e < in.lower.start[i + 1]; ++e) {
    const int j = in.lower.column[e];
    form_row<Shared>(A, in, i, j, u, block, row);
    fetch<Shared>(nn, in.inverse + std::int64_t{j} * nn, block);
    for (int v = 0; u < n && v < n; ++v) {
      double s = 0;
      for (int w = 0; w < n; ++w) s = fma(row[w], block[v * n + w], s);
      store<Shared>(out.lower.value + e * nn + v * n + u, s);
    }
  }
  form_row<Shared>(A, in, i, i, u, block, row);
  __syncthreads();
  for (int v = 0; u < n && v < n; ++v) block[v * n + u] = row[v];
  __syncthreads();
  const bool usable = invert_together(n, u, block);
  if (u == 0) out.replaced[i] = usable ? 0 : 1;
  for (int v = 0; u < n && v < n; ++v) store<Shared>(out.inverse + std::int64_t{i} * nn + v * n + u, block[v * n + u]);
  for (std::int64_t e = in.upper.start[i]; e < in.upper.start[i + 1]; ++e) {
    form_row<Shared>(A, in, i, in.upper.column[e], u, block, row);
    for (int v = 0; u < n && v < n; ++v) store<Shared>(out.upper.value + e * nn + v * n + u, row[v]);
  }
}

__device__ inline void residual_of_row(const BlockCsrView& A, const FactorsView& f, const RowsView& F, int i, int u,
                                       double* block) {
  const int n = f.n;
  double row[largest_parilu_block];
  for (std::int64_t e = F.start[i]; e < F.start[i + 1]; ++e) {
    form_row<false>(A, f, i, F.column[e], u, block, row);
    for (int v = 0; u < n && v < n; ++v) F.value[(e * n + v) * n + u] = row[v];
  }
}

__global__ void residual_of_rows(BlockCsrView A, FactorsView f, RowsView lower, RowsView upper) {
  WEIR_DYNAMIC_SHARED(double, block);
  const int i = static_cast<int>(blockIdx.x), u = static_cast<int>(threadIdx.x);
  residual_of_row(A, f, lower, i, u, block);
  residual_of_row(A, f, upper, i, u, block);
}

LaunchConfig config(const FactorsView& f, const char* name) {
  return {.grid = static_cast<unsigned>(f.rows),
          .block = threads,
          .shared_bytes = static_cast<std::size_t>(f.n * f.n) * sizeof(double),
          .name = name};
}

}  // namespace

void sweep_large(const BlockCsrView& A, const FactorsView& in, const FactorsView& out) {
  launch(config(in, "ParILU sweep, large blocks"), in.inverse == out.inverse ? sweep_rows<true> : sweep_rows<false>, A,
         in, out);
}

void residual_large(const BlockCsrView& A, const FactorsView& f, const RowsView& lower, const RowsView& upper) {
  launch(config(f, "ParILU residual, large blocks"), residual_of_rows, A, f, lower, upper);
}

}  // namespace weir::parilu
