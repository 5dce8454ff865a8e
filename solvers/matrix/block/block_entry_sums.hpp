// Included by .cpp files only. Products of one row's blocks with their x, summed entry by entry and added up over the
// columns once, at the end: all vectors are full whatever n is, where columns of 5 would be a quad and a single each.
#pragma once
#include "solvers/matrix/block/block_lanes.hpp"

namespace weir::lanes {

template <int N>
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
      s_[r] += static_cast<double>(A[e]) * x[e / N];
    });
  }
  [[gnu::always_inline]] void store(double* y) const {
    double t[N * N];
    unroll<quads>([&](auto i) __attribute__((always_inline)) { *reinterpret_cast<Quad*>(t + 4 * i) = q_[i]; });
    unroll<rest>([&](auto r) __attribute__((always_inline)) { t[4 * quads + r] = s_[r]; });
    unroll<N>([&](auto u) __attribute__((always_inline)) {
      double sum = t[u];
      unroll<N - 1>([&](auto v) __attribute__((always_inline)) { sum += t[(v + 1) * N + u]; });
      y[u] = sum;
    });
  }

 private:
  static constexpr int quads = N * N / 4, rest = N * N % 4;

  // What the entries E .. E + 3 of a block are multiplied with.
  template <int E>
  [[gnu::always_inline]] static Quad factors(const double* x) {
    constexpr int a = E / N, b = (E + 1) / N, c = (E + 2) / N, d = (E + 3) / N;
    if constexpr (a == d || N < 4) {
      return Quad{x[a], x[b], x[c], x[d]};
    } else {
      constexpr int from = a < N - 4 ? a : N - 4;  // nothing beyond the vector is read
      const Quad q = load_quad(x + from);
      return __builtin_shufflevector(q, q, a - from, b - from, c - from, d - from);
    }
  }

  Quad q_[quads + 1];
  double s_[rest + 1];
};

}  // namespace weir::lanes
