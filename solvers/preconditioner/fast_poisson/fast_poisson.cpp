#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/at.hpp"
#include "solvers/distributed/box_spread.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/preconditioner/fast_poisson/line_transform.hpp"
#include "solvers/registry.hpp"

namespace weir {

namespace {

template <class Space>
const SeparableOperator& separable(const Matrix<Space>& A) {
  if (!A.separable()) refuse_matrix("fast_poisson", A);
  return *A.separable();
}

struct Choice {
  ModeBasis basis = ModeBasis::single;
  double cost = 0;  // ns a value
};

Choice choose_basis(const SeparableDirection& d, const FastPoissonOptions& options, bool may_use_fast) {
  if (d.size() == 1) return {};
  const ModeBasis matrix = eigenvector_basis(d), fast = trigonometric_basis(d);
  const Choice by_matrix{matrix, matrix_transform_cost(d.size(), matrix)};
  if (!may_use_fast || !has_fast_transforms() || fast == ModeBasis::dense || options.transforms == "matrix")
    return by_matrix;
  const Choice by_transform{fast, fast_transform_cost(d.size(), fast)};
  return options.transforms == "fast" || by_transform.cost < by_matrix.cost ? by_transform : by_matrix;
}

// All of a grid but direction d, which is dealt out evenly.
BoxCuts cut_along(const std::array<int, 3>& sizes, int d, int ranks) {
  BoxCuts c;
  for (int e = 0; e < 3; ++e) c.begin[at(e)] = {0, sizes[at(e)]};
  c.begin[at(d)].clear();
  for (int p = 0; p <= ranks; ++p)
    c.begin[at(d)].push_back(static_cast<int>(std::int64_t{1} * sizes[at(d)] * p / ranks));
  return c;
}

std::array<int, 3> sizes_of(const SeparableOperator& op) {
  return {op.direction[0].size(), op.direction[1].size(), op.direction[2].size()};
}
int longest_across(const std::array<int, 3>& sizes) { return sizes[2] >= sizes[1] ? 2 : 1; }

template <class Space>
const DistributedStencil<Space>& spread_stencil(const Matrix<Space>& A) {
  return dynamic_cast<const DistributedStencil<Space>&>(A);
}

}  // namespace

// fast_poisson over ranks, by transposes: with whole lines along x on each rank
//   x transformed -> transpose -> y and z, and the way back -> transpose -> x transformed back,
// where after the transpose a rank has all of y and z for some of the modes of x. Where x itself is cut (blocks), the values come
// to whole lines first and go back last. Nothing is gathered; each transpose moves what does not stay on its rank once. The
// solution is that of one rank to round-off.
template <class Space>
class DistributedFastPoisson final : public Preconditioner<Space> {
 public:
  explicit DistributedFastPoisson(FastPoissonOptions options)
      : Preconditioner<Space>({.keeps_symmetry = true, .is_exact = true, .works_over_ranks = true}),
        options_(std::move(options)) {}

  // Whether A is a DistributedStencil that has modes of x, and lines along x, for every rank.
  static bool can_spread(const Matrix<Space>& A) {
    const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A);
    if (!stencil || stencil->ranks()->size() == 1) return false;
    const int ranks = stencil->ranks()->size();
    const auto sizes = sizes_of(stencil->whole_operator());
    return sizes[0] >= ranks && (stencil->cuts().parts(0) == 1 || sizes[at(longest_across(sizes))] >= ranks);
  }

  // of which can_spread(A)
  SetupInfo do_setup(const Matrix<Space>& A) override {
    const DistributedStencil<Space>& stencil = spread_stencil(A);
    operator_ = stencil.whole_operator();
    check_signs(operator_);
    const FastPoissonPlan whole = choose_fast_poisson_plan<Space>(operator_, options_);
    text_ = whole.describe();
    const Communicator& ranks = *A.ranks();
    const auto sizes = sizes_of(operator_);
    const bool has_rows = stencil.cuts().parts(0) == 1;
    const BoxCuts& own = stencil.cuts();
    const BoxCuts rows = has_rows ? own : cut_along(sizes, longest_across(sizes), ranks.size());
    const BoxCuts lines = cut_along(sizes, 0, ranks.size());
    const RankBox my_own = own.box(ranks.rank()), my_rows = rows.box(ranks.rank()), my_lines = lines.box(ranks.rank());
    const auto moves = [&](const BoxCuts& from, const RankBox& to) {
      return BoxSpread<Space>(
          ranks, from, sizes, [&](int rank) { return from.box(rank); }, to, 1, true, stencil.halo_options());
    };
    own_to_rows_.reset();
    rows_to_own_.reset();
    if (!has_rows) {
      own_to_rows_ = std::make_unique<BoxSpread<Space>>(moves(own, my_rows));
      rows_to_own_ = std::make_unique<BoxSpread<Space>>(moves(rows, my_own));
    }
    rows_to_lines_ = moves(rows, my_lines);
    lines_to_rows_ = moves(lines, my_rows);
    sweep_rows_.reset();  // they refer to the plans
    sweep_lines_.reset();
    transpose_plans(whole, my_rows, my_lines);
    sweep_rows_ = make_fast_poisson_sweep<Space>(*rows_);
    sweep_lines_ = make_fast_poisson_sweep<Space>(*lines_);
    in_rows_ = Array<double, Space>(has_rows ? 0 : rows_->extents.count());
    in_modes_ = Array<double, Space>(rows_->extents.count());
    in_lines_ = Array<double, Space>(lines_->extents.count());
    solved_ = Array<double, Space>(lines_->extents.count());
    return {.bytes = sweep_rows_->bytes() + sweep_lines_->bytes() +
                     8 * (in_rows_.size() + in_modes_.size() + in_lines_.size() + solved_.size())};
  }
  // another shift or scale costs nothing
  SetupInfo do_update(const Matrix<Space>& A) override {
    const SeparableOperator& now = spread_stencil(A).whole_operator();
    if (now.direction != operator_.direction) return do_setup(A);
    check_signs(now);
    operator_.shift = lines_->shift = now.shift;
    operator_.scale = lines_->scale = now.scale;
    lines_->singular = now.has_constant_null_space() && A.ranks()->is_root();
    return {};
  }
  void apply(View<const double> r, View<double> z) const override {
    const bool has_rows = !own_to_rows_;
    if (!has_rows) (*own_to_rows_)(r.data(), in_rows_.data());
    sweep_rows_->transform_x(*rows_, false, has_rows ? r.data() : in_rows_.data(), in_modes_.data());
    rows_to_lines_(in_modes_.data(), in_lines_.data());
    sweep_lines_->solve(*lines_, in_lines_, solved_);
    lines_to_rows_(solved_.data(), in_modes_.data());
    sweep_rows_->transform_x(*rows_, true, in_modes_.data(), has_rows ? z.data() : in_rows_.data());
    if (!has_rows) (*rows_to_own_)(in_rows_.data(), z.data());
  }
  std::string describe() const override { return "fast_poisson (" + text_ + ", distributed by transposes)"; }

 private:
  void transpose_plans(const FastPoissonPlan& whole, const RankBox& rows, const RankBox& lines) {
    rows_ = std::make_unique<FastPoissonPlan>(whole);
    rows_->extents = extents_of(rows);
    rows_->modes[1] = rows_->modes[2] = Modes{};
    rows_->tridiagonal = -1;
    lines_ = std::make_unique<FastPoissonPlan>(whole);
    lines_->extents = extents_of(lines);
    const Modes& x = whole.modes[0];
    lines_->modes[0] = Modes{};  // nothing to be transformed here
    lines_->modes[0].norm = x.norm;
    lines_->modes[0].lambda.assign(x.lambda.begin() + lines.low[0], x.lambda.begin() + lines.high[0]);
    lines_->singular = whole.singular && lines.low[0] == 0;
  }

  FastPoissonOptions options_;
  SeparableOperator operator_;                     // of the last setup
  std::unique_ptr<FastPoissonPlan> rows_, lines_;  // along x; of y and z for some of the modes of x
  std::unique_ptr<FastPoissonSweep<Space>> sweep_rows_, sweep_lines_;
  std::unique_ptr<BoxSpread<Space>> own_to_rows_, rows_to_own_;  // where x is cut
  BoxSpread<Space> rows_to_lines_, lines_to_rows_;
  mutable Array<double, Space> in_rows_, in_modes_, in_lines_, solved_;
  std::string text_;
};

template <class Space>
FastPoisson<Space>::FastPoisson(FastPoissonOptions options)
    : Preconditioner<Space>({.keeps_symmetry = true, .is_exact = true}), options_(std::move(options)) {}
template <class Space>
FastPoisson<Space>::~FastPoisson() = default;

template <class Space>
SetupInfo FastPoisson<Space>::do_setup(const Matrix<Space>& A) {
  if (!spreads_over(A)) {
    spread_.reset();
    return setup(separable(A));
  }
  spread_ = std::make_unique<DistributedFastPoisson<Space>>(options_);
  return spread_->setup(A);
}
template <class Space>
SetupInfo FastPoisson<Space>::do_update(const Matrix<Space>& A) {
  if (spreads_over(A)) return spread_ ? spread_->update(A) : do_setup(A);
  return spread_ ? do_setup(A) : update(separable(A));
}
template <class Space>
bool FastPoisson<Space>::spreads_over(const Matrix<Space>& A) const {
  return DistributedFastPoisson<Space>::can_spread(A);
}

template <class Space>
SetupInfo FastPoisson<Space>::setup(const SeparableOperator& A) {
  check_signs(A);
  sweep_.reset();  // refers to the plan
  plan_ = std::make_unique<FastPoissonPlan>(choose_fast_poisson_plan<Space>(A, options_));
  sweep_ = make_fast_poisson_sweep<Space>(*plan_);
  return {.bytes = sweep_->bytes()};
}

template <class Space>
SetupInfo FastPoisson<Space>::update(const SeparableOperator& A) {
  if (!plan_) return setup(A);
  for (int d = 0; d < 3; ++d)
    if (!(arranged(A, d) == plan_->direction[static_cast<std::size_t>(d)])) return setup(A);
  check_signs(A);
  plan_->shift = A.shift;
  plan_->scale = A.scale;
  plan_->singular = A.has_constant_null_space();
  return {.bytes = sweep_->bytes()};
}

template <class Space>
void FastPoisson<Space>::apply(View<const double> r, View<double> z) const {
  spread_ ? spread_->apply(r, z) : sweep_->solve(*plan_, r, z);
}

template <class Space>
Work FastPoisson<Space>::apply_work() const {
  return plan_ && !spread_ ? plan_->work() : Work{};  // over ranks it is not stated
}

template <class Space>
std::string FastPoisson<Space>::describe() const {
  if (spread_) return spread_->describe();
  return plan_ ? "fast_poisson (" + plan_->describe() + ")" : "fast_poisson";
}

namespace {

constexpr Option fast_poisson_keys[] = {
    {"transforms", Option::text, "auto",
     "fast ones wherever they exist, eigenvectors alone, or what is estimated to be cheaper", "auto | fast | matrix"},
    {"tridiagonal", Option::text, "auto", "the direction that keeps its tridiagonal matrices", "auto | none | y | z"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_fast_poisson(const Table& options) {
  const Table t = options.described_by(fast_poisson_keys);
  return std::make_unique<FastPoisson<Space>>(
      FastPoissonOptions{t.get<std::string>("transforms"), t.get<std::string>("tridiagonal")});
}

}  // namespace

constexpr PreconditionerDescription preconditioner::fast_poisson{
    .name = "fast_poisson",
    .meaning = "direct solution by fast diagonalisation, exact",
    .citation = "Lynch, Rice & Thomas 1964",
    .options = fast_poisson_keys,
    .matrices = on_stencil,
    .over_ranks = on_stencil,
    .update_cost = 2,
    .bytes = [](const Table&, const MatrixSize& A) { return 8 * A.unknowns(); },
    .make_host = make_fast_poisson<Host>,
    .make_device = make_fast_poisson<Device>};

template class FastPoisson<Host>;
template class FastPoisson<Device>;

const SeparableDirection& arranged(const SeparableOperator& A, int d) {
  const auto& a = A.direction;
  const bool alone = a[1].size() == 1 && a[2].size() == 1;
  return a[static_cast<std::size_t>(alone && d < 2 ? 1 - d : d)];
}

void check_signs(const SeparableOperator& A) {
  if (!(A.shift >= 0 && A.scale >= 0 && A.shift + A.scale > 0))
    throw std::invalid_argument("fast_poisson needs shift >= 0 and scale >= 0, not both 0");
}

double FastPoissonPlan::norm() const {
  double f = 1;
  for (int d = 0; d < 3; ++d)
    if (d != tridiagonal) f *= modes[static_cast<std::size_t>(d)].norm;
  return f;
}

Work FastPoissonPlan::work() const {
  const std::int64_t count = extents.count();
  const int passes = 1 + 2 * (transforms(0) || transforms(1)) + 2 * transforms(2);
  double flops = static_cast<double>(count) * (tridiagonal >= 0 ? 16 : 4);
  std::int64_t tables = tridiagonal >= 0 ? 4 * direction[static_cast<std::size_t>(tridiagonal)].size() : 0;
  for (int d = 0; d < 3; ++d) {
    if (!transforms(d)) continue;
    const Modes& m = modes[static_cast<std::size_t>(d)];
    const bool matrix = m.basis == ModeBasis::dense || m.basis == ModeBasis::symmetric;
    const double a_value = m.basis == ModeBasis::dense ? 2.0 * m.n : matrix ? 1.0 * m.n : 2.5 * std::log2(m.n);
    flops += 2 * a_value * static_cast<double>(count);
    tables += m.n + static_cast<std::int64_t>(2 * (m.even.size() + m.odd.size()));
  }
  return {8 * (2 * passes * count + tables), std::llround(flops)};
}

std::string FastPoissonPlan::describe() const {
  std::string text;
  for (int d = 0; d < 3; ++d) {
    const auto& m = modes[static_cast<std::size_t>(d)];
    if (d != tridiagonal && m.n == 1) continue;
    text += text.empty() ? "" : ", ";
    text += std::string(1, static_cast<char>('x' + d)) + " " + (d == tridiagonal ? "tridiagonal" : to_string(m.basis));
  }
  return text.empty() ? "one unknown" : text;
}

FastPoissonPlan make_fast_poisson_plan(const SeparableOperator& A, const FastPoissonOptions& options, bool may_use_fast,
                                       std::int64_t least_lines) {
  FastPoissonPlan plan;
  for (int d = 0; d < 3; ++d) plan.direction[static_cast<std::size_t>(d)] = arranged(A, d);
  const auto& direction = plan.direction;
  plan.extents = {direction[0].size(), direction[1].size(), direction[2].size()};
  plan.shift = A.shift;
  plan.scale = A.scale;
  plan.singular = A.has_constant_null_space();

  std::array<Choice, 3> choice;
  for (std::size_t d = 0; d < 3; ++d) choice[d] = choose_basis(direction[d], options, may_use_fast);
  // The dearest of y and z stays tridiagonal; z where they are equal, for its lines lie side by side over whole planes.
  double dearest = 0;
  for (int d : {1, 2}) {
    const auto s = static_cast<std::size_t>(d);
    const bool asked = options.tridiagonal == (d == 1 ? "y" : "z");
    const bool allowed =
        asked || (options.tridiagonal == "auto" && plan.extents.count() / direction[s].size() >= least_lines);
    if (!allowed || direction[s].periodic || direction[s].size() == 1 || choice[s].cost < dearest) continue;
    dearest = choice[s].cost;
    plan.tridiagonal = d;
  }
  for (std::size_t d = 0; d < 3; ++d)
    if (static_cast<int>(d) != plan.tridiagonal) plan.modes[d] = make_modes(direction[d], choice[d].basis);
  return plan;
}

}  // namespace weir
