// Host: chunks that stay in cache while the basis passes by, one row of partial sums a chunk, added in chunk order:
// repeats bit for bit for every number of threads. Device: two basis vectors a kernel, w in cache or registers between.
#include "solvers/krylov/basis.hpp"

#include <algorithm>

#include "solvers/krylov/vector_ops.hpp"

namespace weir {
namespace {

constexpr std::int64_t chunk = 1024;  // 8 KiB of w: stays in the first cache beside a vector of the basis

std::int64_t chunks_of(std::int64_t n) { return (n + chunk - 1) / chunk; }

double chunk_dot(const double* a, const double* b, std::int64_t n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (std::int64_t i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}
void chunk_axpy(double alpha, const double* a, double* b, std::int64_t n) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) b[i] += alpha * a[i];
}

// sums[j] = sum over chunks of partial[chunk][j], j < width
void add_chunks(const std::vector<double>& partial, std::int64_t chunks, int width, double* sums) {
  std::fill(sums, sums + width, 0.0);
  for (std::int64_t c = 0; c < chunks; ++c)
    for (int j = 0; j < width; ++j) sums[j] += partial[static_cast<std::size_t>(c * width + j)];
}

struct HostBasis {
  const double* v;
  std::int64_t n, stride;
};

void host_project(const HostBasis& V, const double* w, int count, std::vector<double>& partial, double* h) {
  const std::int64_t chunks = chunks_of(V.n);
#pragma omp parallel for schedule(static) if (V.n > parallel_grain)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t lo = c * chunk, size = std::min(chunk, V.n - lo);
    for (int j = 0; j < count; ++j)
      partial[static_cast<std::size_t>(c * count + j)] = chunk_dot(V.v + j * V.stride + lo, w + lo, size);
  }
  add_chunks(partial, chunks, count, h);
}

double host_subtract(const HostBasis& V, const double* h, double* w, int count, std::vector<double>& partial,
                     double* left) {
  const std::int64_t chunks = chunks_of(V.n);
  const int width = count + 1;
#pragma omp parallel for schedule(static) if (V.n > parallel_grain)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t lo = c * chunk, size = std::min(chunk, V.n - lo);
    double* sums = partial.data() + c * width;
    for (int j = 0; j < count; ++j) chunk_axpy(-h[j], V.v + j * V.stride + lo, w + lo, size);
    for (int j = 0; j < count; ++j) sums[j] = chunk_dot(V.v + j * V.stride + lo, w + lo, size);
    sums[count] = chunk_dot(w + lo, w + lo, size);
  }
  add_chunks(partial, chunks, width, left);
  return left[count];
}

void host_combine(const HostBasis& V, const double* y, int count, double* x) {
  const std::int64_t chunks = chunks_of(V.n);
#pragma omp parallel for schedule(static) if (V.n > parallel_grain)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t lo = c * chunk, size = std::min(chunk, V.n - lo);
    for (int j = 0; j < count; ++j) chunk_axpy(y[j], V.v + j * V.stride + lo, x + lo, size);
  }
}

// y += a u + b v, in one pass.
template <class Space>
void add_two(double a, ConstVector u, double b, ConstVector v, Vector y) {
  for_each<Space>(static_cast<int>(y.size()), [=] WEIR_HD(int i) { y[i] += a * u[i] + b * v[i]; });
}

}  // namespace

template <class Space>
void Basis<Space>::fit(std::int64_t n, int vectors) {
  if (n == n_ && vectors <= count_) return;
  n_ = n;
  stride_ = (n + 7) / 8 * 8;
  count_ = vectors;
  data_ = Array<double, Space>(stride_ * vectors);
  partial_.resize(static_cast<std::size_t>(chunks_of(n) * (vectors + 1)));
}

template <class Space>
void Basis<Space>::project(View<const double> w, int count, double* h) {
  if constexpr (std::is_same_v<Space, Host>) {
    host_project({data_.data(), n_, stride_}, w.data(), count, partial_, h);
  } else {
    const Basis& V = *this;
    for (int j = 0; j + 1 < count; j += 2) {
      const Pair two = dot2<Space>(w, V[j], V[j + 1]);
      h[j] = two.a;
      h[j + 1] = two.b;
    }
    if (count % 2) h[count - 1] = dot<Space>(V[count - 1], w);
  }
}

template <class Space>
void Basis<Space>::combine(const double* y, int count, View<double> x) {
  if constexpr (std::is_same_v<Space, Host>) {
    host_combine({data_.data(), n_, stride_}, y, count, x.data());
  } else {
    const Basis& V = *this;
    for (int j = 0; j + 1 < count; j += 2) add_two<Space>(y[j], V[j], y[j + 1], V[j + 1], x);
    if (count % 2) axpy<Space>(y[count - 1], V[count - 1], x);
  }
}

template <class Space>
double Basis<Space>::subtract(const double* h, int count, View<double> w, double* left) {
  if constexpr (std::is_same_v<Space, Host>) {
    return host_subtract({data_.data(), n_, stride_}, h, w.data(), count, partial_, left);
  } else {
    for (int j = 0; j < count; ++j) left[j] = -h[j];
    combine(left, count, w);
    project(w, count, left);
    return dot<Space>(w, w);
  }
}

template class Basis<Host>;
template class Basis<Device>;

}  // namespace weir
