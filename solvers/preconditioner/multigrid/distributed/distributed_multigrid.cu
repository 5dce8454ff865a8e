#include "solvers/preconditioner/multigrid/distributed/distributed_multigrid.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_levels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_boxes.hpp"
#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace mg = banded_multigrid;

template <class Space>
struct DistributedMultigrid<Space>::Level {
  BoxCuts cuts;
  std::array<int, 3> sizes{};
  std::array<bool, 3> periodic{};
  RankBox own, wide, core;
  mg::LevelView view, core_view;  // of the wide and of the core box
  Array<float, Space> values, core_values;
  mg::TransferArrays<Space> down_lines, up_lines;
  mg::TransferView down, up;                              // to the next core box, from the next wide one
  BoxSpread<Space> spread_couplings, spread_g, spread_v;  // from the core, the core and the wide boxes to the wide

  mg::LevelView view_of(const RankBox& b, mg::Right right, float* memory) const {
    bool wraps[3];
    for (std::size_t d = 0; d < 3; ++d) wraps[d] = periodic[d] && cuts.parts(static_cast<int>(d)) == 1;
    return mg::level_view(extents_of(b), wraps, right, memory);
  }
};

namespace distributed_multigrid_kernels {

template <class Space>
void take(View<const int> place, const double* from, View<double> to) {
  for_each<Space>(static_cast<int>(to.size()), [=] WEIR_HD(int i) { to[i] = from[place[i]]; });
}
// Kernels take the coupling at a low end for the one beyond the high end too, where the whole grid may end.
template <class Space>
void close_low_end(const mg::LevelView& L, int d) {
  const Extents e = L.cells, plane{d == 0 ? 1 : e.nx, d == 1 ? 1 : e.ny, d == 2 ? 1 : e.nz};
  float* coupling = d == 0 ? L.ax : d == 1 ? L.ay : L.az;
  for_each<Space>(plane, [=] WEIR_HD(int i, int j, int k) { coupling[e.index(i, j, k)] = 0; });
}

}  // namespace distributed_multigrid_kernels

namespace {

namespace kernels = distributed_multigrid_kernels;

// As BandedMultigrid orders the directions of a 2D grid: the one of one cell is the second.
bool is_flat(Extents e) { return e.nz == 1; }
template <class T>
void reorder(bool flat, T& three) {
  if (flat) std::swap(three[1], three[2]);
}
RankBox reordered(bool flat, RankBox b) {
  reorder(flat, b.low);
  reorder(flat, b.high);
  return b;
}

std::vector<int> places_in(const RankBox& inner, const RankBox& outer) {
  std::vector<int> place;
  for (int k = inner.low[2]; k < inner.high[2]; ++k)
    for (int j = inner.low[1]; j < inner.high[1]; ++j)
      for (int i = inner.low[0]; i < inner.high[0]; ++i) place.push_back(index_in(outer, {i, j, k}));
  return place;
}

template <class Space>
const DistributedBanded<Space>& spread_bands(const Matrix<Space>& A) {
  const auto* b = dynamic_cast<const DistributedBanded<Space>*>(&A);
  if (!b) refuse_matrix("multigrid", A);
  if (!b->is_symmetric()) throw Error(Exit::usage, "multigrid of a banded matrix needs a symmetric one");
  return *b;
}

constexpr int coupling_arrays = 5;
template <class Space>
typename BoxSpread<Space>::template Arrays<const float> couplings(const mg::LevelView& v) {
  return {{v.ax, v.ay, v.az, v.inverse, v.excess}};
}
template <class Space>
typename BoxSpread<Space>::template Arrays<float> couplings_to(const mg::LevelView& v) {
  return {{v.ax, v.ay, v.az, v.inverse, v.excess}};
}

}  // namespace

template <class Space>
DistributedMultigrid<Space>::DistributedMultigrid(int degree, int coarse_size, int gather_size)
    : Preconditioner<Space>({.keeps_symmetry = true, .works_over_ranks = true}),
      degree_(degree),
      coarse_size_(coarse_size),
      gather_size_(gather_size) {}
template <class Space>
DistributedMultigrid<Space>::~DistributedMultigrid() = default;

template <class Space>
bool DistributedMultigrid<Space>::can_spread(const Matrix<Space>& A, int gather_size) {
  const auto* b = dynamic_cast<const DistributedBanded<Space>*>(&A);
  if (!b || b->ranks()->size() == 1) return false;
  const Extents e = b->whole();
  return e.nx > 1 && e.ny > 1 && b->unknowns() > gather_size;
}

template <class Space>
void DistributedMultigrid<Space>::add_level(const multigrid::GridLevel& grid, const BoxCuts& cuts, bool is_finest,
                                            const HaloOptions& options) {
  levels_.push_back(std::make_unique<Level>());
  Level& level = *levels_.back();
  level.cuts = cuts;
  level.sizes = multigrid::sizes_of(grid);
  for (std::size_t d = 0; d < 3; ++d) level.periodic[d] = grid.line[d].d.periodic;
  const int me = ranks_->rank();
  level.own = cuts.box(me);
  const auto core_of = [&](int rank) { return multigrid::grown(grid, cuts, rank, 1); };
  const auto wide_of = [&](int rank) { return multigrid::grown(grid, cuts, rank, layers()); };
  level.wide = wide_of(me);
  level.core = core_of(me);
  const auto allocate = [&](const RankBox& box, mg::Right right) {
    const std::vector<float> zeros(at(mg::values_per_cell(right)) * at(extents_of(box).count()), 0.0f);
    return Array<float, Space>(zeros);
  };
  const mg::Right right = is_finest ? mg::Right::callers : mg::Right::own;
  level.values = allocate(level.wide, right);
  level.view = level.view_of(level.wide, right, level.values.data());
  if (is_finest) return;
  level.core_values = allocate(level.core, right);
  level.core_view = level.view_of(level.core, right, level.core_values.data());
  const auto spread = [&](const std::function<RankBox(int)>& source, int width, bool with_own) {
    return BoxSpread<Space>(*ranks_, cuts, level.sizes, source, level.wide, width, with_own, options);
  };
  level.spread_couplings = spread(core_of, coupling_arrays, true);
  level.spread_g = spread(core_of, 1, true);
  level.spread_v = spread(wide_of, 1, false);
}

// Between level l and the next.
template <class Space>
void DistributedMultigrid<Space>::connect(const multigrid::GridLevel& fine, const multigrid::GridLevel& coarse,
                                          std::size_t l) {
  using Arrays = mg::TransferArrays<Space>;
  Level &from = *levels_[l], &to = *levels_[l + 1];
  typename Arrays::Direction down[3], up[3];
  for (std::size_t d = 0; d < 3; ++d) {
    const auto whole = Arrays::direction(fine.line[d], coarse.line[d], fine.transfer[d]);
    down[d] = multigrid::slice(whole, from.wide.low[d], from.wide.high[d], to.core.low[d], to.core.high[d]);
    up[d] = multigrid::slice(whole, from.wide.low[d], from.wide.high[d], to.wide.low[d], to.wide.high[d]);
  }
  const bool pairs = from.cuts.parts(0) == 1 && from.sizes[0] == 2 * to.sizes[0];
  from.down = from.down_lines.set(down, pairs);
  from.up = from.up_lines.set(up, pairs);
}

template <class Space>
void DistributedMultigrid<Space>::build_tail(const std::vector<multigrid::GridLevel>& grids) {
  const Level& first = *levels_.back();
  tail_cells_ = BoxGather<Space>(*ranks_, first.sizes, first.own, first.core, first.wide);
  if (ranks_->is_root()) tail_.build(std::span(grids).subspan(levels_.size() - 1), degree_, mg::Right::own);
}

template <class Space>
bool DistributedMultigrid<Space>::build(const DistributedBanded<Space>& A,
                                        const std::vector<multigrid::GridLevel>& grids) {
  const bool flat = is_flat(A.whole());
  const HaloOptions& options = A.halo_options();
  BoxCuts cuts = A.cuts();
  reorder(flat, cuts.begin);
  levels_.clear();
  for (std::size_t l = 0; l < grids.size(); ++l) {
    if (l > 0) cuts = multigrid::coarser(cuts, grids[l - 1].transfer);
    const bool is_needed = l < 2 || grids[l - 1].count() > gather_size_;
    if (!is_needed || !multigrid::fits(grids[l], cuts, layers())) break;
    add_level(grids[l], cuts, l == 0, options);
    if (l > 0) connect(grids[l - 1], grids[l], l - 1);
  }
  if (levels_.size() < 2) return false;
  build_tail(grids);
  const Level& finest = *levels_.front();
  const RankBox wide = reordered(flat, finest.wide);
  bands_ = std::make_unique<Banded<Space>>(extents_of(wide), within(A.periodic(), A.cuts()));
  const auto own_of = [&](int rank) { return A.cuts().box(rank); };
  const Extents whole = A.whole();
  const std::array<int, 3> sizes{whole.nx, whole.ny, whole.nz};
  spread_bands_ = BoxSpread<Space>(*ranks_, A.cuts(), sizes, own_of, wide, bands_->stencil().slots, true, options);
  spread_r_ = BoxSpread<Space>(*ranks_, A.cuts(), sizes, own_of, wide, 1, true, options);
  own_ = Array<int, Space>(places_in(finest.own, finest.wide));
  const std::int64_t n = extents_of(wide).count();
  wide_r_ = Array<double, Space>(n);
  wide_z_ = Array<double, Space>(n);
  return true;
}

template <class Space>
SetupInfo DistributedMultigrid<Space>::setup(const Matrix<Space>& matrix) {
  double seconds = 0;
  {
    const ScopedTimer timer(seconds);
    const DistributedBanded<Space>& A = spread_bands(matrix);
    ranks_ = A.ranks();
    cells_ = A.own().cells();
    SeparableOperator grid;
    const BandedGrid lines = cubes(A.whole(), A.periodic());
    for (std::size_t d = 0; d < 3; ++d)
      grid.direction[d] = cell_centred_direction(lines.faces[d], lines.ends[d][0], lines.ends[d][1]);
    grid.direction = mg::judged_directions<Space>(A.own(), grid.direction, A.cuts().box(ranks_->rank()), *ranks_);
    constexpr int towards_smaller[] = {slot::gamma, slot::beta, slot::alpha};
    std::copy(std::begin(towards_smaller), std::end(towards_smaller), std::begin(slots_));
    reorder(is_flat(A.whole()), slots_);
    steps_ = mg::chebyshev_steps(degree_);
    gathered_.reset();
    if (!build(A, multigrid::make_grids(grid, {mg::merge_factor, mg::reduction, coarse_size_})))
      gathered_ = make_gathered<Space>("multigrid", std::make_unique<BandedMultigrid<Space>>(degree_, coarse_size_));
  }
  if (gathered_) return gathered_->setup(matrix);
  SetupInfo info = update(matrix);
  info.seconds += seconds;
  return info;
}

template <class Space>
SetupInfo DistributedMultigrid<Space>::update(const Matrix<Space>& matrix) {
  const DistributedBanded<Space>& A = spread_bands(matrix);
  if (levels_.empty() || A.own().cells() != cells_) return setup(matrix);
  if (gathered_) return gathered_->update(matrix);
  SetupInfo info;
  {
    const ScopedTimer timer(info.seconds);
    scale_ = mg::scale_of(ranks_->max(mg::largest_diagonal<Space>(A.own().banded())));
    const BlockStencilView own = A.own().stencil(), wide = bands_->stencil();
    typename BoxSpread<Space>::template Arrays<const double> from;
    typename BoxSpread<Space>::template Arrays<double> to;
    for (int s = 0; s < own.slots; ++s) {
      from.part[s] = own.slot_blocks(own.first + s);
      to.part[s] = wide.slot_blocks(own.first + s);
    }
    spread_bands_(from, to);
    mg::load_bands<Space>(bands_->banded(), slots_, scale_, levels_.front()->view);
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      Level &fine = *levels_[l - 1], &level = *levels_[l];
      mg::coarsen<Space>(fine.view, level.core_view, fine.down);
      level.spread_couplings(couplings<Space>(level.core_view), couplings_to<Space>(level.view));
      for (int d = 0; d < 3; ++d)
        if (level.cuts.parts(d) > 1) kernels::close_low_end<Space>(level.view, d);
    }
    const auto parts = couplings<Space>(levels_.back()->core_view);
    const bool is_root = ranks_->is_root();
    for (int p = 0; p < coupling_arrays; ++p)
      tail_cells_.gather(parts.part[p], is_root ? couplings_to<Space>(tail_.first()).part[p] : nullptr);
    if (ranks_->is_root()) tail_.update();
  }
  info.levels = static_cast<int>(levels_.size() - 1 + (tail_.empty() ? 1 : tail_.count()));
  info.colours = 1;
  info.bytes = 16 * wide_r_.size() + 8 * bands_->values().size() + tail_.bytes();
  for (const auto& level : levels_) info.bytes += 4 * (level->values.size() + level->core_values.size());
  return info;
}

template <class Space>
void DistributedMultigrid<Space>::visit_tail() const {
  const Level& first = *levels_.back();
  const bool is_root = ranks_->is_root();
  tail_cells_.gather(first.core_view.g, is_root ? tail_.first().g : nullptr);
  if (is_root) tail_.visit(0);
  tail_cells_.scatter(is_root ? tail_.first().v : nullptr, first.view.v);
}

template <class Space>
void DistributedMultigrid<Space>::visit(std::size_t l) const {
  if (l + 1 == levels_.size()) return visit_tail();
  const Level &level = *levels_[l], &next = *levels_[l + 1];
  level.spread_g(level.core_view.g, level.view.g);
  mg::descend<Space>(level.view, next.core_view, level.down, steps_, {});
  visit(l + 1);
  mg::ascend<Space>(level.view, next.view, level.up, steps_, {}, false);
  level.spread_v(level.view.v, level.view.v);
}

template <class Space>
void DistributedMultigrid<Space>::apply(View<const double> r, View<double> z) const {
  if (gathered_) return gathered_->apply(r, z);
  const Level &finest = *levels_[0], &next = *levels_[1];
  spread_r_(r.data(), wide_r_.data());
  const mg::Ends ends{wide_r_.data(), wide_z_.data(), scale_};
  mg::descend<Space>(finest.view, next.core_view, finest.down, steps_, ends);
  visit(1);
  mg::ascend<Space>(finest.view, next.view, finest.up, steps_, ends, false);
  kernels::take<Space>(own_, wide_z_.data(), z);
}

template <class Space>
std::string DistributedMultigrid<Space>::describe() const {
  if (gathered_) return gathered_->describe();
  std::string s =
      "multigrid (V cycle, Chebyshev of degree " + std::to_string(degree_) + " before and after, single precision";
  if (!levels_.empty()) s += ", " + std::to_string(levels_.size() - 1) + " distributed levels";
  return s + ", below " + std::to_string(gather_size_) + " cells on the root rank)";
}

template class DistributedMultigrid<Host>;
template class DistributedMultigrid<Device>;

}  // namespace weir
