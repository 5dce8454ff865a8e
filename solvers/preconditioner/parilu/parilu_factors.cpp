// The iteration of parilu and parilut, the same in both spaces.
#include "solvers/preconditioner/parilu/parilu.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"

namespace weir {

using parilu::FactorsView;
using parilu::Rows;

namespace {

template <class Space>
void assign(const TriangularRows& pattern, Rows<Space>& rows) {
  rows.count = static_cast<std::int64_t>(pattern.column.size());
  rows.start.assign(pattern.start);
  rows.column.assign(pattern.column);
}

// Includes the time of launched work: known at the end of build().
template <class Space>
struct StageTimer : SpaceTimer<Space> {
  StageTimer(ParIluTimes& times, ParIluStage stage) : SpaceTimer<Space>(times[static_cast<int>(stage)]) {}
};

}  // namespace

template <class Space>
ParIluFactors<Space>::ParIluFactors(const BlockCsr<Space>& A, const ParIluOptions& options)
    : options_(options),
      rows_(A.rows()),
      n_(A.block()),
      blocks_(A.blocks()),
      replaced_(rows_),
      scale_(std::int64_t{rows_} * n_ * n_),
      y_(A.size()) {
  const Triangles pattern =
      triangles_of("parilu, parilut", A.row_start().to_vector(), A.diagonal().to_vector(), A.column().to_vector());
  assign(pattern.lower, initial_lower_);
  assign(pattern.upper, initial_upper_);
  most_lower_ = std::llround(options.fill * static_cast<double>(initial_lower_.count));
  most_upper_ = std::llround(options.fill * static_cast<double>(initial_upper_.count));
  if constexpr (std::is_same_v<Space, Device>)
    if (n_ == 1) scalar_ = std::make_unique<parilu::ScalarStep>(rows_, pattern.lower, pattern.upper);
}

template <class Space>
ParIluFactors<Space>::~ParIluFactors() {
  if (std::is_same_v<Space, Device>) backend::complete_timers();
}

template <class Space>
FactorsView ParIluFactors<Space>::view() {
  return {rows_, n_, lower_.view(), upper_.view(), inverse_.data(), replaced_.data()};
}

// The triangles of A as initial guess; not needed where sweeps follow in the order of elimination.
template <class Space>
void ParIluFactors<Space>::start(const BlockCsr<Space>& A) {
  inverse_.reserve(std::int64_t{rows_} * n_ * n_);
  from_initial_ =
      in_order() && n_ == 1 && options_.thresholds && options_.steps > 0;  // the first `grow` reads the pattern of A
  if (from_initial_) return;
  parilu::copy_pattern(rows_, initial_lower_, n_, lower_);
  parilu::copy_pattern(rows_, initial_upper_, n_, upper_);
  const bool swept = !options_.thresholds || options_.steps > 0;
  if (!in_order() || !swept) parilu::guess<Space>(A.view(), view());
  new_pattern_ = true;
  if constexpr (std::is_same_v<Space, Device>)
    if (scalar_) scalar_->lengths = scalar_->initial;
}

// One step of Fig. 2.
template <class Space>
void ParIluFactors<Space>::iterate(const BlockCsr<Space>& A) {
  if constexpr (std::is_same_v<Space, Device>)
    if (scalar_) return iterate_scalar(A);
  find_candidates(A);          // F = (A - L U) \ S                       (5)
  residual(A);                 // the values of F
  add_candidates();            // S <- S u F
  sweeps(A, options_.sweeps);  // L, U on the larger S                    (2) to (4)
  select_thresholds();         // so that `fill` of A's entries are above
  remove_smallest();           // S <- S \ what is below
  sweeps(A, options_.sweeps);  // L, U on the new S                       (2) to (4)
  record_step();
}

template <class Space>
void ParIluFactors<Space>::record_step() {
  now_->lower = lower_.count;
  now_->upper = upper_.count;
}

// One host thread, rows in the order of elimination: a step has fewer stages there (parilu_host.cpp). Diagnostics need
// the stages that are left out.
template <class Space>
bool ParIluFactors<Space>::in_order() const {
  return std::is_same_v<Space, Host> && !options_.synchronous && !options_.diagnostics && omp_get_max_threads() == 1;
}

template <class Space>
void ParIluFactors<Space>::iterate_in_order(const BlockCsr<Space>& A, bool last) {
  grow(A);  // S <- S u F
  const bool drops = lower_.count > most_lower_ || upper_.count > most_upper_;
  if (drops || last) sweeps(A, 1);                                    // L, U on the larger S
  if (drops) select_thresholds();                                     // so that `fill` of A's entries are above
  if (now_->threshold_L > 0 || now_->threshold_U > 0) keep(A, last);  // S <- S \ what is below; at last L, U on it
  record_step();
}

template <class Space>
void ParIluFactors<Space>::grow(const BlockCsr<Space>& A) {
  if constexpr (std::is_same_v<Space, Host>) {
    if (n_ == 1) {
      const StageTimer<Space> timer(now_->seconds, ParIluStage::grow);
      const bool initial = std::exchange(from_initial_, false);
      const Rows<Space>&lower = initial ? initial_lower_ : lower_, &upper = initial ? initial_upper_ : upper_;
      FactorsView S = view();
      S.lower = lower.view();
      S.upper = upper.view();
      parilu::grow_in_order(A.view(), S, next_lower_, next_upper_, work_);
      now_->candidates = next_lower_.count + next_upper_.count - lower.count - upper.count;
      std::swap(lower_, next_lower_);
      std::swap(upper_, next_upper_);
      new_pattern_ = true;
      return;
    }
  }
  find_candidates(A);
  add_candidates();
}

template <class Space>
void ParIluFactors<Space>::keep(const BlockCsr<Space>& A, bool sweeps_after) {
  if constexpr (std::is_same_v<Space, Host>) {
    if (n_ == 1) {
      const StageTimer<Space> timer(now_->seconds, ParIluStage::keep);
      parilu::keep_in_order(A.view(), view(), {norm_lower_.data(), now_->threshold_L},
                            {norm_upper_.data(), now_->threshold_U}, sweeps_after, next_lower_, next_upper_, work_);
      std::swap(lower_, next_lower_);
      std::swap(upper_, next_upper_);
      return;
    }
  }
  remove_smallest();
  if (sweeps_after) sweeps(A, 1);
}

template <class Space>
void ParIluFactors<Space>::find_candidates(const BlockCsr<Space>& A) {
  const StageTimer<Space> timer(now_->seconds, ParIluStage::candidates);
  parilu::find_candidates(A.view(), view(), F_lower_, F_upper_, work_);
  now_->candidates = F_lower_.count + F_upper_.count;
}

template <class Space>
void ParIluFactors<Space>::residual(const BlockCsr<Space>& A) {
  const StageTimer<Space> timer(now_->seconds, ParIluStage::residual);
  parilu::residual(A.view(), view(), F_lower_.view(), F_upper_.view(), work_);
  now_->residual = parilu::norm_of_rows<Space>(rows_, n_, F_lower_.view(), F_upper_.view()) / norm_of_A_;
}

template <class Space>
void ParIluFactors<Space>::add_candidates() {
  const StageTimer<Space> timer(now_->seconds, ParIluStage::add);
  next_lower_.reserve(lower_.count + F_lower_.count, n_);
  next_upper_.reserve(upper_.count + F_upper_.count, n_);
  parilu::add(rows_, n_, lower_.view(), F_lower_.view(), inverse_.data(), next_lower_);
  parilu::add(rows_, n_, upper_.view(), F_upper_.view(), nullptr, next_upper_);
  std::swap(lower_, next_lower_);
  std::swap(upper_, next_upper_);
  new_pattern_ = true;
}

template <class Space>
void ParIluFactors<Space>::sweep(const BlockCsr<Space>& A, const FactorsView& in, const FactorsView& out) {
  if constexpr (std::is_same_v<Space, Device>)
    if (scalar_ && scalar_->fits()) return parilu::sweep_scalar(A.view(), in, out, scalar_->lengths);
  parilu::sweep(A.view(), in, out, work_);
}

template <class Space>
void ParIluFactors<Space>::sweeps(const BlockCsr<Space>& A, int count) {
  const StageTimer<Space> timer(now_->seconds, ParIluStage::sweeps);
  for (int s = 0; s < count; ++s) {
    stop_if_asked_();
    if (!options_.synchronous) {
      sweep(A, view(), view());
      continue;
    }
    // Second set of values on the same pattern.
    const std::int64_t nn = std::int64_t{n_} * n_;
    const FactorsView in = view();
    FactorsView out = in;
    out.lower.value = next_lower_.value.reserve((lower_.count + parilu::entries_behind) * nn);
    out.upper.value = next_upper_.value.reserve((upper_.count + parilu::entries_behind) * nn);
    out.inverse = next_inverse_.reserve(rows_ * nn);
    sweep(A, in, out);
    std::swap(lower_.value, next_lower_.value);
    std::swap(upper_.value, next_upper_.value);
    std::swap(inverse_, next_inverse_);
  }
}

// The norm that about `most` entries reach; 0 if there are no more entries.
template <class Space>
double ParIluFactors<Space>::threshold_of(const Rows<Space>& rows, GrowingArray<double, Space>& norm,
                                          std::int64_t most) {
  if (rows.count <= most) return 0;
  parilu::norms<Space>(rows.view(), rows.count, n_, norm.reserve(rows.count));
  const View<const double> all(norm.data(), rows.count);
  const std::int64_t dropped = std::min(rows.count - most, rows.count - 1);
  const Selection s = options_.exact_thresholds ? select_.exact(all, dropped) : select_.approximate(all, dropped);
  // With constant coefficients many entries may equal the threshold. All are kept, unless that is more than 1.1 times
  // `most` and at least half of `most` remain without them.
  if (static_cast<double>(rows.count - s.below) <= 1.1 * static_cast<double>(most)) return s.value;
  const std::int64_t above = rows.count - parilu::count_up_to<Space>(s.value, norm.data(), rows.count);
  return 2 * above >= most ? std::nextafter(s.value, HUGE_VAL) : s.value;
}

template <class Space>
void ParIluFactors<Space>::select_thresholds() {
  const StageTimer<Space> timer(now_->seconds, ParIluStage::select);
  now_->threshold_L = threshold_of(lower_, norm_lower_, most_lower_);
  now_->threshold_U = threshold_of(upper_, norm_upper_, most_upper_);
}

template <class Space>
void ParIluFactors<Space>::remove_smallest() {
  const StageTimer<Space> timer(now_->seconds, ParIluStage::remove);
  const auto remove = [&](Rows<Space>& rows, Rows<Space>& next, const GrowingArray<double, Space>& norm,
                          double threshold) {
    if (threshold == 0) return;
    parilu::remove(rows_, n_, rows.view(), norm.data(), threshold, next, work_);
    std::swap(rows, next);
  };
  remove(lower_, next_lower_, norm_lower_, now_->threshold_L);
  remove(upper_, next_upper_, norm_upper_, now_->threshold_U);
}

template <class Space>
void ParIluFactors<Space>::measure_matrix(const BlockCsr<Space>& A) {
  if constexpr (std::is_same_v<Space, Device>)
    if (scalar_) return parilu::leave_squares(A.view().value.data(), blocks_, &scalar_->seen.data()->square_of_A);
  norm_of_A_ = parilu::norm_of_matrix<Space>(A.view());
  if (!(norm_of_A_ > 0)) norm_of_A_ = 1;
}

// Number of replaced diagonal blocks; afterwards the host knows all results of the steps.
template <class Space>
int ParIluFactors<Space>::finish_steps() {
  if constexpr (std::is_same_v<Space, Device>) {
    if (scalar_) {
      parilu::leave_count(replaced_.data(), rows_, &scalar_->seen.data()->replaced);
      look();
      return static_cast<int>(scalar_->last.replaced);
    }
  }
  return parilu::count_replaced<Space>(view());
}

// Levels of the solves; for asynchronous or scalar device solves those of the pattern at set-up.
template <class Space>
int ParIluFactors<Space>::levels(bool first) {
  if (lower_triangle_) return std::max(lower_triangle_->levels(), upper_triangle_->levels());
  if (options_.asynchronous_solves) return 0;
  if (first)
    levels_ = std::max(count_levels(host_pattern(lower_), Triangle::lower),
                       count_levels(host_pattern(upper_), Triangle::upper));
  return levels_;
}

template <class Space>
TriangularRows ParIluFactors<Space>::host_pattern(const Rows<Space>& rows) const {
  return {rows.start.to_vector(rows_ + 1), rows.column.to_vector(rows.count)};
}

template <class Space>
SetupInfo ParIluFactors<Space>::build(const BlockCsr<Space>& A, bool first, std::function<void()> stop_if_asked) {
  stop_if_asked_ = std::move(stop_if_asked);
  if (std::is_same_v<Space, Device>) backend::complete_timers();  // their targets are about to be freed
  const bool warm = !first && options_.from_previous;
  const int steps = !options_.thresholds ? 0 : warm ? options_.update_steps : options_.steps;
  steps_.clear();
  steps_.reserve(at(steps));
  apart_ = {};
  outside_ = {};
  now_ = &outside_;
  if (!in_order()) measure_matrix(A);
  if (!warm) start(A);
  const bool alone = in_order();  // on one host thread a second sweep repeats the first
  if (!options_.thresholds || (warm && !(alone && steps > 0))) sweeps(A, alone ? 1 : options_.sweeps);
  for (int s = 0; s < steps; ++s) {
    now_ = &steps_.emplace_back();
    alone ? iterate_in_order(A, s + 1 == steps) : iterate(A);
  }
  const int replaced = finish_steps();
  prepare_solves();
  SetupInfo info{.levels = levels(first), .nnz = entries(), .replaced_blocks = replaced, .bytes = bytes()};
  if (options_.diagnostics) {
    now_ = &outside_;
    find_candidates(A);
    residual(A);
    info.ilu_residual = now_->residual;
  } else if (!steps_.empty()) {  // unknown on one host thread
    info.ilu_residual = steps_.back().residual;
  }
  if (std::is_same_v<Space, Device>) backend::complete_timers();
  constexpr auto sweeping = static_cast<std::size_t>(ParIluStage::sweeps);
  apart_[sweeping] += outside_.seconds[sweeping];
  return info;
}

// L y = r and (D^-1 U) z = D^-1 y as triangles with unit diagonals.
template <class Space>
void ParIluFactors<Space>::prepare_solves() {
  if (options_.asynchronous_solves || scalar_) return;
  const StageTimer<Space> timer(apart_, ParIluStage::solves);
  if (new_pattern_ || threads_ != useful_threads()) {
    threads_ = useful_threads();
    lower_triangle_.emplace(host_pattern(lower_), Triangle::lower, n_);
    upper_triangle_.emplace(host_pattern(upper_), Triangle::upper, n_);
    new_pattern_ = false;
  }
  parilu::fill_triangle<Space>(lower_.view(), nullptr, lower_triangle_->view(), nullptr);
  parilu::fill_triangle<Space>(upper_.view(), inverse_.data(), upper_triangle_->view(), scale_.data());
}

template <class Space>
void ParIluFactors<Space>::solve(const double* r, double* z) {
  if (!options_.asynchronous_solves) {
    if constexpr (std::is_same_v<Space, Device>)
      if (scalar_) return solve_scalar(r, z);
    lower_triangle_->solve(nullptr, r, y_.data());
    upper_triangle_->solve(scale_.data(), y_.data(), z);
    return;
  }
  constexpr int rows_a_chunk = 384;
  const async_ilu::AsyncView f{.rows = rows_,
                               .n = n_,
                               .lower = {lower_.start.data(), lower_.column.data()},
                               .upper = {upper_.start.data(), upper_.column.data()},
                               .L = lower_.value.data(),
                               .U = upper_.value.data(),
                               .inverse = inverse_.data()};
  if constexpr (std::is_same_v<Space, Host>)
    async_ilu::solve_host(f, options_.apply_sweeps, rows_a_chunk, r, y_.data(), z);
  else
    async_ilu::solve_device(f, options_.apply_sweeps, r, y_.data(), z);
}

// Asynchronous sweeps each read what an exact one reads.
template <class Space>
weir::Work ParIluFactors<Space>::solve_work() const {
  const weir::Work once = work_of_sweeps(rows_, n_, lower_.count + upper_.count, 8);
  const std::int64_t sweeps = options_.asynchronous_solves ? options_.apply_sweeps : 1;
  return {sweeps * once.bytes, sweeps * once.flops};
}

template <class Space>
bool ParIluFactors<Space>::fits(const BlockCsr<Space>& A) const {
  return A.rows() == rows_ && A.block() == n_ && A.blocks() == blocks_;
}

template <class Space>
ParIluTimes ParIluFactors<Space>::times() const {
  ParIluTimes sum = apart_;
  for (const ParIlutStep& s : steps_)
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += s.seconds[k];
  return sum;
}

template <class Space>
std::int64_t ParIluFactors<Space>::bytes() const {
  std::int64_t sum = inverse_.bytes() + next_inverse_.bytes() + norm_lower_.bytes() + norm_upper_.bytes() +
                     work_.value.bytes() + work_.place.bytes() + work_.lower_count.bytes() + work_.upper_count.bytes();
  for (const Rows<Space>* r :
       {&initial_lower_, &initial_upper_, &lower_, &upper_, &next_lower_, &next_upper_, &F_lower_, &F_upper_})
    sum += r->bytes();
  if constexpr (std::is_same_v<Space, Device>)
    if (scalar_) sum += scalar_->solves.bytes() + scalar_->row_sum.bytes();
  for (const auto* t : {&lower_triangle_, &upper_triangle_}) sum += *t ? (*t)->bytes() : 0;
  return sum + 8 * (scale_.size() + y_.size()) + 4 * replaced_.size();
}

template class ParIluFactors<Host>;
template class ParIluFactors<Device>;

}  // namespace weir
