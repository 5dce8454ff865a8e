// Passes over the basis on the host: chunks of w stay in cache while the basis passes, in groups of four vectors: w is
// loaded once per group, and eight chains of additions run in parallel. One row of partial sums per chunk, added in
// chunk order: repeats bit for bit for any number of threads. A pass moves 8 bytes per value of a basis of doubles for
// 2 flops (subtract: 4): bound by memory or the last cache.
#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/krylov/basis_host.hpp"
#include "solvers/matrix/block/block_lanes.hpp"

namespace weir::basis_host {
namespace {

using lanes::Quad;

constexpr std::int64_t chunk = 1024;  // 8 KiB of w: fits in the first cache with a group of the basis
constexpr int group = 4;

double sum_of(Quad a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// sums[g] = v_g . w on one chunk, v_g = v + g stride.
template <int G, class T>
void dots(const T* v, std::int64_t stride, const double* w, std::int64_t n, double* sums) {
  Quad even[G] = {}, odd[G] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Quad w0 = lanes::load_quad(w + i), w1 = lanes::load_quad(w + i + 4);
    lanes::unroll<G>([&](auto g) __attribute__((always_inline)) {
      even[g] += lanes::load_quad(v + g * stride + i) * w0;
      odd[g] += lanes::load_quad(v + g * stride + i + 4) * w1;
    });
  }
  for (int g = 0; g < G; ++g) {
    double rest = 0;
    for (std::int64_t k = i; k < n; ++k) rest += v[g * stride + k] * w[k];
    sums[g] = sum_of(even[g] + odd[g]) + rest;
  }
}

// w += sum_g a_g v_g on one chunk.
template <int G, class T>
void axpys(const T* v, std::int64_t stride, const double* a, double* w, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Quad s = lanes::load_quad(w + i);
    lanes::unroll<G>([&](auto g) __attribute__((always_inline)) { s += lanes::load_quad(v + g * stride + i) * a[g]; });
    *reinterpret_cast<Quad*>(w + i) = s;
  }
  for (; i < n; ++i)
    for (int g = 0; g < G; ++g) w[i] += a[g] * v[g * stride + i];
}

// f(integral_constant<G>, j) for groups of G vectors from j on, `count` in total.
template <class F>
void for_groups(int count, const F& f) {
  int j = 0;
  for (; j + group <= count; j += group) f(std::integral_constant<int, group>(), j);
  lanes::with_one_of<1, 2, 3>(count - j, [&](auto G) { f(G, j); });
}

// sums[j] = sum over chunks of partial[chunk][j], j < width
void add_chunks(const double* partial, std::int64_t chunks, int width, double* sums) {
  std::fill(sums, sums + width, 0.0);
  for (std::int64_t c = 0; c < chunks; ++c)
    for (int j = 0; j < width; ++j) sums[j] += partial[c * width + j];
}

}  // namespace

std::int64_t chunks_of(std::int64_t n) { return (n + chunk - 1) / chunk; }

template <class T>
void project(const HostBasis<T>& V, const double* w, int count, double* partial, double* h) {
  const std::int64_t chunks = chunks_of(V.n);
#pragma omp parallel for schedule(static) if (V.n > parallel_grain)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t lo = c * chunk, size = std::min(chunk, V.n - lo);
    for_groups(count, [&](auto G, int j) {
      dots<G.value>(V.v + j * V.stride + lo, V.stride, w + lo, size, partial + c * count + j);
    });
  }
  add_chunks(partial, chunks, count, h);
}

template <class T>
double subtract(const HostBasis<T>& V, const double* h, double* w, int count, double* partial, double* left) {
  const std::int64_t chunks = chunks_of(V.n);
  const int width = count + 1;
  for (int j = 0; j < count; ++j) left[j] = -h[j];
#pragma omp parallel for schedule(static) if (V.n > parallel_grain)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t lo = c * chunk, size = std::min(chunk, V.n - lo);
    double* sums = partial + c * width;
    for_groups(count,
               [&](auto G, int j) { axpys<G.value>(V.v + j * V.stride + lo, V.stride, left + j, w + lo, size); });
    for_groups(count, [&](auto G, int j) { dots<G.value>(V.v + j * V.stride + lo, V.stride, w + lo, size, sums + j); });
    dots<1>(w + lo, 0, w + lo, size, sums + count);
  }
  add_chunks(partial, chunks, width, left);
  return left[count];
}

template <class T>
void combine(const HostBasis<T>& V, const double* y, int count, double* x) {
  const std::int64_t chunks = chunks_of(V.n);
#pragma omp parallel for schedule(static) if (V.n > parallel_grain)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t lo = c * chunk, size = std::min(chunk, V.n - lo);
    for_groups(count, [&](auto G, int j) { axpys<G.value>(V.v + j * V.stride + lo, V.stride, y + j, x + lo, size); });
  }
}

template void project(const HostBasis<double>&, const double*, int, double*, double*);
template void project(const HostBasis<float>&, const double*, int, double*, double*);
template double subtract(const HostBasis<double>&, const double*, double*, int, double*, double*);
template double subtract(const HostBasis<float>&, const double*, double*, int, double*, double*);
template void combine(const HostBasis<double>&, const double*, int, double*);
template void combine(const HostBasis<float>&, const double*, int, double*);

}  // namespace weir::basis_host
