#include "solvers/preconditioner/multigrid/multigrid_cycle.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/multigrid/multigrid_kernels.hpp"

namespace weir::multigrid {

// Where the largest |g| is outside this range, the cycle is repeated for a scaled r: single precision ends at 1e-38 and
// 1e38. (Only the fused passes look; on Device nothing waits for a number.)
inline constexpr double smallest_safe = 1e-15, largest_safe = 1e15;

template <class T, class Space>
class Cycle : public CycleBase<Space> {
 public:
  Cycle(const SeparableOperator& A, const MultigridOptions& options) : options_(options) {
    Coarsening coarsening{options.merge_factor, options.reduction, options.coarse_size};
    grids_ = make_grids(A, coarsening);
    const bool fused = std::is_same_v<Space, Host> && options.smoother == "red_black";
    for (const GridLevel& grid : grids_) levels_.push_back(make_level<T, Space>(grid, fused));
    fused_ = fused;
    make_scratch();
    const GridLevel& last = grids_.back();
    const auto n = static_cast<std::size_t>(last.count());
    inverse_on_host_.resize(n * n);
    inverse_ = Array<T, Space>(static_cast<std::int64_t>(n * n));
    std::vector<int> places;
    const LevelView<T>& v = levels_.back().view;
    for (int k = 0; k < v.Z.n; ++k)
      for (int j = 0; j < v.Y.n; ++j)
        for (int i = 0; i < v.X.n; ++i) places.push_back(v.place(i, j, k));
    places_ = Array<int, Space>(places);
  }

  void update(double shift, double scale, bool singular) override {
    for (std::size_t l = 0; l < levels_.size(); ++l) set_coefficients(grids_[l], shift, scale, levels_[l]);
    const GridLevel& last = grids_.back();
    invert_coarsest(last, shift, scale, singular, inverse_in_double_, work_);
    const auto n = static_cast<std::size_t>(last.count());
    const auto nx = static_cast<std::size_t>(last.line[0].size()), ny = static_cast<std::size_t>(last.line[1].size());
    for (std::size_t b = 0; b < n; ++b) {
      const double volume =
          last.line[0].d.mass[b % nx] * last.line[1].d.mass[b / nx % ny] * last.line[2].d.mass[b / nx / ny];
      for (std::size_t a = 0; a < n; ++a)
        inverse_on_host_[b * n + a] = static_cast<T>(inverse_in_double_[b * n + a] * volume);
    }
    inverse_.upload(inverse_on_host_);
  }

  void apply(View<const double> r, View<double> z) override { apply_rows(r, z, nullptr); }

  double apply_dot(View<const double> r, View<double> z) override {
    if (is_last(0) || !is_fused(0)) {
      apply(r, z);
      return sum<Space>(static_cast<int>(r.size()), [=] WEIR_HD(int i) { return r[i] * z[i]; });
    }
    apply_rows(r, z, row_dots_.data());
    return detail::tree_sum(row_dots_.data(), row_dots_.size());
  }

  int levels() const override { return static_cast<int>(levels_.size()); }
  // The coefficients of a separable operator are lines: nothing a cell.
  Work work() const override {
    Work work{16 * grids_.front().count(), 0};  // r, z
    const std::size_t last = grids_.size() - 1;
    for (std::size_t l = 0; l < last; ++l) {
      const std::int64_t visits = options_.cycle == "F" ? static_cast<std::int64_t>(l) + 1 : 1;
      const Work once =
          work_of_level(grids_[l].count(), grids_[l + 1].count(), 0, 7, options_.pre + options_.post, sizeof(T));
      work += {visits * once.bytes, visits * once.flops};
    }
    const std::int64_t visits = options_.cycle == "F" ? std::max<std::int64_t>(1, static_cast<std::int64_t>(last)) : 1;
    const Work once = work_of_coarsest(grids_.back().count(), sizeof(T), sizeof(T));
    work += {visits * once.bytes, visits * once.flops};
    return work;
  }
  std::int64_t bytes() const override {
    std::int64_t b = (scratch_.size() + planes_.size() + inverse_.size()) * static_cast<std::int64_t>(sizeof(T));
    for (const auto& l : levels_) b += l.bytes();
    return b;
  }

 private:
  bool is_fused(std::size_t l) const { return fused_ && levels_[l].two_colours; }
  int post_colour() const { return options_.symmetric ? 1 : 0; }
  bool is_last(std::size_t l) const { return l + 1 == levels_.size(); }

  void make_scratch() {
    std::int64_t planes = 0, stride = 0;
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      const LevelView<T>&f = levels_[l].view, &c = levels_[l + 1].view;
      planes = std::max(planes, std::int64_t{1} * c.X.n * c.Y.n * f.Z.n);
      stride = std::max(stride, scratch_size(f, c));
    }
    planes_ = Array<T, Space>(planes);
    for (auto& level : levels_) level.exchange.planes = planes_.data();
    if (!fused_) return;
    workspace_.threads = omp_get_max_threads();
    workspace_.stride = (stride + 64) / 64 * 64;
    scratch_ = Array<T, Host>(workspace_.threads * workspace_.stride);
    workspace_.data = scratch_.data();
    row_dots_ = Array<double, Host>(std::int64_t{1} * levels_[0].view.Y.n * levels_[0].view.Z.n);
    peaks_ = Array<double, Host>(8 * workspace_.threads);
    workspace_.peaks = peaks_.data();
  }

  void apply_rows(View<const double> r, View<double> z, double* row_dots) {
    const double peak = run(r.data(), {z.data(), 1, r.data(), row_dots});
    if (peak > 0 && std::isfinite(peak) && (peak < smallest_safe || peak > largest_safe))
      run(r.data(), {z.data(), std::exp2(std::ilogb(peak)), r.data(), row_dots});
  }

  // One cycle for r / out.factor; returns the largest |g|, or 1 where nobody looked.
  double run(const double* r, const Output& out) {
    const double factor = 1 / out.factor;
    if (is_last(0) || !is_fused(0)) {
      load<Space>(levels_[0].view, r, factor);
      if (is_last(0)) {
        visit(0, false, true);
      } else {
        descend_from(0, true, nullptr, factor);
        visit(1, options_.cycle == "F", true);
        ascend_to(0, {});
      }
      store<Space>(levels_[0].view, out.factor, out.z);
      return 1;
    }
    const double peak = descend_from(0, true, r, factor);
    visit(1, options_.cycle == "F", true);
    ascend_to(0, out);
    return peak;
  }

  // Solves level l approximately for its g.
  void visit(std::size_t l, bool f_cycle, bool from_zero) {
    if (is_last(l)) return solve_coarsest<Space>(levels_[l].view, places_.data(), inverse_.data());
    descend_from(l, from_zero, nullptr, 1);
    visit(l + 1, f_cycle, true);
    ascend_to(l, {});
    if (f_cycle) {
      descend_from(l, false, nullptr, 1);
      visit(l + 1, false, true);
      ascend_to(l, {});
    }
  }

  HostPass<T> pass(std::size_t l, int sweeps, int first_colour) const {
    return {levels_[l].view, levels_[l + 1].view, levels_[l].exchange,           &levels_[l].row, workspace_,
            sweeps,          first_colour,        static_cast<T>(options_.omega)};
  }

  double descend_from(std::size_t l, bool from_zero, const double* r, double factor) {
    if (is_fused(l)) return descend(pass(l, options_.pre, 0), from_zero, r, factor);
    const LevelView<T>& v = levels_[l].view;
    if (from_zero) clear<Space>(v.u, 2 * v.pitch * v.Y.n * v.Z.n);
    smooth(l, options_.pre, 0);
    residual<Space>(v);
    restrict_residual<Space>(v, levels_[l + 1].view, levels_[l].exchange);
    return 1;
  }

  void ascend_to(std::size_t l, const Output& out) {
    if (is_fused(l)) return ascend(pass(l, options_.post, post_colour()), out);
    prolong_correct<Space>(levels_[l].view, levels_[l + 1].view, levels_[l].exchange);
    smooth(l, options_.post, post_colour());
  }

  void smooth(std::size_t l, int sweeps, int first_colour) {
    const LevelView<T>& v = levels_[l].view;
    if (options_.smoother == "jacobi") {
      for (int s = 0; s < sweeps; ++s) {
        residual<Space>(v);
        jacobi_step<Space>(v, static_cast<T>(0.8));
      }
    } else if (options_.smoother == "red_black" && levels_[l].two_colours) {
      for (int s = 0; s < 2 * sweeps; ++s)
        relax_colour<Space>(v, (first_colour + s) % 2, static_cast<T>(options_.omega));
    } else {
      chebyshev(v, 2 * sweeps);
    }
  }

  // The eigenvalues of D^-1 A lie in (0, 2]; those from 2/4 on are smoothed (Adams et al. 2003, Saad 2003 alg. 12.1).
  void chebyshev(const LevelView<T>& v, int degree) {
    const double high = 2, low = high / 4, theta = 0.5 * (high + low), delta = 0.5 * (high - low),
                 sigma = theta / delta;
    double rho = 1 / sigma;
    for (int s = 0; s < degree; ++s) {
      const double rho_new = s == 0 ? rho : 1 / (2 * sigma - rho);
      residual<Space>(v);
      chebyshev_step<Space>(v, static_cast<T>(s == 0 ? 0 : rho_new * rho),
                            static_cast<T>(s == 0 ? 1 / theta : 2 * rho_new / delta));
      rho = rho_new;
    }
  }

  MultigridOptions options_;
  bool fused_ = false;
  std::vector<GridLevel> grids_;
  std::vector<Level<T, Space>> levels_;
  Array<T, Space> planes_, inverse_;
  Array<T, Host> scratch_;
  Array<double, Host> peaks_, row_dots_;
  Workspace<T> workspace_;
  Array<int, Space> places_;
  std::vector<T> inverse_on_host_;
  std::vector<double> inverse_in_double_, work_;
};

template <class Space>
std::unique_ptr<CycleBase<Space>> make_cycle(const SeparableOperator& A, const MultigridOptions& options) {
  if (options.precision == "double") return std::make_unique<Cycle<double, Space>>(A, options);
  return std::make_unique<Cycle<float, Space>>(A, options);
}
template std::unique_ptr<CycleBase<Host>> make_cycle<Host>(const SeparableOperator&, const MultigridOptions&);
template std::unique_ptr<CycleBase<Device>> make_cycle<Device>(const SeparableOperator&, const MultigridOptions&);

}  // namespace weir::multigrid
