// fast_poisson on the device: every direction except the tridiagonal one is a product with its eigenvectors over the
// whole grid (gemm_device: cuBLAS on a GPU). Buffers alternate r -> z -> work -> z; the number of transforms is even,
// so that the result ends in z. The tridiagonal solve has one thread per line, coalesced along x; 40 bytes per value.
// Deterministic as far as the product is. Nothing is allocated after set-up except by the first call of cuBLAS.
#include "solvers/device/array.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/gemm.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"

namespace weir {
namespace fast_poisson_device {

struct DeviceDirection {
  explicit DeviceDirection(const FastPoissonPlan& plan, int d) {
    if (d == plan.tridiagonal) {
      const SeparableDirection& line = plan.direction[d];
      mass = Array<double, Device>(line.mass);
      lower = Array<double, Device>(line.lower);
      upper = Array<double, Device>(line.upper);
      boundary = Array<double, Device>(line.boundary);
      return;
    }
    lambda = Array<double, Device>(plan.modes[d].lambda);
    if (!plan.transforms(d)) return;
    const std::vector<double> full = full_matrix(plan.modes[d]);
    Q = Array<double, Device>(full);
    Q_transposed = Array<double, Device>(transposed(full, plan.modes[d].n));
  }
  Array<double, Device> Q, Q_transposed, lambda, mass, lower, upper, boundary;
};

struct DeviceLine {  // arguments of the tridiagonal direction
  View<const double> mass, lower, upper, boundary;
  int n;
  std::int64_t step;
};

struct LineSystem {
  double sigma, scale, norm;
  bool is_singular;
};

// Prefetch for the recurrence along a line: load(q, k) for line_block values of q, then use(q, k) in the order of k, so
// that the loads overlap the dependent arithmetic.
inline constexpr int line_block = 8;
template <class Load, class Use>
WEIR_HD inline void along_line(int n, const Load& load, const Use& use) {
  for (int k0 = 0; k0 < n; k0 += line_block) {
    for (int q = 0; q < line_block; ++q) load(q, k0 + q < n ? k0 + q : n - 1);
    for (int q = 0; q < line_block && k0 + q < n; ++q) use(q, k0 + q);
  }
}

// One line at `first` (algorithm: fast_poisson_host.cpp). f may be g; x holds the factors of the elimination before the
// solution.
WEIR_HD inline void thomas_line(const DeviceLine& d, const LineSystem& a, std::int64_t first, const double* f,
                                double* g, double* x) {
  double value[line_block], mass[line_block];
  double surplus = 0, total = 0;
  if (a.is_singular) {
    for (int k0 = 0; k0 < d.n; k0 += line_block) {  // branch-free: nvcc would otherwise serialise the loads
      for (int q = 0; q < line_block; ++q) {
        const int k = k0 + q < d.n ? k0 + q : d.n - 1;
        const double v = f[first + k * d.step], m = d.mass[k];
        value[q] = k0 + q < d.n ? v : 0;
        mass[q] = k0 + q < d.n ? m : 0;
      }
      for (int q = 0; q < line_block; ++q) {
        surplus += a.norm * value[q];
        total += mass[q];
      }
    }
    surplus /= total;
  }
  double lower[line_block], upper[line_block], own[line_block];
  double escape = 0, before = 0;
  along_line(
      d.n,
      [&](int q, int k) {
        value[q] = f[first + k * d.step];
        mass[q] = d.mass[k];
        lower[q] = a.scale * d.lower[k];
        upper[q] = a.scale * d.upper[k];
        own[q] = a.sigma * mass[q] + a.scale * d.boundary[k];
      },
      [&](int q, int k) {
        const double e = own[q] + lower[q] * escape, inverse = e + upper[q] > 0 ? 1 / (e + upper[q]) : 0;
        before = (a.norm * value[q] - surplus * mass[q] + lower[q] * before) * inverse;
        escape = e * inverse;
        g[first + k * d.step] = before;
        x[first + k * d.step] = upper[q] * inverse;
      });
  double after = 0, mean = 0;
  along_line(
      d.n,
      [&](int q, int m) {
        const int k = d.n - 1 - m;
        value[q] = g[first + k * d.step];
        upper[q] = x[first + k * d.step];
        mass[q] = d.mass[k];
      },
      [&](int q, int m) {
        x[first + (d.n - 1 - m) * d.step] = after = value[q] + upper[q] * after;
        mean += mass[q] * after;
      });
  if (!a.is_singular) return;
  mean /= total;
  along_line(
      d.n, [&](int q, int k) { value[q] = x[first + k * d.step]; },
      [&](int q, int k) { x[first + k * d.step] = value[q] - mean; });
}

// The loops of the sweep, free functions for nvcc's sake.

void solve_tridiagonal(const FastPoissonPlan& p, const DeviceLine& d, View<const double> lambda_x,
                       View<const double> lambda_2, const double* f, double* g, double* x) {
  const int nx = p.extents.nx, planes = p.tridiagonal == 1 ? p.extents.nz : p.extents.ny;
  const std::int64_t plane = p.tridiagonal == 1 ? std::int64_t{nx} * p.extents.ny : nx;
  const double shift = p.shift, scale = p.scale, norm = p.norm();
  const bool singular = p.singular;
  for_each<Device>(Extents{nx, planes, 1}, [=] WEIR_HD(int i, int j, int) {
    const LineSystem a{shift + scale * (lambda_x[i] + lambda_2[j]), scale, norm, singular && i == 0 && j == 0};
    thomas_line(d, a, j * plane + i, f, g, x);
  });
}

void solve_diagonal(const FastPoissonPlan& p, View<const double> lambda_x, View<const double> lambda_y,
                    View<const double> lambda_z, const double* f, double* x) {
  const Extents e = p.extents;
  const double shift = p.shift, scale = p.scale, norm = p.norm();
  const bool singular = p.singular;
  for_each<Device>(e, [=] WEIR_HD(int i, int j, int k) {
    const int c = e.index(i, j, k);
    const double v = norm * f[c] / (shift + scale * (lambda_x[i] + lambda_y[j] + lambda_z[k]));
    x[c] = singular && c == 0 ? 0 : v;
  });
}

}  // namespace fast_poisson_device

namespace {

using fast_poisson_device::DeviceDirection, fast_poisson_device::DeviceLine;

class DeviceSweep final : public FastPoissonSweep<Device> {
 public:
  explicit DeviceSweep(const FastPoissonPlan& plan)
      : direction_{DeviceDirection(plan, 0), DeviceDirection(plan, 1), DeviceDirection(plan, 2)},
        work_(plan.extents.count()) {}

  void solve(const FastPoissonPlan& p, View<const double> r, View<double> z) const override {
    const double* from = r.data();
    double *to = z.data(), *other = work_.data();
    const auto turn = [&] {
      from = to;
      std::swap(to, other);
    };
    for (int d = 0; d < 3; ++d)
      if (p.transforms(d)) {
        multiply(p, d, false, from, to);
        turn();
      }
    solve_modes(p, from, other, to);
    turn();
    for (int d = 2; d >= 0; --d)
      if (p.transforms(d)) {
        multiply(p, d, true, from, to);
        turn();
      }
  }

  void transform_x(const FastPoissonPlan& plan, bool inverse, const double* from, double* to) const override {
    multiply(plan, 0, inverse, from, to);
  }

  std::int64_t bytes() const override {
    std::int64_t n = work_.size();
    for (const auto& d : direction_) n += d.Q.size() + d.Q_transposed.size() + d.lambda.size() + 4 * d.mass.size();
    return n * static_cast<std::int64_t>(sizeof(double));
  }

 private:
  void multiply(const FastPoissonPlan& p, int d, bool inverse, const double* from, double* to) const {
    const auto& [nx, ny, nz] = p.extents;
    const DeviceDirection& D = direction_[d];
    const std::ptrdiff_t plane = std::ptrdiff_t{nx} * ny;
    const double *Q = D.Q.data(), *T = D.Q_transposed.data();
    GemmBatch g{};
    if (d == 0) g = {nx, ny * nz, nx, {inverse ? Q : T, nx}, {from, nx}, {to, nx}};
    if (d == 1) g = {nx, ny, ny, {from, nx}, {inverse ? T : Q, ny}, {to, nx}, nz, plane, 0, plane};
    if (d == 2) g = {nx * ny, nz, nz, {from, plane}, {inverse ? T : Q, nz}, {to, plane}};
    gemm_device(g);
  }

  // f may be g.
  void solve_modes(const FastPoissonPlan& p, const double* f, double* g, double* x) const {
    const auto& [nx, ny, nz] = p.extents;
    const auto lambda = [&](int d) { return direction_[d].lambda.view(); };
    if (p.tridiagonal < 0) return fast_poisson_device::solve_diagonal(p, lambda(0), lambda(1), lambda(2), f, x);
    const DeviceDirection& D = direction_[p.tridiagonal];
    const DeviceLine line{D.mass.view(),
                          D.lower.view(),
                          D.upper.view(),
                          D.boundary.view(),
                          static_cast<int>(D.mass.size()),
                          p.tridiagonal == 1 ? nx : std::int64_t{nx} * ny};
    fast_poisson_device::solve_tridiagonal(p, line, lambda(0), lambda(p.tridiagonal == 1 ? 2 : 1), f, g, x);
  }

  DeviceDirection direction_[3];
  Array<double, Device> work_;
};

}  // namespace

template <>
std::unique_ptr<FastPoissonSweep<Device>> make_fast_poisson_sweep(const FastPoissonPlan& plan) {
  return std::make_unique<DeviceSweep>(plan);
}

}  // namespace weir
