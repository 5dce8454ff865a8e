// Hierarchy of aggregation.hpp: set-up and cycles.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/preconditioner/aggregation/aggregation.hpp"
#include "solvers/preconditioner/aggregation/aggregation_levels.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

using namespace aggregation;

constexpr double slowest_coarsening = 0.9;  // rows kept at most, else no further level
constexpr double enough = 0.25;             // |r| left after the first step of a K cycle below which there is no second

template <class Space, class T>
class Aggregation final : public Preconditioner<Space> {
 public:
  explicit Aggregation(AggregationOptions options) : o_(std::move(options)) {
    levels_.push_back(std::make_unique<Level<Space, T>>());
    levels_[0]->smoother = make_smoother();
    const Traits& smoother = levels_[0]->smoother->traits();
    this->traits_ = smoother;  // repeats and stores as the smoother
    this->traits_.remembers = true;
    this->traits_.is_constant &= o_.cycle != "K";
    this->traits_.takes_floats = true;
    this->traits_.is_exact = this->traits_.is_identity = false;
    this->traits_.works_over_ranks = this->traits_.talks_in_setup = this->traits_.depends_on_partition = true;
    this->traits_.keeps_symmetry &= o_.pre == o_.post && o_.cycle != "K";
  }

  SetupInfo do_setup(const Matrix<Space>& matrix) override {
    written_out_.reset();
    find_levels(matrix, {});
    return compute([](auto& smoother, const auto& A) { return smoother.setup(A); });
  }

  void save(Archive& to) override {
    std::size_t levels = levels_[0]->A ? levels_.size() : 0;
    to.number("levels", levels);
    for (std::size_t l = 0; l + 1 < levels; ++l) to.array("aggregates", levels_[l]->of_row, levels_[l]->of_row.size());
    for (auto& level : levels_) level->smoother->save(to);
  }
  void restore(const Matrix<Space>& matrix, Archive& from) override {
    std::size_t levels = 0;
    from.number("levels", levels);
    from.require(levels > 0 && at(o_.levels) >= levels, "levels");
    std::vector<std::vector<int>> aggregates(levels - 1);
    for (auto& of_row : aggregates) from.list("aggregates", of_row);
    find_levels(matrix, aggregates, &from);
    compute([&from](auto& smoother, const auto& A) {
      smoother.restore(A, from);
      return SetupInfo();
    });
  }

  SetupInfo do_update(const Matrix<Space>& matrix) override {
    const BlockSparse<Space>& A = block_sparse(matrix);
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&matrix);
    const bool is_new = A.rows() != rows_ || A.blocks() != blocks_ || A.block() != block_ ||
                        bool(spread) != bool(levels_[0]->spread) || (spread && spread->connections() != connections_);
    if (spread ? spread->ranks()->any(is_new) : is_new) return do_setup(matrix);
    levels_[0]->A = &A;
    levels_[0]->spread = spread;
    return compute([](auto& smoother, const auto& A) { return smoother.update(A); });
  }

  void apply(View<const double> r, View<double> z) const override { cycle(0, r, z); }

  bool is_symmetric() const override { return this->traits_.keeps_symmetry && levels_[0]->smoother->is_symmetric(); }

  Work apply_work() const override {
    Work work;
    std::int64_t visits = 1;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const Work once = work_of_visit(l);
      work += {visits * once.bytes, visits * once.flops};
      if (o_.cycle != "V" && l > 0) visits *= 2;
    }
    return work;
  }
  Work update_work() const override {
    Work work;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const Level<Space, T>& level = *levels_[l];
      work += level.smoother->update_work();
      if (l + 1 == levels_.size()) continue;
      const std::int64_t blocks = level.A->blocks();
      work += {level.A->bytes() + levels_[l + 1]->own->bytes() + 4 * blocks, std::int64_t{block_} * block_ * blocks};
    }
    return work;
  }
  std::vector<PartOfApply<Space>> parts() const override {
    return {{"smoother of the finest level", levels_[0]->smoother->apply_work(),
             [this](View<const double> r, View<double> z) { levels_[0]->smoother->apply(r, z); }}};
  }

  std::string describe() const override {
    return "aggregation(" + o_.cycle + " cycle, " + std::to_string(o_.pre) + " + " + std::to_string(o_.post) + " of " +
           levels_[0]->smoother->describe() + (levels_[0]->A ? ", " + std::to_string(levels_.size()) + " levels" : "") +
           ")";
  }

 private:
  // The columns of this rank as block CSR; a copy keeps its storage while the pattern stays.
  const BlockSparse<Space>& block_sparse(const Matrix<Space>& matrix) {
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&matrix);
    const Matrix<Space>& A = spread ? spread->local() : matrix;
    if (const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A)) return *csr;
    const BlockCsrData rows = block_rows(A);
    if (written_out_ && written_out_->row_start().to_vector() == rows.row_start &&
        written_out_->column().to_vector() == rows.column) {
      written_out_->update(rows.value);
    } else {
      written_out_ = std::make_unique<BlockCsr<Space>>(rows);
      rows_ = -1;  // the levels are of another pattern
    }
    return *written_out_;
  }
  std::unique_ptr<Preconditioner<Space>> make_smoother() const {
    return make_preconditioner<Space>(o_.smoother_type(), o_.smoother);
  }

  // of_row: aggregates of each level from a checkpoint, if known.
  void find_levels(const Matrix<Space>& matrix, const std::vector<std::vector<int>>& of_row, Archive* from = nullptr) {
    const BlockSparse<Space>& A = block_sparse(matrix);
    levels_.resize(1);
    levels_[0]->A = &A;
    levels_[0]->spread = dynamic_cast<const DistributedMatrix<Space>*>(&matrix);
    levels_[0]->across.reset();
    rows_ = A.rows();
    blocks_ = A.blocks();
    block_ = A.block();
    connections_ = levels_[0]->spread ? levels_[0]->spread->connections() : 0;
    refuse_large(levels_[0]->spread);
    Pattern pattern{A.row_start().to_vector(), A.column().to_vector()};
    bool last = false;
    while (!last && (from ? levels_.size() <= of_row.size() : static_cast<int>(levels_.size()) < o_.levels)) {
      this->stop_if_asked();
      const Level<Space, T>& finest = *levels_.back();  // so far
      const double rows = finest.over_ranks(pattern.rows());
      // A finest level with few rows is its own coarsest level, with a full pattern.
      const int passes = rows > o_.coarse_rows ? o_.passes : 0;
      const Aggregates aggregates = from ? aggregates_of(pattern.rows(), of_row[levels_.size() - 1], *from)
                                         : find_aggregates(pattern, block_sizes(*finest.A), passes, o_.strength);
      const double count = finest.over_ranks(aggregates.count());
      last = count <= o_.coarse_rows;
      const bool stalls = !last && count > slowest_coarsening * rows;
      const bool gathers = finest.spread && (last || stalls || count <= o_.gather_rows);
      if (stalls && !gathers) break;
      pattern = add_level(pattern, aggregates, last, gathers);
    }
    if (from) from->require(levels_.size() == of_row.size() + 1, "levels");
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      Level<Space, T>& level = *levels_[l];
      fit(level.defect, level.A->size());
      if (o_.pre > 0 || o_.post > 1) fit(level.change, level.A->size());
      if (l == 0 || o_.cycle == "V") continue;
      for (auto* v : {&level.left, &level.step}) fit(*v, level.A->size());
      if (o_.cycle == "W") continue;
      for (auto* v : {&level.image, &level.second}) fit(*v, level.A->size());
    }
  }

  void refuse_large(const DistributedMatrix<Space>* spread) const {
    const auto look = [&] {
      constexpr std::int64_t most = std::numeric_limits<int>::max();
      if (std::int64_t{rows_} * block_ * block_ > most || blocks_ > most)
        throw Error(Exit::usage, "aggregation: the matrix has more than 2^31 - 1 entries");
    };
    spread ? all_or_none(*spread->ranks(), look) : look();
  }

  // Adds a level with its present values; returns its pattern.
  Pattern add_level(const Pattern& pattern, const Aggregates& aggregates, bool last, bool gathers) {
    Level<Space, T>& fine = *levels_.back();
    Level<Space, T>& level = *levels_.emplace_back(std::make_unique<Level<Space, T>>());
    CoarsePattern p = coarse_pattern(pattern, aggregates, last && !gathers);
    BlockCsrData coarse{block_, p.coarse.row_start, p.coarse.column, {}, false, false};
    std::vector<RowRange> lines = coarse_lines(fine.A->lines(), aggregates);
    if (fine.spread) fine.across = std::make_unique<AcrossRanks<Space>>(*fine.spread, aggregates);
    if (gathers) {
      coarse = fine.across->template gather<T>(pattern, aggregates, p, last);
      lines = fine.across->lines_of_all(lines);
    }
    coarse.symmetric = fine.matrix().is_symmetric();
    fine.of_row = Array<int, Space>(aggregates.of_row);
    fine.start = Array<int, Space>(aggregates.start);
    fine.member = Array<int, Space>(aggregates.member);
    if (std::is_same_v<Space, Host>) fine.by_chunks = Array<int, Space>(sorted_in_chunks(aggregates));
    fine.column = Array<int, Space>(p.column);
    fine.into = Array<int, Space>(p.into);
    level.own = std::make_unique<CsrMatrix<Space, T>>(coarse);
    level.own->set_lines(lines);
    level.A = level.own.get();
    if (fine.spread && !gathers) level.spread = &fine.across->spread(*fine.spread, *level.own, o_.diffusion != 1);
    level.is_full = last;
    fit(level.r, level.A->size());
    fit(level.z, level.A->size());
    if (last)
      level.smoother = std::make_unique<BlockIlu0<Space>>(BlockIluOptions{});
    else
      level.smoother = make_smoother();
    sum_blocks(levels_.size() - 1);
    return {std::move(coarse.row_start), std::move(coarse.column)};
  }

  // Computes the blocks of level l.
  void sum_blocks(std::size_t l) const {
    const Level<Space, T>& fine = *levels_[l - 1];
    constexpr bool by_chunks = std::is_same_v<Space, Host>;
    const int first = fine.across ? fine.across->first_row() : 0;
    with_view(*fine.A, [&]<class V>(const CsrView<V>& A) {
      const Sums<V, T> sums{A.row_start.data(),
                            A.value.data(),
                            fine.rows_of_next(*levels_[l]),
                            fine.start.data(),
                            by_chunks ? fine.by_chunks.data() : fine.member.data(),
                            fine.of_row.data(),
                            fine.into.data(),
                            levels_[l]->own->row_start().data() + first,
                            levels_[l]->own->values().data()};
      if constexpr (by_chunks)
        aggregation_host::sum_blocks(block_, sums);
      else
        sum_blocks_on_device(block_, sums);
    });
    if (fine.across) fine.across->sum_blocks(*fine.spread, *levels_[l]->own);
    if (o_.diffusion != 1) weaken(*levels_[l]->own);
    if (o_.diffusion != 1 && fine.across) fine.across->weaken(*levels_[l]->own, 0.5 * (1 - o_.diffusion));
    if (levels_[l]->is_full && levels_[0]->matrix().has_constant_null_space())
      shift_constants<Space>(block_, levels_[l]->A->rows(), levels_[l]->own->diagonal().data(),
                             levels_[l]->own->values().data());
  }

  void weaken(CsrMatrix<Space, T>& C) const {
    const Blocks<T> blocks{C.row_start().data(), C.diagonal().data(), C.column().data(), C.values().data()};
    const T half = static_cast<T>(0.5 * (1 - o_.diffusion));
    run<Space, WeakenDiagonal>(block_, C.rows(), blocks, half);
    run<Space, WeakenCouplings>(block_, C.rows(), blocks, half);
  }

  // Values of all levels; prepare(smoother, A): set-up or update of the smoother.
  template <class Prepare>
  SetupInfo compute(const Prepare& prepare) {
    SetupInfo info{.levels = static_cast<int>(levels_.size())};
    MetError met;  // over ranks: the first of this one
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      this->stop_if_asked();
      Level<Space, T>& level = *levels_[l];
      if (l > 0) sum_blocks(l);
      SetupInfo of_smoother;
      const auto smoother = [&] {
        of_smoother = prepare(*level.smoother, level.wide.taken_by(*level.smoother, *level.A));
      };
      levels_[0]->spread ? try_on_rank(level, smoother, met) : smoother();
      info.bytes += of_smoother.bytes + level.bytes();
      info.nnz += of_smoother.nnz;
      info.replaced_blocks += of_smoother.replaced_blocks;
      if (l == 0) info.colours = of_smoother.colours;
    }
    if (levels_[0]->spread) agree(*levels_[0]->spread->ranks(), met);
    return info;
  }

  // A row of the finest level is named by its number in the whole matrix.
  template <class Call>
  void try_on_rank(const Level<Space, T>& level, const Call& call, MetError& met) const {
    try {
      try {
        call();
      } catch (const RowError& error) {
        if (&level != levels_[0].get()) throw;
        throw error.with_name(level.spread->row_name(error.row()));
      }
    } catch (...) {
      if (!met) met = met_now();
    }
  }

  // z = result of one cycle from level l for r.
  void cycle(std::size_t l, View<const double> r, View<double> z) const {
    Level<Space, T>& level = *levels_[l];
    if (l + 1 == levels_.size()) return level.smoother->apply(r, z);
    Level<Space, T>& next = *levels_[l + 1];
    const View<double> defect = level.defect, c = next.z, mine = level.part_of_next(next, next.z);
    for (int s = 0; s < o_.pre; ++s) s == 0 ? level.smoother->apply(r, z) : smooth(level, r, z);
    if (o_.pre > 0) level.matrix().residual(r, z, defect);
    const View<const double> d = o_.pre > 0 ? View<const double>(defect) : r;
    const int *of_row = level.of_row.data(), *start = level.start.data(), *member = level.member.data();
    const double* to_add = mine.data();
    run<Space, Restrict>(block_, level.rows_of_next(next), start, member, d.data(),
                         level.part_of_next(next, next.r).data());
    if (level.across && level.across->gathers()) level.across->complete(next.r);
    solve(l + 1);
    if (o_.scaling != 1) scaled<Space>(o_.scaling, c, c);
    if (o_.post > 0) {
      subtract_correction(level, d, c, mine, defect);
      level.smoother->apply(defect, o_.pre == 0 ? z : level.change);
      if (o_.pre > 0) axpy<Space>(1, level.change, z);
    }
    run<Space, Prolong>(block_, level.A->rows(), of_row, to_add, z.data());
    for (int s = 1; s < o_.post; ++s) smooth(level, r, z);
  }

  // defect = d - A P c. mine: this rank's part of c.
  void subtract_correction(const Level<Space, T>& level, View<const double> d, View<const double> c,
                           View<const double> mine, View<double> defect) const {
    if (level.across) level.across->fetch(c);
    with_view(*level.A, [&]<class V>(CsrView<V> product) {
      product.column = level.column.view();
      csr_products::product(Space{}, product, Product::residual, d.data(), mine.data(), defect.data());
    });
    if (level.across) level.across->subtract(*level.spread, c, defect);
  }

  // z += S (r - A z)
  void smooth(Level<Space, T>& level, View<const double> r, View<double> z) const {
    const View<double> defect = level.defect, change = level.change;
    level.matrix().residual(r, z, defect);
    level.smoother->apply(defect, change);
    axpy<Space>(1, change, z);
  }

  // z of level l from its r.
  void solve(std::size_t l) const {
    Level<Space, T>& level = *levels_[l];
    const View<double> r = level.r, z = level.z, q = level.left, c = level.step;
    cycle(l, r, z);
    if (o_.cycle == "V" || l + 1 == levels_.size()) return;
    if (o_.cycle == "W") {
      level.matrix().residual(r, z, q);
      cycle(l, q, c);
      return axpy<Space>(1, c, z);
    }
    // GCR: z = alpha z and, if the residual is still large, the optimal combination of z and c.
    const View<double> v = level.image, w = level.second;
    const Pair first = level.over_ranks(level.matrix().apply_dots(z, r, v));
    if (!(first.b > 0)) return;
    const double alpha = first.a / first.b;
    assign<Space>(r, q);
    const Pair left = level.over_ranks(Pair{axpy_square<Space>(-alpha, v, q), dot<Space>(r, r)});
    if (left.a <= enough * enough * left.b) return scaled<Space>(alpha, z, z);
    cycle(l, q, c);
    const Pair second = level.over_ranks(level.matrix().apply_dots(c, q, w));
    const double wv = level.over_ranks(dot<Space>(w, v)), ww = second.b - wv * wv / first.b;
    const double beta = ww > 0 ? second.a / ww : 0;
    scaled<Space>(alpha - beta * wv / first.b, z, z);
    axpy<Space>(beta, c, z);
  }

  // Work per visit of a level: its sweeps (the first after the correction needs A P only) and the transfers.
  Work work_of_visit(std::size_t l) const {
    const Level<Space, T>& level = *levels_[l];
    const Work sweep = level.smoother->apply_work();
    if (l + 1 == levels_.size()) return sweep;
    const std::int64_t n = level.A->size(), coarse = levels_[l + 1]->A->size(), rows = level.A->rows();
    const std::int64_t sweeps = o_.pre + o_.post, products = o_.pre + std::max(0, o_.post - 1);
    const Work product = level.matrix().apply_work();
    Work work{sweeps * sweep.bytes + products * (product.bytes + 8 * n) + (sweeps - 1) * 24 * n,
              sweeps * sweep.flops + products * (product.flops + n) + (sweeps - 1) * n};
    if (o_.post > 0)
      work += {level.A->bytes() + 4 * level.A->blocks() + 8 * rows + 16 * n + 8 * coarse, product.flops + n};
    work += {24 * n + 16 * coarse + 8 * rows, 2 * n};
    return work;
  }

  AggregationOptions o_;
  std::unique_ptr<BlockCsr<Space>> written_out_;  // copy of a matrix of another kind
  int rows_ = -1, block_ = 1, connections_ = 0;
  std::int64_t blocks_ = -1;
  std::vector<std::unique_ptr<Level<Space, T>>> levels_;
};

}  // namespace

template <class Space>
std::unique_ptr<Preconditioner<Space>> aggregation::make(const AggregationOptions& options) {
  if (options.coarse_floats) return std::make_unique<Aggregation<Space, float>>(options);
  return std::make_unique<Aggregation<Space, double>>(options);
}

template std::unique_ptr<Preconditioner<Host>> aggregation::make(const AggregationOptions& options);
template std::unique_ptr<Preconditioner<Device>> aggregation::make(const AggregationOptions& options);

}  // namespace weir
