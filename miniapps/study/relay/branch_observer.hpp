// Observes, on a branch, the first solve of each step of the studied system. A weak preconditioner leaves the smooth
// part of the error, which accumulates in the systems of the following steps.
#pragma once
#include <cmath>
#include <utility>
#include <vector>

#include "miniapps/study/facility.hpp"
#include "miniapps/study/relay/cost_clock.hpp"
#include "miniapps/study/relay/relay_series.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_rows.hpp"

namespace weir {

template <class Space>
class BranchObserver : public SolveWatch<Space> {
 public:
  explicit BranchObserver(const Communicator& ranks) : ranks_(ranks) {}
  // reference: the solver of the flow code, into which the solvers of candidates are swapped.
  void watch(StudiedSolver<Space>& solver, const LinearSolver<Space>& reference) {
    reference_ = &reference;
    solver.watch(this);
  }
  void time_by(const CostClock& clock) { clock_ = clock; }
  void observe_next() { is_due_ = true; }
  // The observation since the last call; seconds: its cost on this rank.
  Observation take(double& seconds) {
    seconds = std::exchange(seconds_, 0);
    is_due_ = is_within_ = false;
    return std::exchange(observation_, {});
  }

  void before(const Matrix<Space>& A, View<const double> b, View<const double> x) override {
    is_within_ = std::exchange(is_due_, false);
    if (!is_within_) return;
    const CostTimer timer(clock_, seconds_);
    const std::int64_t n = x.size();
    if (work_.size() != 3 * n) work_ = Array<double, Space>(3 * n);
    const View<double> r = work_.view().part(0, n), z = work_.view().part(n, n), rest = work_.view().part(2 * n, n);
    if (!reference_->preconditioner().traits().is_method_alone) {
      A.residual(b, x, r);
      reference_->preconditioner().apply(r, z);
      A.residual(r, z, rest);
      const double left = std::sqrt(square(rest) / square(r));
      observation_.left = std::isfinite(left) ? left : -1;
    }
    x0_ = on_host<Space>(x);
  }
  void after(const Matrix<Space>& A, View<const double>, View<const double> x, const SolveResult&) override {
    if (!std::exchange(is_within_, false)) return;
    const CostTimer timer(clock_, seconds_);
    std::vector<double> correction = on_host<Space>(x);
    for (std::size_t i = 0; i < correction.size(); ++i) correction[i] -= x0_[i];
    observation_.long_waves = long_waves(A, correction);
  }

 private:
  double square(View<const double> v) const {
    double sum = 0;
    for (const double value : on_host<Space>(v)) sum += value * value;
    return ranks_.sum(sum);
  }
  double long_waves(const Matrix<Space>& A, const std::vector<double>& r) {
    if (!std::exchange(has_graph_, true)) {
      const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
      try {
        BlockCsrData rows = block_rows(spread ? spread->local() : A);
        start_.assign(rows.row_start.begin(), rows.row_start.end());
        neighbour_.assign(rows.column.begin(), rows.column.end());
      } catch (const Error&) {  // matrix-free
      }
    }
    const auto B = static_cast<std::size_t>(A.block()), n = r.size() / B;
    if (ranks_.any(start_.size() != n + 1)) return -1;
    double share = 0, variables = 0;
    for (std::size_t u = 0; u < B; ++u) {
      double all = 0, smooth = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;  // the row itself is one of its columns
        for (std::int64_t e = start_[i]; e < start_[i + 1]; ++e)
          sum += r[static_cast<std::size_t>(neighbour_[static_cast<std::size_t>(e)]) * B + u];
        const double mean = sum / static_cast<double>(start_[i + 1] - start_[i]);
        smooth += mean * mean;
        all += r[i * B + u] * r[i * B + u];
      }
      all = ranks_.sum(all);
      smooth = ranks_.sum(smooth);
      if (all > 0) share += smooth / all, ++variables;
    }
    return variables > 0 && std::isfinite(share) ? share / variables : -1;
  }

  const Communicator& ranks_;
  const LinearSolver<Space>* reference_ = nullptr;
  bool is_due_ = false, is_within_ = false, has_graph_ = false;
  Observation observation_;
  CostClock clock_;
  double seconds_ = 0;
  std::vector<std::int64_t> start_;  // neighbours of each row of this rank; empty: matrix-free
  std::vector<int> neighbour_;
  std::vector<double> x0_;
  Array<double, Space> work_;
};

}  // namespace weir
