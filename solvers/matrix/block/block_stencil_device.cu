// The two forms of Alg. 7 (Luo et al. 2015). Both add up in a fixed order: runs repeat bit for bit. Bytes: 7 n^2 values a
// cell; x, base and out stay in the caches.
#include "solvers/matrix/block/block_stencil_device.hpp"

#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"

namespace weir::block_stencil_device {
namespace {

// n x g threads a cell: thread (u, h) adds up the columns h, h + g, ... of row u, so that the threads of a cell read
// n g neighbouring values at a time: a whole block where n <= 8.
struct Mapping {
  int n, g, cells;
  WEIR_HD explicit Mapping(int block) : n(block), g(block < 8 ? block : 8), cells(1) {
    constexpr int threads = 256;  // about, a workgroup
    if (n * g < threads) cells = threads / (n * g);
  }
  WEIR_HD int threads() const { return n * g * cells; }
};

__global__ void columns_kernel(BlockStencilView A, const double* base, double factor, const double* x, double* out) {
  WEIR_DYNAMIC_SHARED(double, partial);
  const Mapping m(A.n);
  const int thread = static_cast<int>(threadIdx.x), u = thread % m.n, h = thread / m.n % m.g;
  const int cell = static_cast<int>(blockIdx.x) * m.cells + thread / (m.n * m.g);
  double sum = 0;
  for (int t = A.first; t < A.first + A.slots && cell < A.cells.count(); ++t) {
    const int to = A.neighbour(cell, t);
    if (to < 0) continue;
    const double *block = A.block(cell, t) + u, *xt = x + std::int64_t{to} * m.n;
    for (int v = h; v < m.n; v += m.g) sum += block[v * m.n] * xt[v];
  }
  partial[thread] = sum;
  __syncthreads();
  if (h > 0 || cell >= A.cells.count()) return;
  for (int j = 1; j < m.g; ++j) sum += partial[thread + j * m.n];
  const std::int64_t at = std::int64_t{cell} * m.n + u;
  out[at] = (base ? base[at] : 0) + factor * sum;
}

}  // namespace

// One thread an entry of the vector, as in the paper; neighbouring threads read neighbouring entries of a column.
void entry_product(const BlockStencilView& A, const double* base, double factor, const double* x, double* out) {
  const int n = A.n, first = A.first, end = A.first + A.slots;
  for_each<Device>(A.cells.count() * n, [=] WEIR_HD(int e) {
    const int cell = e / n, u = e % n;
    double s = 0;
    for (int t = first; t < end; ++t) {
      const int to = A.neighbour(cell, t);
      if (to < 0) continue;
      const double *block = A.block(cell, t) + u, *xt = x + std::int64_t{to} * n;
      for (int v = 0; v < n; ++v) s += block[v * n] * xt[v];
    }
    out[e] = (base ? base[e] : 0.0) + factor * s;
  });
}

void columns_product(const BlockStencilView& A, const double* base, double factor, const double* x, double* out) {
  const Mapping m(A.n);
  launch(default_stream(),
         {.grid = static_cast<unsigned>((A.cells.count() + m.cells - 1) / m.cells),
          .block = static_cast<unsigned>(m.threads()),
          .shared_bytes = sizeof(double) * static_cast<std::size_t>(m.threads()),
          .name = "block stencil product"},
         columns_kernel, A, base, factor, x, out);
}

}  // namespace weir::block_stencil_device
