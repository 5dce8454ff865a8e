// The host's matrix product, in register tiles of rows x columns accumulators (see gemm.hpp). Nothing is packed: at
// these sizes A and B stay in the caches as they are.
#include "solvers/device/gemm.hpp"
#include "solvers/device/simd.hpp"

namespace weir {
namespace {

typedef double Vector __attribute__((vector_size(simd_doubles * 8)));
typedef double Unaligned __attribute__((vector_size(simd_doubles * 8), aligned(8), may_alias));

constexpr int tile_columns = simd_registers == 32 ? 8 : 4;
constexpr int tile_vectors = 3;  // 24 or 12 accumulators, 3 registers of A, 1 of B

// V vectors of rows by N columns of C, kept in registers over the whole of k.
template <int V, int N>
inline void tile(int k, ConstPanel A, ConstPanel B, Panel C) {
  Vector acc[N][V] = {};
  for (int p = 0; p < k; ++p) {
    Vector a[V];
    for (int v = 0; v < V; ++v) a[v] = *reinterpret_cast<const Unaligned*>(A.data + p * A.ld + v * simd_doubles);
    for (int j = 0; j < N; ++j) {
      const double b = B.data[p + j * B.ld];
      for (int v = 0; v < V; ++v) acc[j][v] += a[v] * b;
    }
  }
  for (int j = 0; j < N; ++j)
    for (int v = 0; v < V; ++v) *reinterpret_cast<Unaligned*>(C.data + j * C.ld + v * simd_doubles) = acc[j][v];
}

// Fewer rows than fill a vector, with the arithmetic of a tile: the bits of a row do not depend on the number of rows.
template <int N>
void rest(int m, int k, ConstPanel A, ConstPanel B, Panel C) {
  Vector acc[N] = {};
  for (int p = 0; p < k; ++p) {
    Vector a = {};
    for (int i = 0; i < m; ++i) a[i] = A.data[i + p * A.ld];
    for (int j = 0; j < N; ++j) acc[j] += a * B.data[p + j * B.ld];
  }
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < m; ++i) C.data[i + j * C.ld] = acc[j][i];
}

// The last rows go through a tile that overlaps the one before: the same bits are written twice.
template <int N>
void columns(int m, int k, ConstPanel A, ConstPanel B, Panel C) {
  if (m < simd_doubles) return rest<N>(m, k, A, B, C);
  const auto run = [&]<int V>(int i) { tile<V, N>(k, {A.data + i, A.ld}, B, {C.data + i, C.ld}); };
  int i = 0;
  for (; i + tile_vectors * simd_doubles <= m; i += tile_vectors * simd_doubles)
    run.template operator()<tile_vectors>(i);
  if (i + 2 * simd_doubles <= m) {
    run.template operator()<2>(i);
    i += 2 * simd_doubles;
  }
  if (i + simd_doubles <= m) {
    run.template operator()<1>(i);
    i += simd_doubles;
  }
  if (i < m) run.template operator()<1>(m - simd_doubles);
}

}  // namespace

void gemm_host(int m, int n, int k, ConstPanel A, ConstPanel B, Panel C) {
  int j = 0;
  const auto b = [&] { return ConstPanel{B.data + j * B.ld, B.ld}; };
  const auto c = [&] { return Panel{C.data + j * C.ld, C.ld}; };
  for (; j + tile_columns <= n; j += tile_columns) columns<tile_columns>(m, k, A, b(), c());
  for (; j + 2 <= n; j += 2) columns<2>(m, k, A, b(), c());
  if (j < n) columns<1>(m, k, A, b(), c());
}

}  // namespace weir
