// Products and inverses of dense column-major n x n blocks on one host core, up to 8 x 8 inline.
#pragma once
#include <algorithm>
#include <cmath>

#include "solvers/matrix/block/block_lanes.hpp"

namespace weir::lanes {

inline bool usable_pivot(double p) { return p != 0 && p - p == 0; }

namespace detail {

// Columns V0 .. V0 + G - 1 of C = A B or C -= A B; they share each loaded column of A.
template <int N, int V0, int G, bool Subtract, class T>
[[gnu::always_inline]] inline void product_columns(double* C, const double* A, const T* B) {
  Lanes<N> acc[G];
  unroll<G>([&](auto g) __attribute__((always_inline)) {
    if constexpr (Subtract)
      acc[g].load(C + (V0 + g) * N);
    else
      acc[g].clear();
  });
  unroll<N>([&](auto w) __attribute__((always_inline)) {
    Lanes<N> column;
    column.load(A + w * N);
    unroll<G>([&](auto g) __attribute__((always_inline)) {
      const double x = static_cast<double>(B[(V0 + g) * N + w]);
      acc[g].add(column, Subtract ? -x : x);
    });
  });
  unroll<G>([&](auto g) __attribute__((always_inline)) { acc[g].store(C + (V0 + g) * N); });
}

}  // namespace detail

// C = A B or C -= A B. The arrays must not overlap.
template <bool Subtract, int N, class T>
[[gnu::always_inline]] inline void product(FixedBlock<N>, double* C, const double* A, const T* B) {
  constexpr int G = N == 8 ? 4 : N == 6 ? 3 : N == 7 ? 4 : N;  // as many sums as fit into registers
  detail::product_columns<N, 0, G, Subtract>(C, A, B);
  if constexpr (N > G) detail::product_columns<N, G, N - G, Subtract>(C, A, B);
}
template <bool Subtract, class T>
void product(RuntimeBlock, double* C, const double* A, const T* B);  // T: double, float (block_dense.cpp)

// d <- d^-1 by Gauss-Jordan elimination in place (Alg. 5) without pivoting. False: unusable pivot.
template <int N>
[[gnu::always_inline]] inline bool invert(FixedBlock<N>, double* d) {
  Lanes<N> column[N];
  unroll<N>([&](auto v) __attribute__((always_inline)) { column[v].load(d + v * N); });
  bool usable = true;
  unroll<N>([&](auto r) __attribute__((always_inline)) {
    const double pivot = column[r].template get<r.value>(), inverse = 1 / pivot;
    usable &= usable_pivot(pivot);
    // c has -1 in row r, so that column <- column - c (row r / pivot) also sets row r, once it is 0
    Lanes<N> c = column[r];
    c.template set<r.value>(-1);
    unroll<N>([&](auto v) __attribute__((always_inline)) {
      if constexpr (v != r) {
        const double s = column[v].template get<r.value>() * inverse;
        column[v].template set<r.value>(0);
        column[v].add(c, -s);
      }
    });
    c.scale(-inverse);
    column[r] = c;  // row r: -1 * -inverse
  });
  unroll<N>([&](auto v) __attribute__((always_inline)) { column[v].store(d + v * N); });
  return usable;
}

bool invert(RuntimeBlock, double* d);  // the same operations in the same order (block_dense.cpp)

// As invert, but a block without an inverse is replaced by a multiple of the identity (the modified iteration of
// asynchronous factorisations); the result is then false.
template <class Block>
bool invert_or_replace(Block b, double* d) {
  const int n = b.size(), nn = n * n;
  double size = 0;
  for (int e = 0; e < nn; ++e) size = std::max(size, std::abs(d[e]));
  if (invert(b, d)) return true;
  const double one = size > 0 && size - size == 0 ? 1 / size : 1;
  for (int e = 0; e < nn; ++e) d[e] = e % (n + 1) == 0 ? one : 0;
  return false;
}

// Inverse with column pivoting by the largest entry.
bool invert_pivoting(int n, double* d);

}  // namespace weir::lanes
