#include "solvers/preconditioner/multigrid/multigrid_cycle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/device/reduce.hpp"
#include "solvers/distributed/box_spread.hpp"
#include "solvers/preconditioner/multigrid/multigrid_boxes.hpp"
#include "solvers/preconditioner/multigrid/multigrid_kernels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_levels.hpp"

namespace weir::multigrid {
namespace {

// In what distance from its own unknowns a rank's values must be right before a visit of a level, so that its own are right
// after it. On the way down each sweep but the first, which starts from zero, takes its reach off, the residual one layer more,
// and the restriction looks two unknowns beyond the last own one; what is left of u is then smoothed again. In an F cycle the
// level is visited a second time, not from zero.
int layers_around(const MultigridOptions& o) {
  const int down = reach(o, o.pre), up = reach(o, o.post), first = o.cycle == "F" ? 0 : 1;
  return std::max(down - first + 3, down - first + up);
}

// How a level's arrays are laid out: LevelView::place.
int place_in_halves(const RankBox& box, const std::array<int, 3>& c) {
  const int i = c[0] - box.low[0], row = (c[2] - box.low[2]) * box.size(1) + c[1] - box.low[1];
  return (2 * row + (i & 1)) * half_pitch(box.size(0)) + (i >> 1);
}

// The levels of a whole grid that are spread, and one more, which is the tail's first.
struct SpreadGrids {
  std::vector<GridLevel> grids;  // all
  std::vector<BoxCuts> cuts;     // of those levels
  int layers = 0;
  bool empty() const { return cuts.size() < 2; }

  RankBox box(std::size_t l, int rank) const {
    RankBox b = grown(grids[l], cuts[l], rank, layers);
    for (std::size_t d = 0; d < 3 && l + 1 < cuts.size(); ++d) whole_pairs(grids[l].transfer[d], b.low[d], b.high[d]);
    return b;
  }
  GridLevel part(std::size_t l, int rank) const {
    const RankBox here = box(l, rank);
    SeparableOperator lines;
    for (std::size_t d = 0; d < 3; ++d) lines.direction[d] = grids[l].line[d].d;
    lines = restricted(lines, here);
    GridLevel p;
    p.two_colours = grids[l].two_colours;
    p.colour = (here.low[0] + here.low[1] + here.low[2]) & 1;
    const bool has_next = l + 1 < cuts.size();
    const RankBox next = has_next ? box(l + 1, rank) : RankBox{};
    for (std::size_t d = 0; d < 3; ++d) {
      p.line[d] = {std::move(lines.direction[d]), {}, 0};
      if (has_next) p.transfer[d] = slice(grids[l].transfer[d], here.low[d], here.high[d], next.low[d], next.high[d]);
    }
    return p;
  }
};

template <class Space>
SpreadGrids spread_grids(const DistributedStencil<Space>& A, const MultigridOptions& options) {
  SpreadGrids s;
  const SeparableOperator& whole = A.whole_operator();
  s.grids = make_grids(whole, options);
  s.layers = layers_around(options);
  const auto order = order_of_lines(whole);
  BoxCuts cuts;
  for (std::size_t d = 0; d < 3; ++d) cuts.begin[d] = A.cuts().begin[order[d]];
  for (std::size_t l = 0; l < s.grids.size(); ++l) {
    if (l > 0) cuts = coarser(cuts, s.grids[l - 1].transfer);
    const bool is_needed = l < 2 || s.grids[l - 1].count() > options.gather_size;
    if (!is_needed || !fits(s.grids[l], cuts, s.layers + 1)) break;
    s.cuts.push_back(cuts);
  }
  return s;
}

}  // namespace

template <class T, class Space>
class DistributedCycle final : public CycleBase<Space> {
 public:
  DistributedCycle(const DistributedStencil<Space>& A, const MultigridOptions& options, SpreadGrids spread)
      : options_(options), ranks_(*A.ranks()), all_levels_(static_cast<int>(spread.grids.size())) {
    const int me = ranks_.rank();
    const std::size_t last = spread.cuts.size() - 1;
    std::vector<GridLevel> parts;
    for (std::size_t l = 0; l <= last; ++l) parts.push_back(spread.part(l, me));
    parts_ = Levels<T, Space>(std::move(parts), options);
    for (std::size_t l = 0; l < last; ++l)
      spread_.emplace_back(
          ranks_, spread.cuts[l], sizes_of(spread.grids[l]), [&](int rank) { return spread.box(l, rank); },
          spread.box(l, me), 1, false, A.halo_options(), place_in_halves);
    const RankBox own = spread.cuts[0].box(me), wide = spread.box(0, me), end = spread.box(last, me);
    LevelView<T>& finest = parts_.view(0);
    finest.own_i = own.low[0] - wide.low[0];
    finest.own_j = own.low[1] - wide.low[1];
    finest.own_k = own.low[2] - wide.low[2];
    finest.own = extents_of(own);
    if (parts_.is_fused(0)) row_dots_ = Array<double, Host>(std::int64_t{1} * finest.own.ny * finest.own.nz);
    tail_cells_ =
        BoxGather<Space>(ranks_, sizes_of(spread.grids[last]), spread.cuts[last].box(me), end, end, place_in_halves);
    if (ranks_.is_root())
      tail_ =
          Hierarchy<T, Space>({spread.grids.begin() + static_cast<std::ptrdiff_t>(last), spread.grids.end()}, options);
  }

  void update(double shift, double scale, bool singular) override {
    parts_.update(shift, scale);
    if (ranks_.is_root()) tail_.update(shift, scale, singular);
  }

  void apply(View<const double> r, View<double> z) override { apply_rows(r, z, nullptr); }
  double apply_dot(View<const double> r, View<double> z) override {
    if (!parts_.is_fused(0)) {
      apply(r, z);
      return sum<Space>(static_cast<int>(r.size()), [=] WEIR_HD(int i) { return r[i] * z[i]; });
    }
    apply_rows(r, z, row_dots_.data());
    return detail::tree_sum(row_dots_.data(), row_dots_.size());
  }

  int levels() const override { return all_levels_; }
  std::int64_t bytes() const override { return parts_.bytes() + (ranks_.is_root() ? tail_.bytes() : 0); }
  Work work() const override { return {}; }  // not stated: it is not the same on all ranks
  std::string describe() const override {
    return std::to_string(all_levels_) + " levels, " + std::to_string(spread_.size()) + " of them distributed";
  }

 private:
  void apply_rows(View<const double> r, View<double> z, double* row_dots) {
    const double peak = run(r.data(), {z.data(), 1, r.data(), row_dots});
    if (const double factor = rescaling(peak); factor > 0) run(r.data(), {z.data(), factor, r.data(), row_dots});
  }

  // As Cycle::run.
  double run(const double* r, const Output& out) {
    const LevelView<T>& finest = parts_.view(0);
    const double factor = 1 / out.factor;
    double peak = 1;
    if (parts_.is_fused(0))
      peak = ranks_.max(load_own(finest, r, factor));
    else
      load<Space>(finest, r, factor);
    share(0, finest.g);
    parts_.descend_from(0, true);
    visit(1, options_.cycle == "F");
    parts_.ascend_to(0, parts_.is_fused(0) ? out : Output{});
    if (!parts_.is_fused(0)) store<Space>(finest, out.factor, out.z);
    return peak;
  }

  void visit(std::size_t l, bool f_cycle) {
    if (parts_.is_last(l)) return visit_tail(f_cycle);
    const LevelView<T>& v = parts_.view(l);
    share(l, v.g);
    parts_.descend_from(l, true);
    visit(l + 1, f_cycle);
    parts_.ascend_to(l);
    share(l, v.u);
    if (!f_cycle) return;
    parts_.descend_from(l, false);
    visit(l + 1, false);
    parts_.ascend_to(l);
    share(l, v.u);
  }

  void visit_tail(bool f_cycle) {
    const LevelView<T>& first = parts_.view(parts_.count() - 1);
    const bool is_root = ranks_.is_root();
    tail_cells_.gather(first.g, is_root ? tail_.levels().view(0).g : nullptr);
    if (is_root) tail_.visit(0, f_cycle, true);
    tail_cells_.scatter(is_root ? tail_.levels().view(0).u : nullptr, first.u);
  }

  // The others' unknowns of a rank's part.
  void share(std::size_t l, T* values) const { spread_[l](values, values); }

  MultigridOptions options_;
  const Communicator& ranks_;
  int all_levels_;
  Levels<T, Space> parts_;                // the last one is the tail's first
  std::vector<BoxSpread<Space>> spread_;  // of all but the last
  BoxGather<Space> tail_cells_;
  Hierarchy<T, Space> tail_;  // rank 0
  Array<double, Host> row_dots_;
};

template <class Space>
std::unique_ptr<CycleBase<Space>> make_distributed_cycle(const DistributedStencil<Space>& A,
                                                         const MultigridOptions& options) {
  SpreadGrids spread = spread_grids(A, options);
  if (spread.empty()) return nullptr;
  if (options.storage == "double")
    return std::make_unique<DistributedCycle<double, Space>>(A, options, std::move(spread));
  return std::make_unique<DistributedCycle<float, Space>>(A, options, std::move(spread));
}
template std::unique_ptr<CycleBase<Host>> make_distributed_cycle<Host>(const DistributedStencil<Host>&,
                                                                       const MultigridOptions&);
template std::unique_ptr<CycleBase<Device>> make_distributed_cycle<Device>(const DistributedStencil<Device>&,
                                                                           const MultigridOptions&);

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
