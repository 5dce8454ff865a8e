// fast_poisson on the host, in place in z: transforms of blocks of lines, the tridiagonal (or diagonal) solve,
// transforms back. Blocks depend on the grid only and each is done by one thread, so that results do not depend on the
// threads. Transforms along x and y stay in one plane: with enough planes a thread does both while the plane is in its
// cache, and main memory is passed three times in all.
#include <omp.h>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"
#include "solvers/preconditioner/fast_poisson/line_transform.hpp"

namespace weir {
namespace {

// Thomas algorithm for the tridiagonal direction, many lines at once:
//  (sigma M + scale K) x = f .
// With e_k = pivot_k - u_k (u = scale * upper) instead of the pivots every step adds numbers of one sign,
//  e_k = sigma m_k + scale boundary_k + u_{k-1} e_{k-1} / pivot_{k-1} ,
// so that nothing cancels, however small sigma is. If the matrix is singular the last pivot is exactly 0, and the last
// unknown is set to 0. `escape`: e / pivot of the row before; `surplus`: the part of f without a solution, per mass.
constexpr int thomas_width = 32;  // most lines at once

// One block of lines: value k of line c at in[k * step + c].
struct ThomasBlock {
  const double* in;
  double* out;  // may be in
  std::ptrdiff_t step;
  int count;
  const double* sigma;  // per line
  bool first_is_singular = false;
};

// f = norm * in. scratch: 2 * size * thomas_width doubles.
void solve_lines(const SeparableDirection& d, double scale, double norm, const ThomasBlock& b, double* scratch) {
  constexpr int W = thomas_width;
  const int n = d.size(), w = b.count;
  alignas(64) double escape[W] = {}, surplus[W] = {};
  const double total = b.first_is_singular ? std::accumulate(d.mass.begin(), d.mass.end(), 0.0) : 1;
  if (b.first_is_singular) {
    double s = 0;
    for (int k = 0; k < n; ++k) s += b.in[k * b.step];
    surplus[0] = norm * s / total;
  }
  // x_k = g_k + c_k x_{k+1}
  double *g = scratch, *c = scratch + std::ptrdiff_t{n} * W;
  for (int k = 0; k < n; ++k) {
    const double m = d.mass[k], end = scale * d.boundary[k], before = scale * d.lower[k], u = scale * d.upper[k];
    const double *f = b.in + k * b.step, *g_before = k > 0 ? g - W : escape;
#pragma omp simd
    for (int l = 0; l < w; ++l) {
      const double e = b.sigma[l] * m + end + before * escape[l];
      const double pivot = e + u;
      const double inverse = pivot > 0 ? 1 / pivot : 0;
      g[l] = (norm * f[l] - surplus[l] * m + before * g_before[l]) * inverse;
      c[l] = u * inverse;
      escape[l] = e * inverse;
    }
    g += W;
    c += W;
  }
  alignas(64) double x[W] = {};
  for (int k = n - 1; k >= 0; --k) {
    g -= W;
    c -= W;
    double* out = b.out + k * b.step;
#pragma omp simd
    for (int l = 0; l < w; ++l) out[l] = x[l] = g[l] + c[l] * x[l];
  }
  if (b.first_is_singular) {  // zero mean over the line
    double mean = 0;
    for (int k = 0; k < n; ++k) mean += d.mass[k] * b.out[k * b.step];
    mean /= total;
    for (int k = 0; k < n; ++k) b.out[k * b.step] -= mean;
  }
}

int blocks(int count, int block) { return (count + block - 1) / block; }

class HostSweep final : public FastPoissonSweep<Host> {
 public:
  explicit HostSweep(const FastPoissonPlan& plan);
  void solve(const FastPoissonPlan& plan, View<const double> r, View<double> z) const override;
  void transform_x(const FastPoissonPlan& plan, bool inverse, const double* from, double* to) const override;
  std::int64_t bytes() const override { return bytes_; }

 private:
  struct Call {  // one solve
    const FastPoissonPlan& plan;
    int threads;
    double* z;
  };

  // f(task, scratch of the thread) for tasks 0 .. count - 1.
  template <class F>
  void run(const Call& call, int count, const F& f) const {
#pragma omp parallel for schedule(static) num_threads(call.threads)
    for (int t = 0; t < count; ++t) f(t, scratch_.data() + omp_get_thread_num() * stride_);
  }
  int blocks_a_plane(int d) const {
    const int lines = d == 0 ? extents_.ny : d == 1 ? extents_.nx : extents_.nx * extents_.ny;
    return blocks(lines, transform_[d]->block());
  }
  void transform_block(int d, bool inverse, const double* from, double* z, int plane, int block, double* scratch) const;
  int threads() const { return extents_.count() <= parallel_grain ? 1 : std::min(omp_get_max_threads(), slots_); }
  void transform_planes(const Call& call, bool inverse, const double* from) const;
  void transform_z(const Call& call, bool inverse, const double* from) const;
  void solve_tridiagonal(const Call& call, const double* from) const;
  void solve_diagonal(const Call& call, const double* from) const;

  Extents extents_;
  std::array<std::unique_ptr<LineTransform>, 3> transform_;
  Array<double, Host> scratch_;
  std::int64_t stride_ = 0, bytes_ = 0;
  int slots_ = 1;
};

HostSweep::HostSweep(const FastPoissonPlan& plan) : extents_(plan.extents) {
  for (int d = 0; d < 3; ++d) {
    const Modes& modes = plan.modes[d];
    if (!plan.transforms(d)) continue;
    const bool matrix = modes.basis == ModeBasis::dense || modes.basis == ModeBasis::symmetric;
    transform_[d] = matrix ? make_matrix_transform(modes) : make_fast_transform(modes);
    stride_ = std::max(stride_, transform_[d]->scratch());
    bytes_ += static_cast<std::int64_t>(2 * (modes.even.size() + modes.odd.size()) * sizeof(double));
  }
  if (plan.tridiagonal >= 0)
    stride_ = std::max<std::int64_t>(stride_, 2 * thomas_width * plan.direction[plan.tridiagonal].size());
  stride_ = (stride_ + 7) / 8 * 8 + 8;  // whole cache lines, and no two threads in the same cache sets
  slots_ = std::max(omp_get_max_threads(), omp_get_num_procs());
  scratch_ = Array<double, Host>(stride_ * slots_);
  bytes_ += stride_ * slots_ * static_cast<std::int64_t>(sizeof(double));
}

void HostSweep::transform_block(int d, bool inverse, const double* from, double* z, int plane, int block,
                                double* scratch) const {
  const auto& [nx, ny, nz] = extents_;
  const LineTransform& T = *transform_[d];
  const std::ptrdiff_t nxy = std::ptrdiff_t{nx} * ny;
  const int first = block * T.block(), lines = d == 0 ? ny : d == 1 ? nx : nx * ny;
  const std::ptrdiff_t next = d == 0 ? nx : 1, step = d == 0 ? 1 : d == 1 ? nx : nxy;
  const std::ptrdiff_t offset = plane * nxy + first * next;
  const Lines l{from + offset, z + offset, step, next, std::min(T.block(), lines - first)};
  inverse ? T.inverse(l, scratch) : T.forward(l, scratch);
}

// Along x and y; the inverse in the opposite order.
void HostSweep::transform_planes(const Call& call, bool inverse, const double* from) const {
  const int nz = extents_.nz;
  const int order[2] = {inverse ? 1 : 0, inverse ? 0 : 1};
  const auto has = [&](int d) { return transform_[d] != nullptr; };
  if (nz >= 4 * call.threads) {
    run(call, nz, [&](int k, double* scratch) {
      const double* in = from;
      for (int d : order) {
        if (!has(d)) continue;
        for (int b = 0; b < blocks_a_plane(d); ++b) transform_block(d, inverse, in, call.z, k, b, scratch);
        in = call.z;
      }
    });
    return;
  }
  for (int d : order) {
    if (!has(d)) continue;
    const int count = blocks_a_plane(d);
    run(call, nz * count,
        [&](int t, double* scratch) { transform_block(d, inverse, from, call.z, t / count, t % count, scratch); });
    from = call.z;
  }
}

void HostSweep::transform_z(const Call& call, bool inverse, const double* from) const {
  run(call, blocks_a_plane(2),
      [&](int b, double* scratch) { transform_block(2, inverse, from, call.z, 0, b, scratch); });
}

void HostSweep::solve_tridiagonal(const Call& call, const double* from) const {
  const FastPoissonPlan& p = call.plan;
  const int nx = extents_.nx, along = p.tridiagonal;
  const SeparableDirection& d = p.direction[along];
  const std::ptrdiff_t nxy = std::ptrdiff_t{nx} * extents_.ny;
  const int planes = along == 1 ? extents_.nz : 1, lines = along == 1 ? nx : nx * extents_.ny;
  const int count = blocks(lines, thomas_width);
  const double* lambda_x = p.modes[0].lambda.data();
  const double* lambda_2 = p.modes[along == 1 ? 2 : 1].lambda.data();
  run(call, planes * count, [&](int t, double* scratch) {
    const int plane = t / count, first = t % count * thomas_width;
    double sigma[thomas_width] = {};
    const int w = std::min(thomas_width, lines - first);
    for (int c = 0; c < w; ++c) {
      const int j = along == 1 ? plane : (first + c) / nx;
      sigma[c] = p.shift + p.scale * (lambda_x[(first + c) % nx] + lambda_2[j]);
    }
    const std::ptrdiff_t offset = plane * nxy + first;
    solve_lines(d, p.scale, p.norm(),
                {from + offset, call.z + offset, along == 1 ? nx : nxy, w, sigma, p.singular && offset == 0}, scratch);
  });
}

void HostSweep::solve_diagonal(const Call& call, const double* from) const {
  const FastPoissonPlan& p = call.plan;
  const int nx = extents_.nx, ny = extents_.ny;
  run(call, ny * extents_.nz, [&](int row, double*) {
    const double norm = p.norm(), scale = p.scale;
    const double* lambda = p.modes[0].lambda.data();
    const double rest = p.shift + scale * (p.modes[1].lambda[row % ny] + p.modes[2].lambda[row / ny]);
    const double* f = from + std::ptrdiff_t{row} * nx;
    double* x = call.z + std::ptrdiff_t{row} * nx;
#pragma omp simd
    for (int i = 0; i < nx; ++i) x[i] = norm * f[i] / (rest + scale * lambda[i]);
    if (row == 0 && p.singular) x[0] = 0;
  });
}

void HostSweep::transform_x(const FastPoissonPlan& plan, bool inverse, const double* from, double* to) const {
  const Call call{plan, threads(), to};
  const int count = blocks_a_plane(0);
  run(call, extents_.nz * count,
      [&](int t, double* scratch) { transform_block(0, inverse, from, to, t / count, t % count, scratch); });
}

void HostSweep::solve(const FastPoissonPlan& plan, View<const double> r, View<double> z) const {
  const Call call{plan, threads(), z.data()};
  const bool in_planes = transform_[0] || transform_[1], along_z = transform_[2] != nullptr;
  const double* from = r.data();
  if (in_planes) {
    transform_planes(call, false, from);
    from = z.data();
  }
  if (along_z) {
    transform_z(call, false, from);
    from = z.data();
  }
  plan.tridiagonal >= 0 ? solve_tridiagonal(call, from) : solve_diagonal(call, from);
  if (along_z) transform_z(call, true, z.data());
  if (in_planes) transform_planes(call, true, z.data());
}

}  // namespace

template <>
std::unique_ptr<FastPoissonSweep<Host>> make_fast_poisson_sweep(const FastPoissonPlan& plan) {
  return std::make_unique<HostSweep>(plan);
}

}  // namespace weir
