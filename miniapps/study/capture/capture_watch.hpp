// Keeps the initial guess of the solve that is under way, in the space of the solve, and tells a listener of each solve.
// One buffer serves all systems of a run: they take turns.
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/solve_watch.hpp"

namespace weir {

template <class Space>
class SolveListener {
 public:
  virtual ~SolveListener() = default;
  virtual void prepared(int system, const Matrix<Space>& A) = 0;
  virtual void solved(int system, const Matrix<Space>& A, View<const double> b, View<const double> x0,
                      const SolveResult& result) = 0;
};

template <class Space>
class CaptureWatch : public SolveWatch<Space> {
 public:
  CaptureWatch(int system, SolveListener<Space>& listener, Array<double, Space>& x0)
      : system_(system), listener_(listener), x0_(x0) {}

  void prepared(const Matrix<Space>& A, bool, const SetupInfo&) override { listener_.prepared(system_, A); }
  void before(const Matrix<Space>& A, View<const double> b, View<const double> x) override;
  void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override;

 private:
  int system_;
  SolveListener<Space>& listener_;
  Array<double, Space>& x0_;
};

}  // namespace weir
