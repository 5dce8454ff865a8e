#include "solvers/preconditioner/multigrid/multigrid_cycle.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/multigrid/multigrid_kernels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_levels.hpp"

namespace weir::multigrid {

double rescaling(double peak) {
  const bool is_safe = !(peak > 0) || !std::isfinite(peak) || (peak >= smallest_safe && peak <= largest_safe);
  return is_safe ? 0 : std::exp2(std::ilogb(peak));
}

// The coefficients of a separable operator are lines: nothing a cell.
Work work_of_cycle(const std::vector<GridLevel>& grids, const MultigridOptions& options) {
  const auto value = static_cast<std::int64_t>(options.storage == "double" ? sizeof(double) : sizeof(float));
  const bool is_f = options.cycle == "F";
  Work work{16 * grids.front().count(), 0};  // r, z
  const auto add = [&](std::int64_t visits, const Work& once) { work += {visits * once.bytes, visits * once.flops}; };
  const std::size_t last = grids.size() - 1;
  for (std::size_t l = 0; l < last; ++l)
    add(is_f ? static_cast<std::int64_t>(l) + 1 : 1,
        work_of_level(grids[l].count(), grids[l + 1].count(), 0, 7, options.pre + options.post, value));
  add(is_f ? std::max<std::int64_t>(1, static_cast<std::int64_t>(last)) : 1,
      work_of_coarsest(grids.back().count(), value, value));
  return work;
}

std::vector<GridLevel> make_grids(const SeparableOperator& A, const MultigridOptions& options) {
  return make_grids(A, Coarsening{options.merge_factor, options.reduction, options.coarse_size});
}

template <class T, class Space>
class Cycle : public CycleBase<Space> {
 public:
  Cycle(const SeparableOperator& A, const MultigridOptions& options)
      : options_(options), all_(make_grids(A, options), options) {
    const LevelView<T>& finest = all_.levels().view(0);
    if (all_.levels().is_fused(0)) row_dots_ = Array<double, Host>(std::int64_t{1} * finest.Y.n * finest.Z.n);
  }

  void update(double shift, double scale, bool singular) override { all_.update(shift, scale, singular); }

  void apply(View<const double> r, View<double> z) override { apply_rows(r, z, nullptr); }

  double apply_dot(View<const double> r, View<double> z) override {
    if (!is_fused()) {
      apply(r, z);
      return sum<Space>(static_cast<int>(r.size()), [=] WEIR_HD(int i) { return r[i] * z[i]; });
    }
    apply_rows(r, z, row_dots_.data());
    return detail::tree_sum(row_dots_.data(), row_dots_.size());
  }

  int levels() const override { return static_cast<int>(all_.levels().count()); }
  Work work() const override { return work_of_cycle(all_.levels().grids(), options_); }
  std::int64_t bytes() const override { return all_.bytes(); }

 private:
  bool is_fused() const { return !all_.levels().is_last(0) && all_.levels().is_fused(0); }

  void apply_rows(View<const double> r, View<double> z, double* row_dots) {
    const double peak = run(r.data(), {z.data(), 1, r.data(), row_dots});
    if (const double factor = rescaling(peak); factor > 0) run(r.data(), {z.data(), factor, r.data(), row_dots});
  }

  // One cycle for r / out.factor; returns the largest |g|, or 1 where nobody looked.
  double run(const double* r, const Output& out) {
    const double factor = 1 / out.factor;
    Levels<T, Space>& levels = all_.levels();
    if (!is_fused()) {
      load<Space>(levels.view(0), r, factor);
      if (levels.is_last(0)) {
        all_.visit(0, false, true);
      } else {
        levels.descend_from(0, true);
        all_.visit(1, options_.cycle == "F", true);
        levels.ascend_to(0);
      }
      store<Space>(levels.view(0), out.factor, out.z);
      return 1;
    }
    const double peak = levels.descend_from(0, true, r, factor);
    all_.visit(1, options_.cycle == "F", true);
    levels.ascend_to(0, out);
    return peak;
  }

  MultigridOptions options_;
  Hierarchy<T, Space> all_;
  Array<double, Host> row_dots_;
};

template <class Space>
std::unique_ptr<CycleBase<Space>> make_cycle(const SeparableOperator& A, const MultigridOptions& options) {
  if (options.storage == "double") return std::make_unique<Cycle<double, Space>>(A, options);
  return std::make_unique<Cycle<float, Space>>(A, options);
}
template std::unique_ptr<CycleBase<Host>> make_cycle<Host>(const SeparableOperator&, const MultigridOptions&);
template std::unique_ptr<CycleBase<Device>> make_cycle<Device>(const SeparableOperator&, const MultigridOptions&);

}  // namespace weir::multigrid
