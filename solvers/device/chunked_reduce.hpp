// Reductions as the CPU runs them: chunks of a fixed size, each summed in one SIMD order, their sums added pairwise.
// The result depends on n only, never on the number of threads. Host uses it with threads, the emulated device without.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/host_device.hpp"

namespace weir {

struct Pair {
  double a = 0, b = 0;
};
WEIR_HD inline Pair operator+(const Pair& x, const Pair& y) { return {x.a + y.a, x.b + y.b}; }

// The least and the largest of some values; not-a-number where one of them is.
struct Extrema {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
  Extrema() = default;
  WEIR_HD explicit Extrema(double v) : least(v), most(v) {}
};

namespace detail {

inline constexpr int reduction_chunk = 4096;
inline constexpr int reduction_grain =
    2 * reduction_chunk;  // below this many indices a second thread costs more than it saves

double* reduction_scratch(std::int64_t count);     // of this thread; grows, then stays
double tree_sum(const double* v, std::int64_t n);  // pairwise, fixed

inline int reduction_chunks(int n) { return (n + reduction_chunk - 1) / reduction_chunk; }
inline int chunk_end(int c, int n) { return std::min(n - c * reduction_chunk, reduction_chunk) + c * reduction_chunk; }

// One chunk. The body comes by value: through a reference every access becomes a gather.
template <class F>
inline double chunk_sum(int lo, int hi, const F f) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (int i = lo; i < hi; ++i) s += f(i);
  return s;
}
template <class F>
inline Pair chunk_sum2(int lo, int hi, const F f) {
  double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
  for (int i = lo; i < hi; ++i) {
    const Pair p = f(i);
    a += p.a;
    b += p.b;
  }
  return {a, b};
}
template <class F>
inline double chunk_max(int lo, int hi, const F f) {
  double m = 0, bad = 0;
#pragma omp simd reduction(max : m) reduction(+ : bad)
  for (int i = lo; i < hi; ++i) {
    const double v = f(i), size = v < 0 ? -v : v;
    m = size > m ? size : m;
    bad += v != v ? 1 : 0;
  }
  return bad > 0 ? std::numeric_limits<double>::quiet_NaN() : m;
}

// body(chunk)
template <bool threaded, class G>
void for_chunks(int n, const G& body) {
  const int chunks = reduction_chunks(n);
  if constexpr (threaded) {
#pragma omp parallel for schedule(static) if (n > reduction_grain)
    for (int c = 0; c < chunks; ++c) body(c);
  } else {
    for (int c = 0; c < chunks; ++c) body(c);
  }
}

template <bool threaded, class F>
double chunked_sum(int n, const F& f) {
  const int chunks = reduction_chunks(n);
  double* part = reduction_scratch(chunks);
  for_chunks<threaded>(n, [&](int c) { part[c] = chunk_sum(c * reduction_chunk, chunk_end(c, n), f); });
  return tree_sum(part, chunks);
}

template <bool threaded, class F>
Pair chunked_sum2(int n, const F& f) {
  const int chunks = reduction_chunks(n);
  double* part = reduction_scratch(2 * static_cast<std::int64_t>(chunks));
  for_chunks<threaded>(n, [&](int c) {
    const Pair p = chunk_sum2(c * reduction_chunk, chunk_end(c, n), f);
    part[c] = p.a;
    part[chunks + c] = p.b;
  });
  return {tree_sum(part, chunks), tree_sum(part + chunks, chunks)};
}

// The larger one, where a not-a-number is larger than all.
WEIR_HD inline double larger(double m, double v) { return v > m || v != v ? v : m; }

WEIR_HD inline Extrema wider(Extrema m, const Extrema& v) {
  if (v.least < m.least || v.least != v.least) m.least = v.least;
  m.most = larger(m.most, v.most);
  return m;
}

template <class F>
Extrema extrema(int n, const F& f) {
  Extrema all;
  for (int i = 0; i < n; ++i) all = wider(all, Extrema(f(i)));
  return all;
}

template <bool threaded, class F>
double chunked_max(int n, const F& f) {
  const int chunks = reduction_chunks(n);
  double* part = reduction_scratch(chunks);
  for_chunks<threaded>(n, [&](int c) { part[c] = chunk_max(c * reduction_chunk, chunk_end(c, n), f); });
  double m = 0;
  for (int c = 0; c < chunks; ++c) m = larger(m, part[c]);
  return m;
}

}  // namespace detail
}  // namespace weir
