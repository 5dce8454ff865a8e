#include "solvers/preconditioner/fast_poisson/distributed_fast_poisson.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

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

template <class Space>
bool DistributedFastPoisson<Space>::can_spread(const Matrix<Space>& A) {
  const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A);
  if (!stencil || stencil->ranks()->size() == 1) return false;
  const int ranks = stencil->ranks()->size();
  const auto sizes = sizes_of(stencil->whole_operator());
  return sizes[0] >= ranks && (stencil->cuts().parts(0) == 1 || sizes[at(longest_across(sizes))] >= ranks);
}

template <class Space>
void DistributedFastPoisson<Space>::transpose_plans(const FastPoissonPlan& whole, const RankBox& rows,
                                                    const RankBox& lines) {
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

template <class Space>
SetupInfo DistributedFastPoisson<Space>::setup(const Matrix<Space>& A) {
  SetupInfo info;
  const ScopedTimer timer(info.seconds);
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
  info.bytes = sweep_rows_->bytes() + sweep_lines_->bytes() +
               8 * (in_rows_.size() + in_modes_.size() + in_lines_.size() + solved_.size());
  return info;
}

template <class Space>
SetupInfo DistributedFastPoisson<Space>::update(const Matrix<Space>& A) {
  const SeparableOperator& now = spread_stencil(A).whole_operator();
  if (now.direction != operator_.direction) return setup(A);
  SetupInfo info;
  const ScopedTimer timer(info.seconds);
  check_signs(now);
  operator_.shift = lines_->shift = now.shift;
  operator_.scale = lines_->scale = now.scale;
  lines_->singular = now.has_constant_null_space() && A.ranks()->is_root();
  return info;
}

template <class Space>
void DistributedFastPoisson<Space>::apply(View<const double> r, View<double> z) const {
  const bool has_rows = !own_to_rows_;
  if (!has_rows) (*own_to_rows_)(r.data(), in_rows_.data());
  sweep_rows_->transform_x(*rows_, false, has_rows ? r.data() : in_rows_.data(), in_modes_.data());
  rows_to_lines_(in_modes_.data(), in_lines_.data());
  sweep_lines_->solve(*lines_, in_lines_, solved_);
  lines_to_rows_(solved_.data(), in_modes_.data());
  sweep_rows_->transform_x(*rows_, true, in_modes_.data(), has_rows ? z.data() : in_rows_.data());
  if (!has_rows) (*rows_to_own_)(in_rows_.data(), z.data());
}

template <class Space>
std::string DistributedFastPoisson<Space>::describe() const {
  return "fast_poisson (" + text_ + ", distributed by transposes)";
}

template class DistributedFastPoisson<Host>;
template class DistributedFastPoisson<Device>;

}  // namespace weir
