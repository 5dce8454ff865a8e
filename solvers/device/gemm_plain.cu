// Tiles of 16 x 16 of C, one thread per entry. Each entry is one chain of fused multiply-adds in the order of k, as
// gemm_host's.
#include "backend/dialect.hpp"
#include "solvers/device/gemm.hpp"
#include "solvers/device/launch.hpp"

namespace weir {
namespace {

constexpr int tile = 16;

__global__ void multiply(GemmBatch g) {
  WEIR_SHARED(double, a, [tile][tile + 1]);
  WEIR_SHARED(double, b, [tile][tile + 1]);
  const int u = static_cast<int>(threadIdx.x), v = static_cast<int>(threadIdx.y),
            i = static_cast<int>(blockIdx.x) * tile + u, j = static_cast<int>(blockIdx.y) * tile + v;
  const double *A = g.A.data + blockIdx.z * g.step_a, *B = g.B.data + blockIdx.z * g.step_b;
  double sum = 0;
  for (int first = 0; first < g.k; first += tile) {
    a[v][u] = i < g.m && first + v < g.k ? A[i + (first + v) * g.A.ld] : 0;
    b[v][u] = j < g.n && first + u < g.k ? B[first + u + j * g.B.ld] : 0;
    __syncthreads();
    const int count = g.k - first < tile ? g.k - first : tile;
    for (int p = 0; p < count; ++p) sum = fma(a[p][u], b[v][p], sum);
    __syncthreads();
  }
  if (i < g.m && j < g.n) g.C.data[blockIdx.z * g.step_c + i + j * g.C.ld] = sum;
}

}  // namespace

void gemm_device_plain(const GemmBatch& g) {
  const auto blocks = [](int n) { return static_cast<unsigned>((n + tile - 1) / tile); };
  if (g.m < 1 || g.n < 1 || g.count < 1) return;
  launch({.grid = {blocks(g.m), blocks(g.n), static_cast<unsigned>(g.count)},
          .block = {tile, tile, 1},
          .name = "matrix product"},
         multiply, g);
}

}  // namespace weir
