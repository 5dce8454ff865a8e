// Dense column-major n x n blocks on one host core. Lanes<N> holds one column (or the unknowns of one cell) in vector
// registers as quads, a pair and a single: nothing beyond the column is read, and all loops are unrolled. Uses the
// vector extensions of GCC and Clang.
#pragma once
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "solvers/matrix/bfloat16.hpp"

namespace weir::lanes {

// Largest block that kernels with a run-time size keep on the stack, and the largest block supported.
inline constexpr int max_block = 64;

template <class T>
struct VectorsOf {
  // Element alignment only, so that columns may start anywhere.
  typedef T Quad __attribute__((vector_size(4 * sizeof(T)), aligned(alignof(T)), may_alias));
  typedef T Pair __attribute__((vector_size(2 * sizeof(T)), aligned(alignof(T)), may_alias));
};
using Quad = VectorsOf<double>::Quad;
using Pair = VectorsOf<double>::Pair;

// f(0), ..., f(N - 1) with compile-time indices.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

// The array of f(0), ..., f(N - 1).
template <int N, class F>
[[gnu::always_inline]] inline auto generate(F&& f) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return std::array{f(std::integral_constant<int, I>{})...};
  }
  (std::make_integer_sequence<int, N>{});
}

// f(std::integral_constant<int, R>) for the R in the list that equals n, if any.
template <int... R, class F>
[[gnu::always_inline]] inline void with_one_of(int n, const F& f) {
  static_cast<void>(((n == R && (f(std::integral_constant<int, R>{}), true)) || ...));
}

template <class T>
[[gnu::always_inline]] inline Quad load_quad(const T* p) {
  // Element by element: GCC 12 emits one instruction for it and five for a __builtin_convertvector from floats.
  if constexpr (sizeof(T) < sizeof(double))
    return Quad{static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]),
                static_cast<double>(p[3])};
  else
    return __builtin_convertvector(*reinterpret_cast<const typename VectorsOf<T>::Quad*>(p), Quad);
}
template <class T>
[[gnu::always_inline]] inline Pair load_pair(const T* p) {
  return __builtin_convertvector(*reinterpret_cast<const typename VectorsOf<T>::Pair*>(p), Pair);
}

// A Bfloat16 is the upper half of a float.
[[gnu::always_inline]] inline Quad load_quad(const Bfloat16* p) {
  typedef std::uint16_t Halves __attribute__((vector_size(8), aligned(2), may_alias));
  typedef std::uint32_t Words __attribute__((vector_size(16)));
  typedef float Floats __attribute__((vector_size(16)));
  const Words wide = __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Words) << 16;
  return __builtin_convertvector(reinterpret_cast<Floats>(wide), Quad);
}
[[gnu::always_inline]] inline Pair load_pair(const Bfloat16* p) { return Pair{p[0], p[1]}; }

template <int N>
struct Lanes {
  static constexpr int quads = N / 4, pairs = N % 4 / 2, singles = N % 2;
  static constexpr int at_pair = 4 * quads, at_single = N - 1;
  Quad q[quads + 1];  // at least one element, because C++ has no empty arrays; the extra one is unused
  Pair p[pairs + 1];
  double s[1];

  [[gnu::always_inline]] void clear() {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q[i] = Quad{}; });
    if constexpr (pairs) p[0] = Pair{};
    if constexpr (singles) s[0] = 0;
  }
  template <class T>
  [[gnu::always_inline]] void load(const T* c) {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q[i] = load_quad(c + 4 * i); });
    if constexpr (pairs) p[0] = load_pair(c + at_pair);
    if constexpr (singles) s[0] = c[at_single];
  }
  template <class T>
  [[gnu::always_inline]] void store(T* c) const {
    using Vectors = VectorsOf<T>;
    unroll<quads>([&](auto i) __attribute__((always_inline)) {
      *reinterpret_cast<typename Vectors::Quad*>(c + 4 * i) = __builtin_convertvector(q[i], typename Vectors::Quad);
    });
    if constexpr (pairs)
      *reinterpret_cast<typename Vectors::Pair*>(c + at_pair) = __builtin_convertvector(p[0], typename Vectors::Pair);
    if constexpr (singles) c[at_single] = static_cast<T>(s[0]);
  }
  // += column * x
  template <class T>
  [[gnu::always_inline]] void add(const T* c, double x) {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q[i] += load_quad(c + 4 * i) * x; });
    if constexpr (pairs) p[0] += load_pair(c + at_pair) * x;
    if constexpr (singles) s[0] += c[at_single] * x;
  }
  [[gnu::always_inline]] void add(const Lanes& c, double x) {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q[i] += c.q[i] * x; });
    if constexpr (pairs) p[0] += c.p[0] * x;
    if constexpr (singles) s[0] += c.s[0] * x;
  }
  // -= column * x
  template <class T>
  [[gnu::always_inline]] void subtract(const T* c, double x) {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q[i] -= load_quad(c + 4 * i) * x; });
    if constexpr (pairs) p[0] -= load_pair(c + at_pair) * x;
    if constexpr (singles) s[0] -= c[at_single] * x;
  }
  [[gnu::always_inline]] void scale(double x) {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q[i] *= x; });
    if constexpr (pairs) p[0] *= x;
    if constexpr (singles) s[0] *= x;
  }
  template <int U>
  [[gnu::always_inline]] double get() const {
    if constexpr (U < at_pair)
      return q[U / 4][U % 4];
    else if constexpr (U < at_pair + 2 * pairs)
      return p[0][U - at_pair];
    else
      return s[0];
  }
  template <int U>
  [[gnu::always_inline]] void set(double x) {
    if constexpr (U < at_pair)
      q[U / 4][U % 4] = x;
    else if constexpr (U < at_pair + 2 * pairs)
      p[0][U - at_pair] = x;
    else
      s[0] = x;
  }
};

// Interface of the kernels over cells: FixedBlock<N> for n = N <= WEIR_FIXED_BLOCKS, RuntimeBlock for any n <=
// max_block. Their Vector holds the unknowns of a cell in registers (large n: in the first-level cache).
template <int N>
struct FixedBlock {
  static constexpr int fixed = N;
  explicit FixedBlock(int) {}
  static constexpr int size() { return N; }

  struct Vector {
    Lanes<N> a;
    [[gnu::always_inline]] explicit Vector(FixedBlock) { a.clear(); }
    [[gnu::always_inline]] Vector(FixedBlock, const double* x) { a.load(x); }
    // += A x and -= A x, A column-major. Even and odd columns are summed separately: shorter dependent chains.
    template <class T>
    [[gnu::always_inline]] void add_product(const T* A, const Vector& x) {
      Lanes<N> odd;
      odd.clear();
      unroll<N>([&](auto v)
                    __attribute__((always_inline)) { (v % 2 ? odd : a).add(A + v * N, x.a.template get<v.value>()); });
      a.add(odd, 1);
    }
    template <class T>
    [[gnu::always_inline]] void subtract_product(const T* A, const double* x) {
      Lanes<N> odd;
      odd.clear();
      unroll<N>([&](auto v) __attribute__((always_inline)) { (v % 2 ? odd : a).subtract(A + v * N, x[v]); });
      a.add(odd, 1);
    }
    [[gnu::always_inline]] void negate() { a.scale(-1); }
    [[gnu::always_inline]] void store(double* y) const { a.store(y); }
    [[gnu::always_inline]] double dot() const {
      double s = 0;
      unroll<N>([&](auto u)
                    __attribute__((always_inline)) { s += a.template get<u.value>() * a.template get<u.value>(); });
      return s;
    }
  };
};

// f(rows, u) for tiles of `rows` (a compile-time power of 2, at most Largest) rows starting at u that cover n.
template <int Largest, class F>
[[gnu::always_inline]] inline void for_row_tiles(int n, const F& f) {
  int u = 0;
  for (; u + Largest <= n; u += Largest) f(std::integral_constant<int, Largest>{}, u);
  unroll<__builtin_ctz(Largest)>([&](auto i) __attribute__((always_inline)) {
    constexpr int rows = Largest >> (i.value + 1);
    if (u + rows <= n) f(std::integral_constant<int, rows>{}, std::exchange(u, u + rows));
  });
}

struct RuntimeBlock {
  static constexpr int fixed = 0;
  int n;
  explicit RuntimeBlock(int block) : n(block) {}
  int size() const { return n; }

  struct Vector {
    int n;
    alignas(64) double a[max_block];
    explicit Vector(RuntimeBlock b) : n(b.n) {
      for (int u = 0; u < n; ++u) a[u] = 0;
    }
    Vector(RuntimeBlock b, const double* x) : n(b.n) {
      for (int u = 0; u < n; ++u) a[u] = x[u];
    }
    template <class T>
    void add_product(const T* A, const Vector& x) {
      add<1>(A, x.a);
    }
    template <class T>
    void subtract_product(const T* A, const double* x) {
      add<-1>(A, x);
    }
    void negate() {
      for (int u = 0; u < n; ++u) a[u] = -a[u];
    }
    void store(double* y) const {
      for (int u = 0; u < n; ++u) y[u] = a[u];
    }
    double dot() const {
      double s = 0;
      for (int u = 0; u < n; ++u) s += a[u] * a[u];
      return s;
    }

   private:
    // All sums of up to `widest` rows in registers, column after column: the block is read once in memory order, at
    // 0.8 of the triad bandwidth (other orders: 0.4).
    template <int sign, class T>
    void add(const T* A, const double* x) {
      int u = 0;
      for (; n - u > widest; u += widest) add_rows<widest, sign>(n, A + u, x, a + u);
      constexpr auto table = row_sums<sign, T>(std::make_integer_sequence<int, widest>{});
      table.f[n - u - 1](n, A + u, x, a + u);
    }
    static constexpr int widest = WEIR_ROWS_AT_ONCE;
    template <class T>
    struct Table {
      void (*f[widest])(int, const T*, const double*, double*);
    };
    template <int sign, class T, int... I>
    static constexpr Table<T> row_sums(std::integer_sequence<int, I...>) {
      return {{&add_rows<I + 1, sign, T>...}};
    }
    // sums[0 .. R) += sign A x for R rows of A, whose columns are n apart.
    template <int R, int sign, class T>
    static void add_rows(int n, const T* __restrict A, const double* __restrict x, double* __restrict sums) {
      Lanes<R> even, odd;  // shorter chains of dependent additions, as long as both fit into registers
      even.load(sums);
      odd.clear();
      int v = 0;
      for (; R <= 16 && v + 2 <= n; v += 2) {
        even.add(A + v * n, sign * x[v]);
        odd.add(A + (v + 1) * n, sign * x[v + 1]);
      }
      for (; v < n; ++v) even.add(A + v * n, sign * x[v]);
      if constexpr (R <= 16) even.add(odd, 1);
      even.store(sums);
    }
  };
};

// f(FixedBlock<n>) for n <= Largest, else f(RuntimeBlock).
template <int Largest = WEIR_FIXED_BLOCKS, int N = 1, class F>
decltype(auto) with_block(int n, const F& f) {
  if constexpr (N > Largest)
    return f(RuntimeBlock(n));
  else
    return n == N ? f(FixedBlock<N>(n)) : with_block<Largest, N + 1>(n, f);
}

}  // namespace weir::lanes
