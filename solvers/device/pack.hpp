// As many doubles as a vector register holds, used like one number, so that a point function written for any scalar
// serves that many faces (or cells) at once. Host code only, and only in .cpp files: nvcc does not know the extensions.
//
// Packs move to and from memory either contiguous (load), or as records of four doubles at given places (gather4,
// scatter4): whole vector loads and a transposition, much cheaper than a gather of single numbers.
#pragma once
#include <cmath>
#include <cstdint>

#include "solvers/device/simd.hpp"

namespace weir {

struct Pack {
  static constexpr int width = simd_doubles;
  typedef double Vector __attribute__((vector_size(simd_doubles * 8)));
  typedef std::int64_t Mask __attribute__((vector_size(simd_doubles * 8)));
  Vector v;

  Pack() = default;
  Pack(Vector x) : v(x) {}
  Pack(double x) : v(x - Vector{}) {}

  friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  friend Pack operator-(Pack a) { return -a.v; }
  friend Mask operator<(Pack a, Pack b) { return a.v < b.v; }
  friend Pack select(Mask which, Pack yes, Pack no) { return which ? yes.v : no.v; }
  friend bool any_negative(Pack a) {
    const Mask negative = a.v < 0.0;
    std::int64_t any = 0;
    for (int k = 0; k < width; ++k) any |= negative[k];
    return any != 0;
  }
  friend Pack absolute(Pack a) { return a.v < 0.0 ? -a.v : a.v; }
  friend Pack square_root(Pack a) {
    Pack r;
    for (int k = 0; k < width; ++k) r.v[k] = std::sqrt(a.v[k]);
    return r;
  }
};

// Contiguous: width numbers from p on.
inline void load(const double* p, Pack& x) { __builtin_memcpy(&x.v, p, sizeof(x.v)); }
inline void store(Pack x, double* p) { __builtin_memcpy(p, &x.v, sizeof(x.v)); }

// Single numbers from base + index[k]: dearer than records.
inline void gather1(const double* base, const int* index, Pack& out) {
  for (int k = 0; k < Pack::width; ++k) out.v[k] = base[index[k]];
}

namespace detail {
typedef double Record __attribute__((vector_size(32)));
// By reference: without AVX a record is no register, and passing it by value would depend on the target.
inline void get(const double* base, int index, Record& r) {
  __builtin_memcpy(&r, base + std::int64_t{4} * index, sizeof(r));
}
inline void put(double* base, int index, const Record& r) {
  __builtin_memcpy(base + std::int64_t{4} * index, &r, sizeof(r));
}
typedef float RoundedRecord __attribute__((vector_size(16)));
inline void put(float* base, int index, const Record& r) {
  const RoundedRecord rounded = __builtin_convertvector(r, RoundedRecord);
  __builtin_memcpy(base + std::int64_t{4} * index, &rounded, sizeof(rounded));
}
inline void transpose(Record r[4]) {
  const Record a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7),
               c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
}  // namespace detail

// out[c] = component c of the records at base + 4 index[k], k = 0 .. width - 1. P: Pack, a parameter so that only the
// branch of its width is compiled.
template <class P>
inline void gather4(const double* base, const int* index, P out[4]) {
  if constexpr (P::width == 8) {
    typename P::Vector r[4];
    for (int k = 0; k < 4; ++k) {
      detail::Record low, high;
      detail::get(base, index[k], low);
      detail::get(base, index[k + 4], high);
      r[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    const auto a = __builtin_shufflevector(r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const auto b = __builtin_shufflevector(r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const auto c = __builtin_shufflevector(r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const auto d = __builtin_shufflevector(r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
    out[0].v = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1].v = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    out[2].v = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    out[3].v = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
  } else if constexpr (P::width == 4) {
    detail::Record r[4];
    for (int k = 0; k < 4; ++k) detail::get(base, index[k], r[k]);
    detail::transpose(r);
    for (int c = 0; c < 4; ++c) __builtin_memcpy(&out[c].v, &r[c], sizeof(r[c]));
  } else {
    for (int k = 0; k < P::width; ++k)
      for (int c = 0; c < 4; ++c) out[c].v[k] = base[std::int64_t{4} * index[k] + c];
  }
}

// The inverse: the records at base + 4 index[k], all different. V: double, or float, to which the numbers are rounded.
template <class P, class V>
inline void scatter4(const P in[4], V* base, const int* index) {
  if constexpr (P::width == 8) {
    const auto a = __builtin_shufflevector(in[0].v, in[1].v, 0, 8, 2, 10, 4, 12, 6, 14);
    const auto b = __builtin_shufflevector(in[0].v, in[1].v, 1, 9, 3, 11, 5, 13, 7, 15);
    const auto c = __builtin_shufflevector(in[2].v, in[3].v, 0, 8, 2, 10, 4, 12, 6, 14);
    const auto d = __builtin_shufflevector(in[2].v, in[3].v, 1, 9, 3, 11, 5, 13, 7, 15);
    const typename P::Vector r[4] = {__builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13),
                                     __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13),
                                     __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
                                     __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int k = 0; k < 4; ++k) {
      detail::put(base, index[k], __builtin_shufflevector(r[k], r[k], 0, 1, 2, 3));
      detail::put(base, index[k + 4], __builtin_shufflevector(r[k], r[k], 4, 5, 6, 7));
    }
  } else if constexpr (P::width == 4) {
    detail::Record r[4];
    for (int c = 0; c < 4; ++c) __builtin_memcpy(&r[c], &in[c].v, sizeof(r[c]));
    detail::transpose(r);
    for (int k = 0; k < 4; ++k) detail::put(base, index[k], r[k]);
  } else {
    for (int k = 0; k < P::width; ++k)
      for (int c = 0; c < 4; ++c) base[std::int64_t{4} * index[k] + c] = static_cast<V>(in[c].v[k]);
  }
}

// The 4 x 4 blocks a at base + 4 index[k], column by column or row by row. Not inlined: the loops that call it are
// large, and what is added to them the compiler takes from the inlining of the rest.
[[gnu::noinline]] inline void store_floats(const Pack a[4][4], float* base, bool by_columns, const int* index) {
  for (int c = 0; c < 4; ++c) {
    const Pack column[4] = {a[0][c], a[1][c], a[2][c], a[3][c]};
    scatter4(by_columns ? column : a[c], base + 4 * c, index);
  }
}

// The same for records one after another.
namespace detail {
inline constexpr int in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
}
inline void load4(const double* p, Pack out[4]) { gather4(p, detail::in_order, out); }
inline void store4(const Pack in[4], double* p) { scatter4(in, p, detail::in_order); }

}  // namespace weir
