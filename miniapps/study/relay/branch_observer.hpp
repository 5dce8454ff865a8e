// What the systems of who leads are like from inside: each step's first solve of the studied system. A weak preconditioner
// leaves the waves that are long for it; they pile up in the systems that it meets next.
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
  // `leader`: where the solvers that change places sit.
  void watch(LinearSolver<Space>& solver, const LinearSolver<Space>& reference) {
    reference_ = &reference;
    solver.watch(this);
  }
  void time_by(const CostClock& clock) { clock_ = clock; }
  void observe_next() { is_due_ = true; }
  // Of the solves since; what looking has cost, of this rank.
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
  std::vector<std::int64_t> start_;  // of each row's neighbours, of this rank; none: the matrix knows no entries
  std::vector<int> neighbour_;
  std::vector<double> x0_;
  Array<double, Space> work_;
};

}  // namespace weir
