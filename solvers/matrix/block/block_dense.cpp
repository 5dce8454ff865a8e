// Dense n x n blocks with n known at run time: tiles of the result in registers.
#include "solvers/matrix/block/block_dense.hpp"

namespace weir::lanes {
namespace {

constexpr int group = 4;  // columns per tile; they share each loaded column of A

// f(rows, u) for tiles that cover n rows: tiles of 8, and a last one of 1 to 7, 9, 10 or 12 rows (at most three
// registers per column, so that twelve sums, a column and a factor fit into sixteen registers).
template <class F>
[[gnu::always_inline]] inline void for_tiles(int n, const F& f) {
  const int left = n % 8, last = n > 8 && (left == 1 || left == 2 || left == 4) ? left + 8 : left;
  int u = 0;
  for (; u < n - last; u += 8) f(std::integral_constant<int, 8>{}, u);
  with_one_of<1, 2, 3, 4, 5, 6, 7, 9, 10, 12>(
      last, [&](auto R) __attribute__((always_inline)) { f(R, u); });
}

// f(columns, v) for groups of columns that cover n.
template <class F>
[[gnu::always_inline]] inline void for_groups(int n, const F& f) {
  int v = 0;
  for (; v + group <= n; v += group) f(std::integral_constant<int, group>{}, v);
  with_one_of<1, 2, 3>(
      n - v, [&](auto G) __attribute__((always_inline)) { f(G, v); });
}

// An R x G tile of C = A B or C -= A B. Columns of C and A are `stride` apart, those of B `stride_b`; k: inner size.
template <int R, int G, bool Subtract, class T>
[[gnu::always_inline]] inline void tile(int stride, int stride_b, int k, double* C, const double* A, const T* B) {
  Lanes<R> acc[G];
  unroll<G>([&](auto g) __attribute__((always_inline)) {
    if constexpr (Subtract)
      acc[g].load(C + g * stride);
    else
      acc[g].clear();
  });
  for (int w = 0; w < k; ++w) {
    Lanes<R> column;
    column.load(A + w * stride);
    unroll<G>([&](auto g) __attribute__((always_inline)) {
      const double x = static_cast<double>(B[g * stride_b + w]);
      acc[g].add(column, Subtract ? -x : x);
    });
  }
  unroll<G>([&](auto g) __attribute__((always_inline)) { acc[g].store(C + g * stride); });
}

// Gauss-Jordan step for pivot r of d: column <- column - c (row r / pivot) for all columns except r, which is c.
// Blocks of up to 12 rows are processed by row tiles, so that c stays in registers. Row r is set after these passes:
// a vector load of values just stored one by one would wait for the stores. False: unusable pivot.
bool eliminate(int n, int r, double* __restrict d) {
  alignas(64) double c[max_block], s[max_block];
  const double pivot = d[r * n + r], inverse = 1 / pivot;
  std::copy(d + r * n, d + r * n + n, c);
  for (int v = 0; v < n; ++v) s[v] = d[v * n + r] * inverse;
  const auto subtract = [&](auto R, int u, int v) __attribute__((always_inline)) {
    Lanes<R.value> column;
    column.load(d + v * n + u);
    column.subtract(c + u, s[v]);
    column.store(d + v * n + u);
  };
  if (n <= 12)
    for_tiles(
        n, [&](auto R, int u) __attribute__((always_inline)) {
          for (int v = 0; v < n; ++v) subtract(R, u, v);
        });
  else
    for (int v = 0; v < n; ++v)
      for_row_tiles<8>(
          n, [&](auto R, int u) __attribute__((always_inline)) { subtract(R, u, v); });
  for (int u = 0; u < n; ++u) d[r * n + u] = -inverse * c[u];
  for (int v = 0; v < n; ++v) d[v * n + r] = s[v];
  d[r * n + r] = inverse;
  return usable_pivot(pivot);
}

}  // namespace

template <bool Subtract, class T>
void product(RuntimeBlock b, double* __restrict C, const double* __restrict A, const T* __restrict B) {
  const int n = b.n;
  for_groups(
      n, [&](auto G, int v) __attribute__((always_inline)) {
        for_tiles(
            n, [&](auto R, int u) __attribute__((always_inline)) {
              tile<R.value, G.value, Subtract>(n, n, n, C + v * n + u, A + u, B + v * n);
            });
      });
}
template void product<false>(RuntimeBlock, double*, const double*, const double*);
template void product<true>(RuntimeBlock, double*, const double*, const double*);
template void product<false>(RuntimeBlock, double*, const double*, const float*);
template void product<true>(RuntimeBlock, double*, const double*, const float*);

bool invert(RuntimeBlock b, double* d) {
  bool usable = true;
  for (int r = 0; r < b.n; ++r) usable &= eliminate(b.n, r, d);
  return usable;
}

// Rows are exchanged and P d is inverted; (P d)^-1 P = d^-1, so the exchanges are undone on the columns.
bool invert_pivoting(int n, double* d) {
  int exchanged[max_block];
  for (int r = 0; r < n; ++r) {
    int p = r;
    for (int u = r + 1; u < n; ++u)
      if (std::abs(d[r * n + u]) > std::abs(d[r * n + p])) p = u;
    exchanged[r] = p;
    for (int v = 0; v < n && p != r; ++v) std::swap(d[v * n + r], d[v * n + p]);
    if (!eliminate(n, r, d)) return false;
  }
  for (int r = n - 1; r >= 0; --r)
    if (exchanged[r] != r) std::swap_ranges(d + r * n, d + r * n + n, d + exchanged[r] * n);
  return true;
}

}  // namespace weir::lanes
