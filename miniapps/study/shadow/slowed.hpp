// A solver made slower by a known part of its time, to see whether the lab finds it: after each setup, update and solve it
// goes on for that part of what they took, on the processor, and counts it.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "solvers/adapters/any_solver.hpp"

namespace weir {

template <class Space>
class SlowedSolver : public AnySolver<Space> {
 public:
  SlowedSolver(std::unique_ptr<AnySolver<Space>> solver, double part) : solver_(std::move(solver)), part_(part) {}

  void spread_like(const LinearSolver<Space>& leader) override { solver_->spread_like(leader); }
  void setup(const Matrix<Space>& A) override {
    solver_->setup(A);
    note_setup();
  }
  void update(const Matrix<Space>& A) override {
    solver_->update(A);
    note_setup();
  }
  SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) override {
    SolveResult result = solver_->solve(A, b, x);
    result.solve_seconds += spend(part_ * result.solve_seconds);
    return result;
  }
  const SetupInfo& setup_info() const override { return info_; }
  std::string name() const override { return solver_->name(); }
  std::string describe() const override { return solver_->describe(); }
  std::span<const double> history() const override { return solver_->history(); }

 private:
  void note_setup() {
    info_ = solver_->setup_info();
    info_.seconds += spend(part_ * info_.seconds);
  }
  static double spend(double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::chrono::duration<double> spent{0};
    while (spent.count() < seconds) spent = Clock::now() - start;
    return spent.count();
  }

  std::unique_ptr<AnySolver<Space>> solver_;
  SetupInfo info_;
  double part_;
};

}  // namespace weir
