// Host side of the ParILUT step for scalar entries on the device (parilu_scalar.hpp).
#include <algorithm>
#include <cmath>
#include <span>

#include "base/at.hpp"
#include "solvers/device/asynchronous/fetch_scalars.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"

namespace weir {
namespace parilu {

RowLengths lengths_of(const TriangularRows& lower, const TriangularRows& upper) {
  const int rows = lower.rows();
  RowLengths lengths;
  std::int64_t longest = 1;
  for (int i = 0; i < rows; ++i)
    longest = std::max(longest, lower.end(i) - lower.first(i) + 1 + upper.end(i) - upper.first(i));
  lengths.longest = static_cast<int>(longest);
  if (rows > 0) lengths.mean = 1 + static_cast<double>(lower.column.size() + upper.column.size()) / rows;
  return lengths;
}

ScalarStep::ScalarStep(int rows, const TriangularRows& lower, const TriangularRows& upper)
    : initial(lengths_of(lower, upper)), lengths(initial), seen(std::vector<Seen>(1)), solves(rows) {}

}  // namespace parilu

namespace {

SpaceTimer<Device> time_of(ParIlutStep& step, ParIluStage s) {
  return SpaceTimer<Device>(step.seconds[static_cast<std::size_t>(s)]);
}

}  // namespace

// Copies the results of the steps so far to the host.
template <>
void ParIluFactors<Device>::look() {
  parilu::ScalarStep& d = *scalar_;
  fetch_scalars(d.seen, std::span<parilu::Seen>(&d.last, 1));
  norm_of_A_ = d.last.square_of_A > 0 ? std::sqrt(d.last.square_of_A) : 1;
  if (!d.pending) return;
  if (d.has_grown) d.pending->residual = std::sqrt(d.last.square_of_F) / norm_of_A_;
  if (d.has_kept) {
    lower_.count = std::llround(d.last.kept[0]);
    upper_.count = std::llround(d.last.kept[1]);
    d.pending->threshold_L = d.last.threshold[0];
    d.pending->threshold_U = d.last.threshold[1];
  }
  d.pending->lower = lower_.count;
  d.pending->upper = upper_.count;
  d.pending = nullptr;
}

// S <- S u F with the values of F. False if a row does not fit: nothing has changed.
template <>
bool ParIluFactors<Device>::grow_scalar(const BlockCsr<Device>& A) {
  parilu::ScalarStep& d = *scalar_;
  if (!d.fits()) return false;
  std::int64_t *lower_start = next_lower_.start.reserve(rows_ + 1), *upper_start = next_upper_.start.reserve(rows_ + 1);
  {
    const auto timer = time_of(*now_, ParIluStage::candidates);
    double* flags = d.seen.data()->longer;
    backend::set_zero(flags, sizeof(parilu::Seen::longer) + sizeof(parilu::Seen::too_many));
    parilu::count_grown(A.view(), view(), d.lengths, work_, lower_start, upper_start, d);
  }
  look();
  if (d.last.too_many != 0) return false;
  const std::int64_t lowers = std::llround(d.last.grown[0]), uppers = std::llround(d.last.grown[1]);
  now_->candidates = lowers + uppers - lower_.count - upper_.count;
  next_lower_.reserve(lowers, n_);
  next_upper_.reserve(uppers, n_);
  {
    const auto timer = time_of(*now_, ParIluStage::add);
    parilu::fill_grown(A.view(), view(), d.lengths, next_lower_.view(), next_upper_.view(), d);
  }
  std::swap(lower_, next_lower_);
  std::swap(upper_, next_upper_);
  d.lengths.mean = 1 + static_cast<double>(lowers + uppers) / std::max(rows_, 1);
  d.lengths.longest = 32;
  for (int k = 0; k < 4; ++k)
    if (d.last.longer[k] != 0) d.lengths.longest = 64 << k;
  return true;
}

// S <- S without the entries below the thresholds, which the host does not know yet: it keeps the previous counts.
template <>
void ParIluFactors<Device>::keep_scalar() {
  parilu::ScalarStep& d = *scalar_;
  if (lower_.count <= most_lower_ && upper_.count <= most_upper_) return;
  {
    const auto timer = time_of(*now_, ParIluStage::select);
    parilu::find_thresholds(view(), {lower_.count, upper_.count, most_lower_, most_upper_}, d);
  }
  const auto timer = time_of(*now_, ParIluStage::remove);
  next_lower_.start.reserve(rows_ + 1);
  next_upper_.start.reserve(rows_ + 1);
  next_lower_.reserve(lower_.count, n_);
  next_upper_.reserve(upper_.count, n_);
  parilu::keep_largest(view(), d.lengths, next_lower_.view(), next_upper_.view(), work_, d);
  std::swap(lower_, next_lower_);
  std::swap(upper_, next_upper_);
  d.has_kept = true;
  d.lengths.mean =
      1 + static_cast<double>(std::min(lower_.count, most_lower_) + std::min(upper_.count, most_upper_)) / rows_;
}

template <>
void ParIluFactors<Device>::iterate_scalar(const BlockCsr<Device>& A) {
  parilu::ScalarStep& d = *scalar_;
  const bool grown = grow_scalar(A);
  if (!grown) {
    look();
    find_candidates(A);
    residual(A);
    add_candidates();
    d.lengths.longest = parilu::longest_of_team + 1;  // upper bound unknown
  }
  d.has_grown = grown;
  d.has_kept = false;
  d.pending = now_;
  new_pattern_ = true;
  sweeps(A, options_.sweeps);
  if (options_.exact_thresholds) {
    select_thresholds();
    remove_smallest();
  } else {
    keep_scalar();
  }
  sweeps(A, options_.sweeps);
}

template <>
void ParIluFactors<Device>::solve_scalar(const double* r, double* z) {
  scalar_->solves({rows_, lower_.start.data(), lower_.column.data(), lower_.value.data()},
                  {rows_, upper_.start.data(), upper_.column.data(), upper_.value.data()}, inverse_.data(), r, z);
}

}  // namespace weir
