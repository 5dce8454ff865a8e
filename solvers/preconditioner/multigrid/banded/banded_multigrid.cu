// Multigrid for Banded matrices with variable coefficients: cell-centred finite volumes with apertures (a body cuts the
// faces), symmetric, off-diagonals <= 0, on stretched grids. Rows without couplings (cells inside the body) are solved
// by their diagonal and take no part. Trottenberg, Oosterlee & Schueller 2001, ch. 5 and 7.
//  grids      merged pairs of cells, in each direction only where its cells lie closest (multigrid_hierarchy.hpp), from
//             the faces given to Banded::set_grid, or estimated from the couplings at each update
//  coupling   of a coarse face: the sum of its fine ones, times the ratio of the distances; a face half closed by a
//             body stays half closed. The excess of the diagonal over the couplings is summed
//  transfer   u_f = P + w_x (X - P) + w_y (Y - P) + w_z (Z - P): the parent and its neighbours on the cell's sides,
//             exact for linear functions, without terms across closed faces; restriction is the transpose
//  smoother   Chebyshev polynomial in D^-1 A, whose eigenvalues lie in (0, 2] for such a matrix: symmetric, all cells
//             at once; its steps run in one sweep through memory (pass_sweep.hpp)
// A V cycle in single precision, symmetric: cg may use it. The bands are scaled by the largest diagonal entry; vectors
// are not: values below 1e-30 are lost. A singular matrix (Neumann on all sides) is regularised on the coarsest grid,
// which is solved directly. update() allocates nothing: a moving body costs one pass over the bands and one over each
// level.
//
// A remainder of the matrix is not included.
//
// Over ranks (multigrid_boxes.hpp) every value is that of one rank, to the last bit of single precision. Restricted
// residuals and coarse couplings are computed on the core box: the coarse cells of the rank and one layer.
#include <algorithm>
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/distributed/box_spread.hpp"
#include "solvers/distributed/distributed_banded.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_levels.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/multigrid/multigrid_boxes.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace mg = banded_multigrid;

namespace banded_multigrid_kernels {

// Kernels use the coupling at a low end also for the one beyond the high end, where the whole grid may end.
template <class Space>
void close_low_end(const mg::LevelView& L, int d) {
  const Extents e = L.cells, plane{d == 0 ? 1 : e.nx, d == 1 ? 1 : e.ny, d == 2 ? 1 : e.nz};
  float* coupling = d == 0 ? L.ax : d == 1 ? L.ay : L.az;
  for_each<Space>(plane, [=] WEIR_HD(int i, int j, int k) { coupling[e.index(i, j, k)] = 0; });
}

}  // namespace banded_multigrid_kernels

namespace {

// A level over ranks.
template <class Space>
struct SpreadLevel {
  BoxCuts cuts;
  std::array<int, 3> sizes{};
  std::array<bool, 3> periodic{};
  RankBox own, wide, core;
  mg::LevelView view, core_view;  // views of the wide and of the core box
  Array<float, Space> values, core_values;
  mg::TransferArrays<Space> down_lines, up_lines;
  mg::TransferView down, up;                              // to the next core box; from the next wide one
  BoxSpread<Space> spread_couplings, spread_g, spread_v;  // from the core, the core and the wide boxes to the wide

  mg::LevelView view_of(const RankBox& b, mg::Right right, float* memory) const {
    bool wraps[3];
    for (int d = 0; d < 3; ++d) wraps[d] = periodic[d] && cuts.parts(d) == 1;
    return mg::level_view(extents_of(b), wraps, right, memory);
  }
};

constexpr int coupling_arrays = 5;
template <class Space, class T>
typename BoxSpread<Space>::template Arrays<T> couplings(const mg::LevelView& v) {
  return {{v.ax, v.ay, v.az, v.inverse, v.excess}};
}

// The matrix as one of this kind, or null.
template <class Kind, class Space>
const Kind* symmetric(const Matrix<Space>& A) {
  const auto* kind = dynamic_cast<const Kind*>(&A);
  if (kind && !kind->is_symmetric()) throw Error(Exit::usage, "multigrid: a banded matrix must be symmetric");
  return kind;
}

template <class Space>
class BandedCycle final : public Preconditioner<Space> {
 public:
  explicit BandedCycle(const MultigridOptions& options)
      : Preconditioner<Space>({.keeps_symmetry = true}),
        degree_(options.pre + 1),
        coarse_size_(options.coarse_size.value_or(64)),
        gather_size_(options.gather_size),
        steps_(mg::chebyshev_steps(degree_)) {}

  void apply(View<const double> r, View<double> z) const override {
    if (!is_spread()) {
      tail_.run({r.data(), z.data(), scale_}, false);
      return;
    }
    const Level &finest = *levels_[0], &next = *levels_[1];
    spread_r_(r.data(), wide_r_.data());
    const mg::Ends ends{wide_r_.data(), wide_z_.data(), scale_};
    mg::descend<Space>(finest.view, next.core_view, finest.down, steps_, ends);
    visit(1);
    mg::ascend<Space>(finest.view, next.view, finest.up, steps_, ends, false);
    take_at<Space>(own_, wide_z_, z);
  }
  double apply_dot(View<const double> r, View<double> z) const override {
    return is_spread() ? Preconditioner<Space>::apply_dot(r, z) : tail_.run({r.data(), z.data(), scale_}, true);
  }
  Work apply_work() const override {  // not stated over ranks
    if (is_spread() || tail_.empty()) return {};
    Work work = tail_.work_from(0);
    work += {16 * std::int64_t{cells_.count()}, 0};  // r, z
    return work;
  }
  // From each level to the coarsest.
  std::vector<PartOfApply<Space>> parts() const override {
    std::vector<PartOfApply<Space>> parts;
    for (std::size_t l = 1; !is_spread() && l < tail_.count(); ++l)
      parts.push_back({"levels from " + std::to_string(l), tail_.work_from(l),
                       [this, l](View<const double>, View<double>) { tail_.visit(l); }});
    return parts;
  }
  std::string describe() const override {
    std::string s =
        "multigrid (V cycle, Chebyshev of degree " + std::to_string(degree_) + " before and after, single precision";
    if (is_spread())
      s += ", " + std::to_string(levels_.size() - 1) + " distributed levels, below " + std::to_string(gather_size_) +
           " cells on the root rank";
    else if (!tail_.empty())
      s += ", " + std::to_string(tail_.count()) + " levels";
    return s + ")";
  }

 private:
  using Level = SpreadLevel<Space>;
  bool is_spread() const { return !levels_.empty(); }

  SetupInfo do_setup(const Matrix<Space>& matrix) override {
    const auto* spread = symmetric<DistributedBanded<Space>>(matrix);
    const Banded<Space>* A = spread ? &spread->own() : symmetric<Banded<Space>>(matrix);
    if (!A) refuse_matrix("multigrid", matrix);
    cells_ = A->cells();
    levels_.clear();
    tail_ = {};
    knows_grid_ = spread ? spread->has_grid() : A->has_grid();
    SeparableOperator grid;
    if (spread) {
      ranks_ = spread->ranks();
      grid.direction = spread->directions();
      if (!knows_grid_)
        grid.direction = mg::judged_directions<Space>(*A, grid.direction, spread->cuts().box(ranks_->rank()), *ranks_);
    } else {
      const RankBox all{{0, 0, 0}, {cells_.nx, cells_.ny, cells_.nz}};
      grid.direction = A->directions();
      if (!knows_grid_) grid.direction = mg::judged_directions<Space>(*A, grid.direction, all, Communicator());
    }
    const auto order = multigrid::order_of_lines(grid);
    constexpr int towards_smaller[] = {slot::gamma, slot::beta, slot::alpha};
    for (std::size_t d = 0; d < 3; ++d) slots_[d] = towards_smaller[order[d]];
    const auto grids = multigrid::make_grids(grid, coarse_size_, coarse_size_);
    if (!spread)
      tail_.build(grids, degree_, mg::Right::callers);
    else if (!build_levels(*spread, grids, order))
      return {};
    return take_values(*A, spread);
  }

  SetupInfo do_update(const Matrix<Space>& matrix) override {
    const auto* spread = symmetric<DistributedBanded<Space>>(matrix);
    const Banded<Space>* A = spread ? &spread->own() : symmetric<Banded<Space>>(matrix);
    // Grids estimated from other values would depend on earlier systems.
    if (!A || A->cells() != cells_ || is_spread() != (spread != nullptr) || !knows_grid_) return do_setup(matrix);
    return take_values(*A, spread);
  }

  SetupInfo take_values(const Banded<Space>& A, const DistributedBanded<Space>* spread) {
    scale_ = mg::largest_diagonal<Space>(A.banded());
    scale_ = mg::scale_of(spread ? ranks_->max(scale_) : scale_);
    if (spread)
      load_levels(A);
    else
      mg::load_bands<Space>(A.banded(), slots_, scale_, tail_.first());
    if (!tail_.empty()) tail_.update();
    SetupInfo info{.levels = static_cast<int>(is_spread() ? levels_.size() - 1 + std::max<std::size_t>(1, tail_.count())
                                                          : tail_.count()),
                   .colours = 1,
                   .bytes = tail_.bytes()};
    if (is_spread()) info.bytes += 16 * wide_r_.size() + 8 * bands_->values().size();
    for (const auto& level : levels_) info.bytes += 4 * (level->values.size() + level->core_values.size());
    return info;
  }

  int layers() const { return degree_ + std::max(degree_, 3); }

  // False if the boxes are too thin for levels of their own.
  bool build_levels(const DistributedBanded<Space>& A, const std::vector<multigrid::GridLevel>& grids,
                    const std::array<std::size_t, 3>& order) {
    const HaloOptions& options = A.halo_options();
    BoxCuts cuts = multigrid::ordered(A.cuts(), order);
    for (std::size_t l = 0; l < grids.size(); ++l) {
      if (l > 0) cuts = multigrid::coarser(cuts, grids[l - 1].transfer);
      const bool is_needed = l < 2 || grids[l - 1].count() > gather_size_;
      if (!is_needed || !multigrid::fits(grids[l], cuts, layers())) break;
      add_level(grids[l], cuts, l == 0, options);
      if (l > 0) connect(grids[l - 1], grids[l], l - 1);
    }
    if (levels_.size() < 2) {
      levels_.clear();
      return false;
    }
    const Level &finest = *levels_.front(), &last = *levels_.back();
    tail_cells_ = BoxGather<Space>(*ranks_, last.sizes, last.own, last.core, last.wide);
    if (ranks_->is_root()) tail_.build(std::span(grids).subspan(levels_.size() - 1), degree_, mg::Right::own);
    RankBox wide;  // box of the matrix, whose directions have another order
    for (std::size_t d = 0; d < 3; ++d) {
      wide.low[order[d]] = finest.wide.low[d];
      wide.high[order[d]] = finest.wide.high[d];
    }
    bands_ = std::make_unique<Banded<Space>>(extents_of(wide), within(A.periodic(), A.cuts()));
    const auto own_of = [&](int rank) { return A.cuts().box(rank); };
    const std::array<int, 3> sizes{A.whole().nx, A.whole().ny, A.whole().nz};
    spread_bands_ = BoxSpread<Space>(*ranks_, A.cuts(), sizes, own_of, wide, bands_->stencil().slots, true, options);
    spread_r_ = BoxSpread<Space>(*ranks_, A.cuts(), sizes, own_of, wide, 1, true, options);
    own_ = Array<int, Space>(places_in(finest.own, finest.wide));
    const std::int64_t n = extents_of(wide).count();
    wide_r_ = Array<double, Space>(n);
    wide_z_ = Array<double, Space>(n);
    return true;
  }

  void add_level(const multigrid::GridLevel& grid, const BoxCuts& cuts, bool is_finest, const HaloOptions& options) {
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

  // Sets the transfers between level l and the next.
  void connect(const multigrid::GridLevel& fine, const multigrid::GridLevel& coarse, std::size_t l) {
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

  // Couplings of all levels, from the bands.
  void load_levels(const Banded<Space>& A) {
    const BlockStencilView own = A.stencil(), wide = bands_->stencil();
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
      level.spread_couplings(couplings<Space, const float>(level.core_view), couplings<Space, float>(level.view));
      for (int d = 0; d < 3; ++d)
        if (level.cuts.parts(d) > 1) banded_multigrid_kernels::close_low_end<Space>(level.view, d);
    }
    const auto parts = couplings<Space, const float>(levels_.back()->core_view);
    const bool is_root = ranks_->is_root();
    for (int p = 0; p < coupling_arrays; ++p)
      tail_cells_.gather(parts.part[p], is_root ? couplings<Space, float>(tail_.first()).part[p] : nullptr);
  }

  void visit(std::size_t l) const {
    if (l + 1 == levels_.size()) return visit_tail();
    const Level &level = *levels_[l], &next = *levels_[l + 1];
    level.spread_g(level.core_view.g, level.view.g);
    mg::descend<Space>(level.view, next.core_view, level.down, steps_, {});
    visit(l + 1);
    mg::ascend<Space>(level.view, next.view, level.up, steps_, {}, false);
    level.spread_v(level.view.v, level.view.v);
  }

  void visit_tail() const {
    const Level& first = *levels_.back();
    const bool is_root = ranks_->is_root();
    tail_cells_.gather(first.core_view.g, is_root ? tail_.first().g : nullptr);
    if (is_root) tail_.visit(0);
    tail_cells_.scatter(is_root ? tail_.first().v : nullptr, first.view.v);
  }

  int degree_, coarse_size_, gather_size_;
  std::vector<double> steps_;
  Extents cells_;             // cells of this rank
  bool knows_grid_ = false;   // the matrix of the last set-up has a grid
  int slots_[3] = {0, 0, 0};  // matrix slots towards smaller indices along each direction of the levels
  double scale_ = 1;
  mutable mg::Levels<Space> tail_;  // one rank: all levels; over ranks: those of rank 0

  const Communicator* ranks_ = nullptr;
  std::vector<std::unique_ptr<Level>> levels_;  // over ranks; the last one is the first of the tail
  BoxGather<Space> tail_cells_;
  std::unique_ptr<Banded<Space>> bands_;  // matrix of the finest wide box
  BoxSpread<Space> spread_bands_, spread_r_;
  mutable Array<double, Space> wide_r_, wide_z_;
  Array<int, Space> own_;  // own cells in the finest wide box
};

}  // namespace

template <class Space>
std::unique_ptr<Preconditioner<Space>> multigrid::make_banded_cycle(const MultigridOptions& options) {
  return std::make_unique<BandedCycle<Space>>(options);
}
template std::unique_ptr<Preconditioner<Host>> multigrid::make_banded_cycle(const MultigridOptions&);
template std::unique_ptr<Preconditioner<Device>> multigrid::make_banded_cycle(const MultigridOptions&);

}  // namespace weir
