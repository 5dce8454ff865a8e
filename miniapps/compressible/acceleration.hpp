// Acceleration of pseudo-time steps by the steps before: nonlinear GCR (Washio & Oosterlee, Electron. Trans. Numer. Anal. 6
// (1997) 271, in the orthogonal form of Anderson's method). Each accepted step gives a pair s = dU, y = dR of state and
// residual; the y are kept orthonormal, each s with the same combination. At the next step the part of the residual that
// the pairs can already explain is taken off before the linear solve:
//   g = Y^T (-R),   b = -R - Y g,   solve A d = b,   dU = d + S g
// With the first-order Jacobian in A this turns the linear convergence of defect correction into that of a Krylov method
// for the scheme itself, at the price of two vector passes a step and no further residual.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/krylov/basis.hpp"

namespace weir {

template <class Space>
class StepAcceleration {
 public:
  // pairs: how many are kept; 0: none, and nothing is done.
  StepAcceleration(std::int64_t unknowns, int pairs);

  bool is_on() const { return most_ > 0; }
  void forget() { count_ = next_ = 0; }

  void reduce(View<double> minus_R);  // b in place of -R; keeps g
  void complete(View<double> d);      // d += S g
  // After an accepted step U + taken d. Both views are used up: d, and -R before the step.
  void learn(double taken, View<double> d, View<double> minus_R, View<const double> minus_R_after);

  // For checkpoints: the pairs, 0 .. count() - 1, and which is the next to be replaced.
  int count() const { return count_; }
  int next() const { return next_; }
  View<double> s(int j) const { return S_[j]; }
  View<double> y(int j) const { return Y_[j]; }
  void restore(int count, int next) { count_ = count, next_ = next; }

 private:
  int most_, count_ = 0, next_ = 0;
  Basis<Space> S_, Y_;
  std::vector<double> g_, h_, left_;
};

}  // namespace weir
