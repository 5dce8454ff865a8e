// Cycle of a separable operator. Over ranks (multigrid_boxes.hpp) every value is that of one rank, to round-off; 7
// layers are computed twice for V(2,2) by two colours. The finest level has one exchange; a red-black cycle on the host
// also reduces the largest value of r.
#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/device/asynchronous/recorded_work.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/distributed/box_spread.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/preconditioner/multigrid/multigrid_boxes.hpp"
#include "solvers/preconditioner/multigrid/multigrid_levels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_load_store.hpp"
#include "solvers/registry.hpp"

namespace weir::multigrid {
namespace {

// If the largest |g| is outside this range, the cycle is repeated for a scaled r: single precision ends at 1e-38 and
// 1e38. Only the fused passes on the host check; the device does not wait for the value.
constexpr double smallest_safe = 1e-15, largest_safe = 1e15;

// Divisor of r for a repeated cycle; 0: no repetition.
double rescaling(double peak) {
  const bool is_safe = !(peak > 0) || !std::isfinite(peak) || (peak >= smallest_safe && peak <= largest_safe);
  return is_safe ? 0 : std::exp2(std::ilogb(peak));
}

// By default only the smallest finest grids are solved directly.
std::vector<GridLevel> grids_of(const SeparableOperator& A, const MultigridOptions& options) {
  return make_grids(A, options.coarse_size.value_or(4096), options.coarse_size.value_or(64));
}

Work work_of_direct_solve(const GridLevel& grid, std::int64_t value) {
  std::int64_t lines = 0;
  for (const Line& l : grid.line) lines += l.size();
  return {2 * value * grid.count(), 4 * lines * grid.count()};
}

// Work per application. The coefficients of a separable operator are lines: nothing per cell.
Work work_of_cycle(const std::vector<GridLevel>& grids, const MultigridOptions& options) {
  const auto value = static_cast<std::int64_t>(options.storage == "double" ? sizeof(double) : sizeof(float));
  Work work{16 * grids.front().count(), 0};  // r, z
  for (std::size_t l = 0; l + 1 < grids.size(); ++l)
    work += work_of_level(grids[l].count(), grids[l + 1].count(), 0, 7, options.pre + options.post, value);
  work += work_of_direct_solve(grids.back(), value);
  return work;
}

// Layers around the own unknowns of a rank in which values must be right at the start of a visit, so that the own
// values are right after it. On the way down each sweep except the first, which starts from zero, costs its reach, the
// residual one layer more, and the restriction reads two unknowns beyond the last own one; the result is then smoothed
// again.
int layers_around(const MultigridOptions& o) {
  const int down = 2 * o.pre - 1;  // half sweeps that read neighbours
  return down + std::max(3, 2 * o.post);
}

// Layout of the arrays of a level: LevelView::place.
int place_in_halves(const RankBox& box, const std::array<int, 3>& c) {
  const int i = c[0] - box.low[0], row = (c[2] - box.low[2]) * box.size(1) + c[1] - box.low[1];
  return (2 * row + (i & 1)) * half_pitch(box.size(0)) + (i >> 1);
}

// Distributed levels of a grid, and one more, the first of the tail.
struct SpreadGrids {
  std::vector<GridLevel> grids;  // all
  std::vector<BoxCuts> cuts;     // cuts of the distributed levels
  int layers = 0;
  bool too_thin() const { return cuts.size() < 2; }

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
  s.grids = grids_of(whole, options);
  s.layers = layers_around(options);
  BoxCuts cuts = ordered(A.cuts(), order_of_lines(whole));
  for (std::size_t l = 0; l < s.grids.size(); ++l) {
    if (l > 0) cuts = coarser(cuts, s.grids[l - 1].transfer);
    const bool is_needed = l < 2 || s.grids[l - 1].count() > options.gather_size;
    if (!is_needed || !fits(s.grids[l], cuts, s.layers + 1)) break;
    s.cuts.push_back(cuts);
  }
  return s;
}

template <class Space>
const SeparableOperator& separable(const Matrix<Space>& A) {
  const auto* spread = dynamic_cast<const DistributedStencil<Space>*>(&A);
  const SeparableOperator* s = spread ? &spread->whole_operator() : A.separable();
  if (!s) refuse_matrix("multigrid", A);
  return *s;
}

template <class T, class Space>
class SeparableCycle final : public Preconditioner<Space> {
 public:
  explicit SeparableCycle(const MultigridOptions& options)
      : Preconditioner<Space>({.keeps_symmetry = keeps_symmetry(options)}), options_(options) {}

  void apply(View<const double> r, View<double> z) const override { apply_rows(r, z, nullptr); }
  double apply_dot(View<const double> r, View<double> z) const override {
    if (!is_fused()) return Preconditioner<Space>::apply_dot(r, z);
    apply_rows(r, z, row_dots_.data());
    return detail::tree_sum(row_dots_.data(), rows());
  }
  Pair apply_dots(View<const double> r, View<const double> w, View<double> z) const override {
    if (!is_fused()) return Preconditioner<Space>::apply_dots(r, w, z);
    apply_rows(r, z, row_dots_.data(), w.data());
    return {detail::tree_sum(row_dots_.data(), rows()), detail::tree_sum(row_dots_.data() + rows(), rows())};
  }
  // Not stated over ranks, where it differs between them.
  Work apply_work() const override {
    return all_levels_ == 0 || is_spread() ? Work{} : work_of_cycle(tail_.grids(), options_);
  }
  std::string describe() const override {
    std::string s = "multigrid (V(" + std::to_string(options_.pre) + "," + std::to_string(options_.post) +
                    (options_.symmetric.value_or(false) ? ") cycle, symmetric, " : ") cycle, ") + options_.smoother +
                    (options_.storage == "float" ? ", single precision" : ", double precision");
    if (all_levels_ > 0) s += ", " + std::to_string(all_levels_) + " levels";
    if (is_spread()) s += ", " + std::to_string(spread_.size()) + " of them distributed";
    return s + ")";
  }

 private:
  SetupInfo do_setup(const Matrix<Space>& A) override {
    direction_ = separable(A).direction;
    recorded_.forget();
    parts_ = {};
    spread_.clear();
    tail_ = {};
    if (const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A)) {
      SpreadGrids grids = spread_grids(*stencil, options_);
      if (grids.too_thin()) return {};
      all_levels_ = static_cast<int>(grids.grids.size());
      set_up_parts(*stencil, grids);
    } else {
      tail_ = Levels<T, Space>(grids_of(separable(A), options_), options_, true);
      all_levels_ = static_cast<int>(tail_.count());
    }
    if (is_fused()) row_dots_ = Array<double, Host>(2 * rows());
    return do_update(A);
  }

  SetupInfo do_update(const Matrix<Space>& A) override {
    const SeparableOperator& s = separable(A);
    if (s.direction != direction_) return do_setup(A);
    if (s.shift != shift_) recorded_.forget();  // the shift is a kernel argument; the scale is in arrays
    shift_ = s.shift;
    parts_.update(s);
    tail_.update(s);
    return {.levels = all_levels_,
            .colours = options_.smoother == "red_black" ? 2 : 1,
            .bytes = parts_.bytes() + tail_.bytes()};
  }

  void set_up_parts(const DistributedStencil<Space>& A, const SpreadGrids& spread) {
    ranks_ = A.ranks();
    const int me = ranks_->rank();
    const std::size_t last = spread.cuts.size() - 1;
    std::vector<GridLevel> parts;
    for (std::size_t l = 0; l <= last; ++l) parts.push_back(spread.part(l, me));
    parts_ = Levels<T, Space>(std::move(parts), options_, false);
    for (std::size_t l = 0; l < last; ++l)
      spread_.emplace_back(
          *ranks_, spread.cuts[l], sizes_of(spread.grids[l]), [&](int rank) { return spread.box(l, rank); },
          spread.box(l, me), 1, false, A.halo_options(), place_in_halves);
    const RankBox own = spread.cuts[0].box(me), wide = spread.box(0, me), end = spread.box(last, me);
    LevelView<T>& finest = parts_.view(0);
    finest.own_i = own.low[0] - wide.low[0];
    finest.own_j = own.low[1] - wide.low[1];
    finest.own_k = own.low[2] - wide.low[2];
    finest.own = extents_of(own);
    tail_cells_ =
        BoxGather<Space>(*ranks_, sizes_of(spread.grids[last]), spread.cuts[last].box(me), end, end, place_in_halves);
    if (ranks_->is_root())
      tail_ = Levels<T, Space>({spread.grids.begin() + static_cast<std::ptrdiff_t>(last), spread.grids.end()}, options_,
                               true);
  }

  bool is_spread() const { return !spread_.empty(); }
  Levels<T, Space>& first() const { return is_spread() ? parts_ : tail_; }
  const LevelView<T>& finest() const { return first().view(0); }
  bool is_fused() const { return !first().is_last(0) && first().is_fused(0); }
  std::int64_t rows() const { return std::int64_t{1} * finest().own.ny * finest().own.nz; }

  void apply_rows(View<const double> r, View<double> z, double* row_dots, const double* w = nullptr) const {
    Output out{z.data(), 1, r.data(), row_dots, w, row_dots + (w ? rows() : 0)};
    const double peak = run(r.data(), out);
    out.factor = rescaling(peak);
    if (out.factor > 0) run(r.data(), out);
  }

  // One cycle for r / out.factor; returns the largest |g|, or 1 if unknown.
  double run(const double* r, const Output& out) const {
    const LevelView<T>& top = finest();
    const double factor = 1 / out.factor;
    const bool fused = is_fused(), loads_on_the_way = fused && !is_spread();
    double peak = 1;
    const bool ends_with_store = !is_spread() && tail_.ends_with_store();
    const T omega = is_spread() ? 0 : tail_.first_omega();
    if (!fused)
      by_columns<Space>(top.own, [&]<int Layers>() { run_step<Space>(Load<T, Layers>{top, factor, r, omega}); });
    else if (is_spread())
      peak = ranks_->max(load_own(top, r, factor));
    if (is_spread()) share(0, top.g);
    if (first().is_last(0)) {
      tail_.visit(0, Start::zero);
    } else if (!fused && !is_spread()) {
      recorded_.run([&] {  // r and z vary: not recorded
        tail_.descend_from(0, ends_with_store ? Start::begun : Start::zero);
        tail_.visit(1, tail_.start_of_next(0));
        tail_.ascend_to(0, {}, ends_with_store);
      });
    } else {
      const double largest = first().descend_from(0, Start::zero, loads_on_the_way ? r : nullptr, factor);
      if (loads_on_the_way) peak = largest;
      visit(1);
      first().ascend_to(0, fused ? out : Output{});
    }
    if (ends_with_store)
      tail_.finish(out.factor, out.z);
    else if (!fused)
      by_columns<Space>(top.own, [&]<int Layers>() { run_step<Space>(Store<T, Layers>{top, out.factor, out.z}); });
    return peak;
  }

  void visit(std::size_t l) const {
    if (!is_spread()) return tail_.visit(l, tail_.start_of_next(l - 1));
    if (parts_.is_last(l)) return visit_tail();
    const LevelView<T>& v = parts_.view(l);
    share(l, v.g);
    parts_.descend_from(l, Start::zero);
    visit(l + 1);
    parts_.ascend_to(l);
    share(l, v.u);
  }

  void visit_tail() const {
    const LevelView<T>& first = parts_.view(parts_.count() - 1);
    const bool is_root = ranks_->is_root();
    tail_cells_.gather(first.g, is_root ? tail_.view(0).g : nullptr);
    if (is_root) tail_.visit(0, Start::zero);
    tail_cells_.scatter(is_root ? tail_.view(0).u : nullptr, first.u);
  }

  // Updates the unknowns of other ranks in the wide box.
  void share(std::size_t l, T* values) const { spread_[l](values, values); }

  MultigridOptions options_;
  std::array<SeparableDirection, 3> direction_;  // directions of the last set-up
  double shift_ = 0;                             // shift of the last update
  const Communicator* ranks_ = nullptr;
  int all_levels_ = 0;
  mutable Levels<T, Space> parts_;        // over ranks; its last level is the first of the tail
  std::vector<BoxSpread<Space>> spread_;  // for all parts but the last
  BoxGather<Space> tail_cells_;
  mutable Levels<T, Space> tail_;         // one rank: all levels; over ranks: on rank 0
  mutable RecordedWork<Space> recorded_;  // one rank: the launches between load and store
  Array<double, Host> row_dots_;          // z.r per row, then z.w
};

}  // namespace

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_separable_cycle(const MultigridOptions& options) {
  if (options.storage == "double") return std::make_unique<SeparableCycle<double, Space>>(options);
  return std::make_unique<SeparableCycle<float, Space>>(options);
}
template std::unique_ptr<Preconditioner<Host>> make_separable_cycle(const MultigridOptions&);
template std::unique_ptr<Preconditioner<Device>> make_separable_cycle(const MultigridOptions&);

}  // namespace weir::multigrid
