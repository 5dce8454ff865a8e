#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

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
  double cost = 0;  // ns per value
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

// Cuts of a grid along direction d only, into parts of about the same size. in_pairs: before lines with an even number.
BoxCuts cut_along(const std::array<int, 3>& sizes, int d, int ranks, bool in_pairs) {
  const int together = in_pairs && sizes[d] >= 2 * ranks ? 2 : 1;
  BoxCuts c;
  for (int e = 0; e < 3; ++e) c.begin[e] = {0, sizes[e]};
  c.begin[d].clear();
  for (int p = 0; p < ranks; ++p)
    c.begin[d].push_back(together * static_cast<int>(std::int64_t{1} * (sizes[d] / together) * p / ranks));
  c.begin[d].push_back(sizes[d]);
  return c;
}
bool has_pairs(const BoxCuts& c) {
  return std::all_of(c.begin[1].begin(), c.begin[1].end() - 1, [](int first) { return first % 2 == 0; });
}

std::array<int, 3> sizes_of(const SeparableOperator& op) {
  return {op.direction[0].size(), op.direction[1].size(), op.direction[2].size()};
}
int longest_across(const std::array<int, 3>& sizes) { return sizes[2] >= sizes[1] ? 2 : 1; }

}  // namespace

// fast_poisson over ranks, by transposes. With whole lines along x on each rank:
//  x transformed -> transpose -> y and z, and back -> transpose -> x transformed back.
// After the transpose a rank has all of y and z for some of the modes of x. If x itself is cut (blocks), the values are
// first moved to whole lines, and moved back at the end. Nothing is gathered; a transpose moves each value that changes
// rank once. The solution is that of one rank to round-off.
template <class Space>
class FastPoisson<Space>::Transposes {
 public:
  // plan: of the whole operator; becomes that of y and z for the modes of x of this rank.
  Transposes(const DistributedStencil<Space>& A, FastPoissonPlan& plan) {
    const Communicator& ranks = *A.ranks();
    const auto sizes = sizes_of(A.whole_operator());
    // Fast transforms take lines in pairs, and the rounding of a line depends on the other one.
    const bool in_pairs = std::is_same_v<Space, Host> && ranks.has_exact_sums();
    const BoxCuts& own = A.cuts();
    has_rows_ = own.parts(0) == 1 && (!in_pairs || has_pairs(own));
    const BoxCuts rows = has_rows_ ? own : cut_along(sizes, longest_across(sizes), ranks.size(), in_pairs);
    const BoxCuts lines = cut_along(sizes, 0, ranks.size(), in_pairs);
    const RankBox my_own = own.box(ranks.rank()), my_rows = rows.box(ranks.rank()), my_lines = lines.box(ranks.rank());
    const auto moves = [&](const BoxCuts& from, const RankBox& to) {
      return BoxSpread<Space>(
          ranks, from, sizes, [&](int rank) { return from.box(rank); }, to, 1, true, A.halo_options());
    };
    if (!has_rows_) {
      own_to_rows_ = moves(own, my_rows);
      rows_to_own_ = moves(rows, my_own);
    }
    rows_to_lines_ = moves(rows, my_lines);
    lines_to_rows_ = moves(lines, my_rows);

    plan_.extents = extents_of(my_rows);
    plan_.modes[0] = plan.modes[0];
    plan.extents = extents_of(my_lines);
    const Modes& x = plan_.modes[0];
    plan.modes[0] = Modes{};  // no transform along x
    plan.modes[0].norm = x.norm;
    plan.modes[0].lambda.assign(x.lambda.begin() + my_lines.low[0], x.lambda.begin() + my_lines.high[0]);
    plan.singular = plan.singular && ranks.is_root();  // the root has the constant mode
    sweep_ = make_fast_poisson_sweep<Space>(plan_);
    in_rows_ = Array<double, Space>(has_rows_ ? 0 : plan_.extents.count());
    in_modes_ = Array<double, Space>(plan_.extents.count());
    in_lines_ = Array<double, Space>(plan.extents.count());
    solved_ = Array<double, Space>(plan.extents.count());
  }
  std::int64_t bytes() const {
    return sweep_->bytes() + 8 * (in_rows_.size() + in_modes_.size() + in_lines_.size() + solved_.size());
  }

  template <class Solve>
  void apply(View<const double> r, View<double> z, const Solve& solve) const {
    if (!has_rows_) own_to_rows_(r.data(), in_rows_.data());
    sweep_->transform_x(plan_, false, has_rows_ ? r.data() : in_rows_.data(), in_modes_.data());
    rows_to_lines_(in_modes_.data(), in_lines_.data());
    solve(in_lines_, solved_);
    lines_to_rows_(solved_.data(), in_modes_.data());
    sweep_->transform_x(plan_, true, in_modes_.data(), has_rows_ ? z.data() : in_rows_.data());
    if (!has_rows_) rows_to_own_(in_rows_.data(), z.data());
  }

 private:
  FastPoissonPlan plan_;  // transforms along x
  std::unique_ptr<FastPoissonSweep<Space>> sweep_;
  bool has_rows_;                               // x is not cut, nor pairs of lines that must stay together
  BoxSpread<Space> own_to_rows_, rows_to_own_;  // if not
  BoxSpread<Space> rows_to_lines_, lines_to_rows_;
  mutable Array<double, Space> in_rows_, in_modes_, in_lines_, solved_;
};

template <class Space>
FastPoisson<Space>::FastPoisson(FastPoissonOptions options)
    : Preconditioner<Space>({.keeps_symmetry = true, .is_exact = true}), options_(std::move(options)) {}
template <class Space>
FastPoisson<Space>::~FastPoisson() = default;

// True if there are modes of x, and lines along x, for every rank.
template <class Space>
bool FastPoisson<Space>::spreads_over(const Matrix<Space>& A) const {
  const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A);
  if (!stencil || stencil->ranks()->size() == 1) return false;
  const int ranks = stencil->ranks()->size();
  const auto sizes = sizes_of(stencil->whole_operator());
  return sizes[0] >= ranks && (stencil->cuts().parts(0) == 1 || sizes[longest_across(sizes)] >= ranks);
}

// On a device a tridiagonal direction pays only if there are lines for all threads.
template <class Space>
SetupInfo FastPoisson<Space>::do_setup(const Matrix<Space>& A) {
  const auto* stencil = spreads_over(A) ? dynamic_cast<const DistributedStencil<Space>*>(&A) : nullptr;
  const SeparableOperator& whole = stencil ? stencil->whole_operator() : separable(A);
  check_signs(whole);
  direction_ = whole.direction;
  transposes_.reset();  // refers to the plan
  sweep_.reset();
  constexpr bool on_host = std::is_same_v<Space, Host>;
  plan_ = std::make_unique<FastPoissonPlan>(make_fast_poisson_plan(whole, options_, on_host, on_host ? 1 : 4096));
  text_ = plan_->describe();
  if (stencil) transposes_ = std::make_unique<Transposes>(*stencil, *plan_);
  sweep_ = make_fast_poisson_sweep<Space>(*plan_);
  return {.bytes = sweep_->bytes() + (transposes_ ? transposes_->bytes() : 0)};
}

template <class Space>
SetupInfo FastPoisson<Space>::do_update(const Matrix<Space>& A) {
  const bool spreads = spreads_over(A);
  const SeparableOperator& now =
      spreads ? dynamic_cast<const DistributedStencil<Space>&>(A).whole_operator() : separable(A);
  if (!plan_ || spreads != (transposes_ != nullptr) || now.direction != direction_) return do_setup(A);
  check_signs(now);
  plan_->shift = now.shift;
  plan_->scale = now.scale;
  plan_->singular = now.has_constant_null_space() && (!spreads || A.ranks()->is_root());
  return {.bytes = sweep_->bytes() + (transposes_ ? transposes_->bytes() : 0)};
}

template <class Space>
void FastPoisson<Space>::apply(View<const double> r, View<double> z) const {
  const auto solve = [this](View<const double> f, View<double> x) { sweep_->solve(*plan_, f, x); };
  transposes_ ? transposes_->apply(r, z, solve) : solve(r, z);
}

template <class Space>
Work FastPoisson<Space>::apply_work() const {
  return plan_ && !transposes_ ? plan_->work() : Work{};  // not stated over ranks
}

template <class Space>
std::string FastPoisson<Space>::describe() const {
  if (!plan_) return "fast_poisson";
  return "fast_poisson (" + text_ + (transposes_ ? ", distributed by transposes)" : ")");
}

namespace {

constexpr Option fast_poisson_keys[] = {
    {"transforms", Option::text, "auto",
     "type of the transforms; fast: fast transforms wherever they exist; matrix: products with eigenvectors only; "
     "auto: those with the lower estimated cost",
     "auto | fast | matrix"},
    {"tridiagonal", Option::text, "auto", "direction in which tridiagonal systems are solved instead of a transform",
     "auto | none | y | z"}};

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
  return a[alone && d < 2 ? 1 - d : d];
}

void check_signs(const SeparableOperator& A) {
  if (!(A.shift >= 0 && A.scale >= 0 && A.shift + A.scale > 0))
    throw std::invalid_argument("fast_poisson needs shift >= 0 and scale >= 0, not both 0");
}

double FastPoissonPlan::norm() const {
  double f = 1;
  for (int d = 0; d < 3; ++d)
    if (d != tridiagonal) f *= modes[d].norm;
  return f;
}

Work FastPoissonPlan::work() const {
  const std::int64_t count = extents.count();
  const int passes = 1 + 2 * (transforms(0) || transforms(1)) + 2 * transforms(2);
  double flops = static_cast<double>(count) * (tridiagonal >= 0 ? 16 : 4);
  std::int64_t tables = tridiagonal >= 0 ? 4 * direction[tridiagonal].size() : 0;
  for (int d = 0; d < 3; ++d) {
    if (!transforms(d)) continue;
    const Modes& m = modes[d];
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
    const auto& m = modes[d];
    if (d != tridiagonal && m.n == 1) continue;
    text += text.empty() ? "" : ", ";
    text += std::string(1, static_cast<char>('x' + d)) + " " + (d == tridiagonal ? "tridiagonal" : to_string(m.basis));
  }
  return text.empty() ? "one unknown" : text;
}

FastPoissonPlan make_fast_poisson_plan(const SeparableOperator& A, const FastPoissonOptions& options, bool may_use_fast,
                                       std::int64_t least_lines) {
  FastPoissonPlan plan;
  for (int d = 0; d < 3; ++d) plan.direction[d] = arranged(A, d);
  const auto& direction = plan.direction;
  plan.extents = {direction[0].size(), direction[1].size(), direction[2].size()};
  plan.shift = A.shift;
  plan.scale = A.scale;
  plan.singular = A.has_constant_null_space();

  std::array<Choice, 3> choice;
  for (std::size_t d = 0; d < 3; ++d) choice[d] = choose_basis(direction[d], options, may_use_fast);
  // The more expensive of y and z stays tridiagonal; z if they are equal, because its lines are contiguous over whole
  // planes.
  double dearest = 0;
  for (int d : {1, 2}) {
    const bool asked = options.tridiagonal == (d == 1 ? "y" : "z");
    const bool allowed =
        asked || (options.tridiagonal == "auto" && plan.extents.count() / direction[d].size() >= least_lines);
    if (!allowed || direction[d].periodic || direction[d].size() == 1 || choice[d].cost < dearest) continue;
    dearest = choice[d].cost;
    plan.tridiagonal = d;
  }
  for (std::size_t d = 0; d < 3; ++d)
    if (static_cast<int>(d) != plan.tridiagonal) plan.modes[d] = make_modes(direction[d], choice[d].basis);
  return plan;
}

}  // namespace weir
