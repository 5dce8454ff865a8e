// Observes, on a branch, the first solve of each step of the studied system. A weak preconditioner leaves the smooth
// part of the error, which accumulates in the systems of the following steps.
#pragma once
#include <vector>

#include "miniapps/study/facility.hpp"
#include "miniapps/study/relay/cost_clock.hpp"
#include "miniapps/study/relay/relay_series.hpp"

namespace weir {

template <class Space>
class BranchObserver : public SolveWatch<Space> {
 public:
  explicit BranchObserver(const Communicator& ranks) : ranks_(ranks) {}
  // reference: the solver of the flow code, into which the solvers of candidates are swapped.
  void watch(LinearSolver<Space>& solver, const LinearSolver<Space>& reference) {
    reference_ = &reference;
    solver.watch(this);
  }
  void time_by(const CostClock& clock) { clock_ = clock; }
  void observe_next() { is_due_ = true; }
  // The observation since the last call; seconds: its cost on this rank.
  Observation take(double& seconds);

  void before(const Matrix<Space>& A, View<const double> b, View<const double> x) override;
  void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override;

 private:
  double square(View<const double> v) const;
  double long_waves(const Matrix<Space>& A, const std::vector<double>& r);

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
