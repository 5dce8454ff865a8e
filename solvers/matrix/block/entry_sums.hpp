// Included by .cpp files only. Products of the N x N blocks of one row with their x, summed entry by entry and
// reduced over the columns of a block once at the end: no horizontal sums inside the loop, and full vectors for every
// N (columns of 5 would be a quad and a single each).
#pragma once
#include "solvers/matrix/block/block_lanes.hpp"

namespace weir::lanes {

enum class EntryOrder { by_rows, by_columns };

template <int N, EntryOrder order>
class EntrySums {
 public:
  EntrySums() {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q_[i] = Quad{}; });
    unroll<rest>([&](auto r) __attribute__((always_inline)) { s_[r] = 0; });
  }
  template <class T>
  [[gnu::always_inline]] void add(const T* A, const double* x) {
    unroll<quads>([&](auto i)
                      __attribute__((always_inline)) { q_[i] += load_quad(A + 4 * i) * factors<4 * i.value>(x); });
    unroll<rest>([&](auto r) __attribute__((always_inline)) {
      constexpr int e = 4 * quads + r.value;
      s_[r] += static_cast<double>(A[e]) * x[column(e)];
    });
  }
  [[gnu::always_inline]] void store(double* y) const {
    if constexpr (N == 4 && order == EntryOrder::by_rows) return store_four_rows(y);
    double t[N * N];
    unroll<quads>([&](auto i) __attribute__((always_inline)) { *reinterpret_cast<Quad*>(t + 4 * i) = q_[i]; });
    unroll<rest>([&](auto r) __attribute__((always_inline)) { t[4 * quads + r] = s_[r]; });
    unroll<N>([&](auto u) __attribute__((always_inline)) {
      double sum = t[entry(u, 0)];
      unroll<N - 1>([&](auto v) __attribute__((always_inline)) { sum += t[entry(u, v + 1)]; });
      y[u] = sum;
    });
  }

 private:
  static constexpr bool by_rows = order == EntryOrder::by_rows;
  static constexpr int quads = N * N / 4, rest = N * N % 4;
  static constexpr int column(int e) { return by_rows ? e % N : e / N; }
  static constexpr int entry(int u, int v) { return by_rows ? u * N + v : v * N + u; }

  // Factors of the entries E .. E + 3 of a block.
  template <int E>
  [[gnu::always_inline]] static Quad factors(const double* x) {
    constexpr int a = column(E), b = column(E + 1), c = column(E + 2), d = column(E + 3);
    if constexpr (d == a + 3) {
      return load_quad(x + a);
    } else if constexpr (by_rows || a == d || N < 4) {
      return Quad{x[a], x[b], x[c], x[d]};
    } else {
      constexpr int from = a < N - 4 ? a : N - 4;  // nothing beyond the vector is read
      const Quad q = load_quad(x + from);
      return __builtin_shufflevector(q, q, a - from, b - from, c - from, d - from);
    }
  }

  // Four horizontal sums at once: (0 + 1) + (2 + 3) of each row.
  [[gnu::always_inline]] void store_four_rows(double* y) const {
    const auto pairs = [](Quad a, Quad b) __attribute__((always_inline)) {
      return __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    };
    const Quad upper = pairs(q_[0], q_[1]), lower = pairs(q_[2], q_[3]);
    *reinterpret_cast<Quad*>(y) =
        __builtin_shufflevector(upper, lower, 0, 1, 4, 5) + __builtin_shufflevector(upper, lower, 2, 3, 6, 7);
  }

  Quad q_[quads + 1];  // at least one element, because C++ has no empty arrays; the extra one is unused
  double s_[rest + 1];
};

}  // namespace weir::lanes
