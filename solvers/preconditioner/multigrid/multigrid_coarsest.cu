#include "solvers/preconditioner/multigrid/multigrid_coarsest.hpp"

#include <algorithm>
#include <utility>

#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson_modes.hpp"

namespace weir::multigrid {
namespace {

constexpr int group = 4;  // modes per thread, for one reading of the unknowns

// Addresses of the values of a line: in natural order, and in the rows of two halves of a level.
struct Natural {
  int stride, n;
  WEIR_HD int base(int line) const { return line / stride * (stride * n) + line % stride; }
  WEIR_HD int offset(int i) const { return i * stride; }
};
struct Halves {
  int pitch;
  WEIR_HD int base(int line) const { return line * 2 * pitch; }
  WEIR_HD int offset(int i) const { return (i & 1) * pitch + (i >> 1); }
};

// out(m) = sum of matrix(i, m) factor in(i) on each line; factor may be null.
template <class T, class In, class Out>
__device__ void contract(const T* matrix, const ModesView<T>& d, int lines, const T* in, const In& from,
                         const T* factor, T* out, const Out& to) {
  const int groups = d.pitch / group;
  for (int item = static_cast<int>(threadIdx.x); item < lines * groups; item += static_cast<int>(blockDim.x)) {
    const int first = item / lines * group, line = item % lines, base = from.base(line), target = to.base(line);
    T sum[group] = {};
    for (int i = 0; i < d.n; ++i) {
      const int c = base + from.offset(i);
      const T v = factor ? factor[c] * in[c] : in[c];
      for (int t = 0; t < group; ++t) sum[t] += matrix[i * d.pitch + first + t] * v;
    }
    for (int t = 0; t < group; ++t)
      if (first + t < d.n) out[target + to.offset(first + t)] = sum[t];
  }
  __syncthreads();
}

constexpr unsigned most_threads =
    backend::emulated ? 64 : 1024;  // emulated threads are fibers that switch at each barrier

template <class T>
__global__ void __launch_bounds__(most_threads) solve_by_modes(CoarsestView<T> s, LevelView<T> L) {
  const ModesView<T>&X = s.direction[0], &Y = s.direction[1], &Z = s.direction[2];
  const Natural x{1, X.n}, y{X.n, Y.n}, z{X.n * Y.n, Z.n};
  const Halves halves{L.pitch};
  const int rows = Y.n * Z.n, columns = X.n * Z.n, plane = X.n * Y.n;
  T *now = s.work[0], *next = s.work[1];
  const T* factor = s.inverse;
  contract(X.to, X, rows, L.g, halves, static_cast<const T*>(nullptr), now, x);
  const auto pass = [&](const T* matrix, const ModesView<T>& d, int lines, const Natural& at, const T* f) {
    contract(matrix, d, lines, now, at, f, next, at);
    T* const old = now;
    now = next, next = old;
  };
  if (Y.n > 1) pass(Y.to, Y, columns, y, nullptr);
  if (Z.n > 1) {
    pass(Z.to, Z, plane, z, nullptr);
    pass(Z.from, Z, plane, z, factor);
    factor = nullptr;
  }
  if (Y.n > 1) {
    pass(Y.from, Y, columns, y, factor);
    factor = nullptr;
  }
  contract(X.from, X, rows, now, x, factor, L.u, halves);
}

// The same on the host, vectorised along x.
template <class T>
void contract_rows(const T* matrix, const ModesView<T>& d, int rows, const T* in, T* out) {
  for (int row = 0; row < rows; ++row, in += d.n, out += d.n) {
    std::fill(out, out + d.n, T(0));
    for (int i = 0; i < d.n; ++i) {
      const T v = in[i], *weights = matrix + i * d.pitch;
#pragma omp simd
      for (int m = 0; m < d.n; ++m) out[m] += weights[m] * v;
    }
  }
}
template <class T>
void contract_across(const T* matrix, const ModesView<T>& d, int stride, int blocks, const T* in, T* out) {
  for (int b = 0; b < blocks; ++b, in += d.n * stride)
    for (int m = 0; m < d.n; ++m, out += stride) {
      std::fill(out, out + stride, T(0));
      for (int i = 0; i < d.n; ++i) {
        const T weight = matrix[i * d.pitch + m], *row = in + i * stride;
#pragma omp simd
        for (int c = 0; c < stride; ++c) out[c] += weight * row[c];
      }
    }
}

template <class T>
void solve_on_host(const CoarsestView<T>& s, const LevelView<T>& L) {
  const ModesView<T>&X = s.direction[0], &Y = s.direction[1], &Z = s.direction[2];
  const int rows = Y.n * Z.n, plane = X.n * Y.n;
  T *now = s.work[0], *next = s.work[1];
  const auto across = [&](const T* matrix, const ModesView<T>& d, int stride, int blocks) {
    if (d.n == 1) return;
    contract_across(matrix, d, stride, blocks, now, next);
    std::swap(now, next);
  };
  const auto along = [&](const T* matrix) {
    contract_rows(matrix, X, rows, now, next);
    std::swap(now, next);
  };
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < X.n; ++i) now[row * X.n + i] = L.g[row * 2 * L.pitch + L.half_of_axis(i)];
  along(X.to);
  across(Y.to, Y, X.n, Z.n);
  across(Z.to, Z, plane, 1);
#pragma omp simd
  for (int c = 0; c < rows * X.n; ++c) now[c] *= s.inverse[c];
  across(Z.from, Z, plane, 1);
  across(Y.from, Y, X.n, Z.n);
  along(X.from);
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < X.n; ++i) L.u[row * 2 * L.pitch + L.half_of_axis(i)] = now[row * X.n + i];
}

}  // namespace

template <class T, class Space>
CoarsestSolve<T, Space>::CoarsestSolve(const GridLevel& level) {
  std::vector<T> matrices;
  for (std::size_t d = 0; d < 3; ++d) {
    const SeparableDirection& line = level.line[d].d;
    ModesView<T>& v = view_.direction[d];
    v.n = line.size();
    v.pitch = (v.n + group - 1) / group * group;
    const Modes modes = make_modes(line, v.n == 1 ? ModeBasis::dense : eigenvector_basis(line));
    lambda_[d] = modes.lambda;
    const std::vector<double> Q = full_matrix(modes);
    const auto n = static_cast<std::size_t>(v.n), pitch = static_cast<std::size_t>(v.pitch);
    const std::size_t to = matrices.size(), from = to + n * pitch;
    matrices.resize(to + 2 * n * pitch, T(0));
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t i = 0; i < n; ++i) {
        matrices[to + i * pitch + m] = static_cast<T>(Q[m * n + i] * line.mass[i]);
        matrices[from + m * pitch + i] = static_cast<T>(Q[m * n + i]);
      }
  }
  matrices_ = Array<T, Space>(matrices);
  const T* at = matrices_.data();
  for (ModesView<T>& v : view_.direction) {
    v.to = std::exchange(at, at + v.n * v.pitch);
    v.from = std::exchange(at, at + v.n * v.pitch);
  }
  inverse_on_host_.assign(static_cast<std::size_t>(3 * level.count()), T(0));
  values_ = Array<T, Space>(inverse_on_host_);
  view_.inverse = values_.data();
  inverse_on_host_.resize(static_cast<std::size_t>(level.count()));
  view_.work[0] = values_.data() + level.count();
  view_.work[1] = view_.work[0] + level.count();
}

template <class T, class Space>
void CoarsestSolve<T, Space>::update(double shift, double scale) {
  double largest = shift;
  for (const auto& lambda : lambda_) largest += scale * *std::ranges::max_element(lambda);
  std::size_t c = 0;
  for (const double z : lambda_[2])
    for (const double y : lambda_[1])
      for (const double x : lambda_[0]) {
        const double lambda = shift + scale * (x + y + z);
        inverse_on_host_[c++] = static_cast<T>(lambda > 1e-13 * largest ? 1 / lambda : 0);
      }
  values_.upload(inverse_on_host_);
}

template <class T, class Space>
void CoarsestSolve<T, Space>::operator()(const LevelView<T>& L) const {
  if constexpr (std::is_same_v<Space, Host>) {
    solve_on_host(view_, L);
  } else {
    const auto items = static_cast<unsigned>((L.count() + group - 1) / group);
    launch({.block = std::min(most_threads, (items + 31) / 32 * 32), .name = "coarsest level"}, solve_by_modes<T>,
           view_, L);
  }
}

template class CoarsestSolve<float, Host>;
template class CoarsestSolve<double, Host>;
template class CoarsestSolve<float, Device>;
template class CoarsestSolve<double, Device>;

}  // namespace weir::multigrid
