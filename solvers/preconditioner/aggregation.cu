#include "solvers/preconditioner/aggregation.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/krylov/vector_ops.hpp"
#include "solvers/matrix/block_csr.hpp"
#include "solvers/preconditioner/aggregates.hpp"
#include "solvers/preconditioner/aggregation_kernels.hpp"
#include "solvers/preconditioner/block_ilu0.hpp"
#include "solvers/timer.hpp"

namespace weir {
namespace {

using namespace aggregation;

constexpr double slowest_coarsening = 0.9;  // of the rows left: where hardly anything joins, no level is added
constexpr double enough = 0.25;             // of |r| left after the first step of a K cycle: no second one

struct AggregationOptions {
  Table smoother;
  std::string cycle;
  int pre, post, passes, levels, coarse_rows;
  double strength, scaling;
};

template <class Space>
struct Level {
  const BlockCsr<Space>* A = nullptr;
  std::unique_ptr<BlockCsr<Space>> own;  // *A, below the finest
  std::unique_ptr<Preconditioner<Space>> smoother;
  Array<double, Space> defect, change;  // of the cycle
  // To the next level; empty on the coarsest.
  Array<int, Space> of_row, start, member;
  // From the finer level; empty on the finest.
  Array<std::int64_t, Space> source_start, source;
  Array<double, Space> r, z;
  Array<double, Space> left, step, product, second;  // of W and K cycles

  std::int64_t bytes() const {
    const std::int64_t vectors = defect.size() + change.size() + r.size() + z.size() + left.size() + step.size() +
                                 product.size() + second.size();
    const std::int64_t matrix =
        own ? (8 * A->block() * A->block() + 4) * A->blocks() + 16 * std::int64_t{A->rows()} : 0;
    return 8 * (vectors + source_start.size() + source.size()) + 4 * (of_row.size() + start.size() + member.size()) +
           matrix;
  }
};

template <class Space>
BlockCsrData on_host(const BlockCsr<Space>& A) {
  return {A.block(), A.row_start().to_vector(), A.column().to_vector(), A.to_values(), A.is_symmetric(), false};
}

template <class Space>
class Aggregation final : public Preconditioner<Space> {
 public:
  explicit Aggregation(AggregationOptions options) : o_(std::move(options)) {
    levels_.push_back(std::make_unique<Level<Space>>());
    levels_[0]->smoother = make_smoother();
  }

  SetupInfo setup(const Matrix<Space>& matrix) override {
    double seconds = 0;
    {
      const ScopedTimer timer(seconds);
      find_levels(block_csr(matrix));
    }
    SetupInfo info = compute(&Preconditioner<Space>::setup);
    info.seconds += seconds;
    return info;
  }

  SetupInfo update(const Matrix<Space>& matrix) override {
    const BlockCsr<Space>& A = block_csr(matrix);
    if (A.rows() != rows_ || A.blocks() != blocks_ || A.block() != block_) return setup(matrix);
    levels_[0]->A = &A;
    return compute(&Preconditioner<Space>::update);
  }

  void apply(View<const double> r, View<double> z) const override { cycle(0, r, z); }

  bool is_constant() const override {
    return o_.cycle != "K" && std::all_of(levels_.begin(), levels_.end(),
                                          [](const auto& level) { return level->smoother->is_constant(); });
  }
  bool is_symmetric() const override {
    return o_.pre == o_.post && o_.cycle != "K" && levels_[0]->smoother->is_symmetric();
  }

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
      work += levels_[l]->smoother->update_work();
      if (l == 0) continue;
      const std::int64_t nn = std::int64_t{block_} * block_, from = levels_[l]->source.size();
      work += {8 * nn * (from + levels_[l]->A->blocks()) + 8 * from, nn * from};
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
  static const BlockCsr<Space>& block_csr(const Matrix<Space>& A) {
    const auto* csr = dynamic_cast<const BlockCsr<Space>*>(&A);
    if (!csr) throw Error(Exit::usage, "aggregation works on block CSR matrices; this system has another kind");
    if (A.has_constant_null_space())
      throw Error(Exit::usage, "aggregation: the matrix is singular (constants): its coarsest level has no inverse");
    return *csr;
  }
  std::unique_ptr<Preconditioner<Space>> make_smoother() const {
    return make_preconditioner<Space>(o_.smoother.get("type", "block_ilu0"), o_.smoother);
  }

  void find_levels(const BlockCsr<Space>& A) {
    levels_.resize(1);
    levels_[0]->A = &A;
    rows_ = A.rows();
    blocks_ = A.blocks();
    block_ = A.block();
    BlockCsrData data = on_host(A);
    bool last = false;
    while (!last && static_cast<int>(levels_.size()) < std::max(2, o_.levels)) {
      // A finest level of few rows has itself as the coarsest, with a full pattern.
      const Aggregates aggregates = find_aggregates(data, data.rows() > o_.coarse_rows ? o_.passes : 0, o_.strength);
      last = aggregates.count() <= o_.coarse_rows;
      if (!last && aggregates.count() > slowest_coarsening * data.rows()) break;
      data = add_level(data, aggregates, last);
    }
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      Level<Space>& level = *levels_[l];
      for (auto* v : {&level.defect, &level.change}) fit(*v, level.A->size());
      if (l == 0 || o_.cycle == "V") continue;
      for (auto* v : {&level.left, &level.step, &level.product, &level.second}) fit(*v, level.A->size());
    }
    if (!last) fit(levels_.back()->defect, levels_.back()->A->size());
  }

  // The level below the last one; returns its matrix with the values it has now.
  BlockCsrData add_level(const BlockCsrData& fine, const Aggregates& aggregates, bool last) {
    Level<Space>& finer = *levels_.back();
    Level<Space>& level = *levels_.emplace_back(std::make_unique<Level<Space>>());
    const CoarsePattern coarse = coarse_pattern(fine, aggregates, last);
    finer.of_row = Array<int, Space>(aggregates.of_row);
    finer.start = Array<int, Space>(aggregates.start);
    finer.member = Array<int, Space>(aggregates.member);
    level.own = std::make_unique<BlockCsr<Space>>(coarse.matrix);
    level.own->set_lines(coarse_lines(finer.A->lines(), aggregates));
    level.A = level.own.get();
    level.source_start = Array<std::int64_t, Space>(coarse.source_start);
    level.source = Array<std::int64_t, Space>(coarse.source);
    fit(level.r, level.A->size());
    fit(level.z, level.A->size());
    if (last)
      level.smoother = std::make_unique<BlockIlu0<Space>>(BlockIluOptions{});
    else
      level.smoother = make_smoother();
    sum_blocks(levels_.size() - 1);
    return on_host(*level.A);
  }

  static void fit(Array<double, Space>& v, std::int64_t n) {
    if (v.size() != n) v = Array<double, Space>(n);
  }

  void sum_blocks(std::size_t l) const {
    Level<Space>& level = *levels_[l];
    run<Space, SumBlocks>(block_, static_cast<int>(level.A->blocks()), level.source_start.data(), level.source.data(),
                          levels_[l - 1]->A->view().value.data(), level.own->values().data());
  }

  // The numbers of all levels; `prepare`: setup or update of the smoothers.
  SetupInfo compute(SetupInfo (Preconditioner<Space>::*prepare)(const Matrix<Space>&)) {
    SetupInfo info;
    {
      const ScopedTimer timer(info.seconds);
      for (std::size_t l = 0; l < levels_.size(); ++l) {
        Level<Space>& level = *levels_[l];
        if (l > 0) sum_blocks(l);
        const SetupInfo of_smoother = (level.smoother.get()->*prepare)(*level.A);
        info.bytes += of_smoother.bytes + level.bytes();
        info.nnz += of_smoother.nnz;
        info.replaced_blocks += of_smoother.replaced_blocks;
        if (l == 0) info.colours = of_smoother.colours;
      }
    }
    info.levels = static_cast<int>(levels_.size());
    return info;
  }

  // z = what one cycle from level l makes of r.
  void cycle(std::size_t l, View<const double> r, View<double> z) const {
    const Level<Space>& level = *levels_[l];
    if (l + 1 == levels_.size()) return level.smoother->apply(r, z);
    const View<double> defect(level.defect.data(), level.defect.size());
    const Level<Space>& coarse = *levels_[l + 1];
    for (int s = 0; s < o_.pre; ++s) s == 0 ? level.smoother->apply(r, z) : smooth(level, r, z);
    if (o_.pre > 0) level.A->residual(r, z, defect);
    run<Space, Restrict>(block_, coarse.A->rows(), static_cast<const int*>(level.start.data()),
                         static_cast<const int*>(level.member.data()), o_.pre > 0 ? level.defect.data() : r.data(),
                         coarse.r.data());
    solve(l + 1);
    run<Space, Prolong>(block_, level.A->rows(), static_cast<const int*>(level.of_row.data()), o_.scaling, o_.pre > 0,
                        static_cast<const double*>(coarse.z.data()), z.data());
    for (int s = 0; s < o_.post; ++s) smooth(level, r, z);
  }

  // z += S (r - A z)
  void smooth(const Level<Space>& level, View<const double> r, View<double> z) const {
    const View<double> defect(level.defect.data(), level.defect.size()),
        change(level.change.data(), level.change.size());
    level.A->residual(r, z, defect);
    level.smoother->apply(defect, change);
    axpy<Space>(1, change, z);
  }

  // Level l's z from its r.
  void solve(std::size_t l) const {
    const Level<Space>& level = *levels_[l];
    const auto view = [](const Array<double, Space>& a) { return View<double>(a.data(), a.size()); };
    const View<double> r = view(level.r), z = view(level.z), q = view(level.left), c = view(level.step);
    cycle(l, r, z);
    if (o_.cycle == "V" || l + 1 == levels_.size()) return;
    if (o_.cycle == "W") {
      level.A->residual(r, z, q);
      cycle(l, q, c);
      return axpy<Space>(1, c, z);
    }
    // GCR: z = alpha z, and where that leaves much, the combination of z and c that leaves least.
    const View<double> v = view(level.product), w = view(level.second);
    const Pair first = level.A->apply_dots(z, r, v);
    if (!(first.b > 0)) return;
    const double alpha = first.a / first.b;
    assign<Space>(r, q);
    const double qq = axpy_square<Space>(-alpha, v, q);
    if (qq <= enough * enough * dot<Space>(r, r)) return scaled<Space>(alpha, z, z);
    cycle(l, q, c);
    const Pair second = level.A->apply_dots(c, q, w);
    const double wv = dot<Space>(w, v), ww = second.b - wv * wv / first.b;
    const double beta = ww > 0 ? second.a / ww : 0;
    scaled<Space>(alpha - beta * wv / first.b, z, z);
    axpy<Space>(beta, c, z);
  }

  Work work_of_visit(std::size_t l) const {
    const Level<Space>& level = *levels_[l];
    Work work = level.smoother->apply_work();
    if (l + 1 == levels_.size()) return work;
    const std::int64_t sweeps = o_.pre + o_.post, n = level.A->size(), coarse = levels_[l + 1]->A->size();
    const Work product = level.A->apply_work();
    work = {sweeps * (work.bytes + product.bytes + 24 * n), sweeps * (work.flops + product.flops + n)};
    work += {(o_.pre > 0 ? 24 : 16) * n + 16 * coarse + 8 * std::int64_t{level.A->rows()}, 3 * n};
    return work;
  }

  AggregationOptions o_;
  int rows_ = -1, block_ = 1;
  std::int64_t blocks_ = -1;
  std::vector<std::unique_ptr<Level<Space>>> levels_;
};

}  // namespace

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_aggregation(const Table& options) {
  AggregationOptions o;
  o.smoother = options.table("smoother");
  if (o.smoother.get("type", "block_ilu0") == std::string("aggregation"))
    o.smoother.fail("type", "aggregation within aggregation");
  o.cycle = options.choice("cycle", {"V", "W", "K"}, "V");
  const auto number = [&](const char* key, int fallback, int least) {
    const int value = options.get<int>(key, fallback);
    if (value < least) options.fail(key, std::string(key) + " must be at least " + std::to_string(least));
    return value;
  };
  o.pre = number("pre", 0, 0);
  o.post = number("post", 1, 0);
  if (o.pre + o.post == 0) options.fail("post", "a cycle needs a sweep before or after its correction");
  o.passes = number("passes", 2, 1);
  o.levels = number("levels", 20, 2);
  o.coarse_rows = number("coarse_rows", 32, 1);
  o.strength = options.get("strength", 0.25);
  if (!(o.strength >= 0 && o.strength <= 1)) options.fail("strength", "strength must be between 0 and 1");
  o.scaling = options.get("scaling", 1.0);
  if (!(o.scaling > 0)) options.fail("scaling", "scaling must be positive");
  return std::make_unique<Aggregation<Space>>(std::move(o));
}

template std::unique_ptr<Preconditioner<Host>> make_aggregation<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_aggregation<Device>(const Table&);

}  // namespace weir
