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
  int first = 0, last = -1;  // values first .. last - 1; last < 0: all of them
  // Per line, if the values before `first` and from `last` on have no right-hand side: their `escape`, from either end.
  const double *below = nullptr, *above = nullptr;
};

// f = norm * in. scratch: 2 * size * thomas_width doubles.
void solve_lines(const SeparableDirection& d, double scale, double norm, const ThomasBlock& b, double* scratch) {
  constexpr int W = thomas_width;
  const int n = b.last < 0 ? d.size() : b.last, w = b.count;
  alignas(64) double escape[W] = {}, surplus[W] = {};
  if (b.below) std::copy_n(b.below, w, escape);
  const double total = b.first_is_singular ? std::accumulate(d.mass.begin(), d.mass.end(), 0.0) : 1;
  if (b.first_is_singular) {
    double s = 0;
    for (int k = 0; k < n; ++k) s += b.in[k * b.step];
    surplus[0] = norm * s / total;
  }
  // x_k = g_k + c_k x_{k+1}
  double *g = scratch, *c = scratch + std::ptrdiff_t{n} * W;
  constexpr double no_source[W] = {};
  alignas(64) double rest[W];  // part of the last coupling that the values from b.last on leave
  std::fill_n(rest, W, 1.0);
  for (int k = b.first; k < n; ++k) {
    const double m = d.mass[k], end = scale * d.boundary[k], before = scale * d.lower[k], u = scale * d.upper[k];
    const double *f = b.in + k * b.step, *g_before = k > b.first ? g - W : no_source;
    if (b.above && k + 1 == n) std::copy_n(b.above, w, rest);
#pragma omp simd
    for (int l = 0; l < w; ++l) {
      const double e = b.sigma[l] * m + end + before * escape[l];
      const double pivot = e + u * rest[l];
      const double inverse = pivot > 0 ? 1 / pivot : 0;
      g[l] = (norm * f[l] - surplus[l] * m + before * g_before[l]) * inverse;
      c[l] = u * inverse;
      escape[l] = e * inverse;
    }
    g += W;
    c += W;
  }
  alignas(64) double x[W] = {};
  for (int k = n - 1; k >= b.first; --k) {
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
  void keep_near(const FastPoissonPlan& plan, const RowRanges& near) override;
  void solve_near(const FastPoissonPlan& plan, View<const double> r, View<double> z) const override;
  void transform_x(const FastPoissonPlan& plan, bool inverse, const double* from, double* to) const override;
  std::int64_t bytes() const override { return bytes_; }

 private:
  struct Near {  // rows of solve_near, and all that the tridiagonal systems need of the values beyond them
    RowRanges rows;
    int along = -1;             // the tridiagonal direction; -1: nothing is left out
    int first = 0, last = 0;    // values of the tridiagonal direction between which those rows lie
    std::vector<double> below;  // per line: ThomasBlock
    std::vector<double> above;
  };
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
  void transform_rows(bool inverse, const double* from, double* z, int plane, double* scratch) const;
  void transform_near_planes(const Call& call, bool inverse, const double* from) const;
  int threads() const { return extents_.count() <= parallel_grain ? 1 : std::min(omp_get_max_threads(), slots_); }
  void transform_planes(const Call& call, bool inverse, const double* from) const;
  void transform_z(const Call& call, bool inverse, const double* from) const;
  double sigma(const FastPoissonPlan& p, int line, int plane) const;
  void solve_tridiagonal(const Call& call, const double* from, const Near* near = nullptr) const;
  void solve_diagonal(const Call& call, const double* from) const;

  Extents extents_;
  std::array<std::unique_ptr<LineTransform>, 3> transform_;
  Near near_;
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

// Of a line of the tridiagonal direction: y (plane: z) or z.
double HostSweep::sigma(const FastPoissonPlan& p, int line, int plane) const {
  const int other = p.tridiagonal == 1 ? 2 : 1, at = p.tridiagonal == 1 ? plane : line / extents_.nx;
  return p.shift + p.scale * (p.modes[0].lambda[line % extents_.nx] + p.modes[other].lambda[at]);
}

void HostSweep::solve_tridiagonal(const Call& call, const double* from, const Near* near) const {
  const FastPoissonPlan& p = call.plan;
  const int nx = extents_.nx, along = p.tridiagonal;
  const SeparableDirection& d = p.direction[along];
  const std::ptrdiff_t nxy = std::ptrdiff_t{nx} * extents_.ny;
  const int planes = along == 1 ? extents_.nz : 1, lines = along == 1 ? nx : nx * extents_.ny;
  const int count = blocks(lines, thomas_width);
  run(call, planes * count, [&](int t, double* scratch) {
    const int plane = t / count, first = t % count * thomas_width;
    double sigmas[thomas_width] = {};
    const int w = std::min(thomas_width, lines - first);
    for (int c = 0; c < w; ++c) sigmas[c] = sigma(p, first + c, plane);
    const std::ptrdiff_t offset = plane * nxy + first, line = std::ptrdiff_t{plane} * lines + first;
    ThomasBlock block{
        from + offset, call.z + offset, along == 1 ? nx : nxy, w, sigmas, p.singular && offset == 0 && !near};
    if (near) {
      block.first = near->first, block.last = near->last;
      block.below = near->below.data() + line, block.above = near->above.data() + line;
    }
    solve_lines(d, p.scale, p.norm(), block, scratch);
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

// Only with a tridiagonal direction: the values beyond the rows then enter by one number per line.
void HostSweep::keep_near(const FastPoissonPlan& p, const RowRanges& rows) {
  near_ = {};
  const int along = p.tridiagonal;
  if (along < 0) return;
  const int planes = extents_.nz, size = p.direction[along].size();
  near_.rows = rows;
  near_.first = size;
  for (int k = 0; k < planes; ++k) {
    if (rows.low[k] == rows.high[k]) continue;
    near_.first = std::min(near_.first, along == 1 ? rows.low[k] : k);
    near_.last = std::max(near_.last, along == 1 ? rows.high[k] : k + 1);
  }
  if (near_.first >= near_.last) return;
  near_.along = along;
  const SeparableDirection& d = p.direction[along];
  const int lines = extents_.count() / size, in_plane = along == 1 ? extents_.nx : lines;
  near_.below.resize(static_cast<std::size_t>(lines));
  near_.above.resize(static_cast<std::size_t>(lines));
#pragma omp parallel for schedule(static)
  for (int l = 0; l < lines; ++l) {
    const double s = sigma(p, l % in_plane, l / in_plane);
    const auto escape = [&](int k, double next, double coupling, double outward) {
      const double e = s * d.mass[k] + p.scale * (d.boundary[k] + outward * next), pivot = e + p.scale * coupling;
      return pivot > 0 ? e / pivot : 0;
    };
    double below = 0, above = 0;
    for (int k = 0; k < near_.first; ++k) below = escape(k, below, d.upper[k], d.lower[k]);
    for (int k = size - 1; k >= near_.last; --k) above = escape(k, above, d.lower[k], d.upper[k]);
    near_.below[l] = below;
    near_.above[l] = above;
  }
}

// Along x, for the rows of near_ in a plane.
void HostSweep::transform_rows(bool inverse, const double* from, double* z, int plane, double* scratch) const {
  const int nx = extents_.nx, low = near_.rows.low[plane], high = near_.rows.high[plane];
  const std::ptrdiff_t first = std::ptrdiff_t{plane} * nx * extents_.ny;
  if (!transform_[0]) {
    if (from != z) std::copy(from + first + low * nx, from + first + high * nx, z + first + low * nx);
    return;
  }
  const LineTransform& T = *transform_[0];
  for (int j = low; j < high; j += T.block()) {
    const std::ptrdiff_t at = first + std::ptrdiff_t{j} * nx;
    const Lines l{from + at, z + at, 1, nx, std::min(T.block(), high - j)};
    inverse ? T.inverse(l, scratch) : T.forward(l, scratch);
  }
}

// Along x and, if z is tridiagonal, along y.
void HostSweep::transform_near_planes(const Call& call, bool inverse, const double* from) const {
  const std::ptrdiff_t nx = extents_.nx, nxy = nx * extents_.ny;
  const bool along_z = near_.along == 2;
  const int first = along_z ? near_.first : 0, last = along_z ? near_.last : extents_.nz;
  run(call, last - first, [&](int t, double* scratch) {
    const int k = first + t, low = near_.rows.low[k], high = near_.rows.high[k];
    const auto along_y = [&] {
      for (int b = 0; transform_[1] && b < blocks_a_plane(1); ++b)
        transform_block(1, inverse, call.z, call.z, k, b, scratch);
    };
    if (inverse) {
      if (low == high) return;
      if (along_z) along_y();
      return transform_rows(true, call.z, call.z, k, scratch);
    }
    double* plane = call.z + k * nxy;
    const int from_row = along_z ? 0 : near_.first, to_row = along_z ? extents_.ny : near_.last;
    if (low == high) return std::fill(plane + from_row * nx, plane + to_row * nx, 0.0);
    std::fill(plane + from_row * nx, plane + low * nx, 0.0);
    std::fill(plane + high * nx, plane + to_row * nx, 0.0);
    transform_rows(false, from, call.z, k, scratch);
    if (along_z) along_y();
  });
}

void HostSweep::solve_near(const FastPoissonPlan& plan, View<const double> r, View<double> z) const {
  if (near_.along < 0) return solve(plan, r, z);
  const Call call{plan, threads(), z.data()};
  transform_near_planes(call, false, r.data());
  const bool along_z = near_.along == 1 && transform_[2];
  const auto transform = [&](bool inverse) {  // along z, in the rows between which all rows lie
    const LineTransform& T = *transform_[2];
    const std::ptrdiff_t nx = extents_.nx, nxy = nx * extents_.ny, first = near_.first * nx, last = near_.last * nx;
    run(call, blocks(static_cast<int>(last - first), T.block()), [&](int b, double* scratch) {
      double* at = call.z + first + std::ptrdiff_t{b} * T.block();
      const int count = static_cast<int>(std::min<std::ptrdiff_t>(T.block(), call.z + last - at));
      const Lines l{at, at, nxy, 1, count};
      inverse ? T.inverse(l, scratch) : T.forward(l, scratch);
    });
  };
  if (along_z) transform(false);
  solve_tridiagonal(call, z.data(), &near_);
  if (along_z) transform(true);
  transform_near_planes(call, true, z.data());
}

}  // namespace

template <>
std::unique_ptr<FastPoissonSweep<Host>> make_fast_poisson_sweep(const FastPoissonPlan& plan) {
  return std::make_unique<HostSweep>(plan);
}

}  // namespace weir
