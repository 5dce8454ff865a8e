// Initial guess of a solve from earlier solutions: `initial_guess` of [linear.SYSTEM].
//  previous | zero      x as given; 0
//  extrapolation:k      polynomial of degree k through the last k + 1 solutions, over the index of the solve:
//                         x0 = sum_i (-1)^i C(k + 1, i + 1) x_{n-1-i},  i = 0 .. k
//                       (times are not used: for varying dt the degree is formal)
//  projection:k         best approximation in the span of the last k solutions (Fischer 1998, Comput. Methods Appl.
//                       Mech. Eng. 163):
//                         x0 = U y,  span U = span X
//    for methods of definite matrices   y = U^T b,  U^T A U = I:       least |x - x0|_A; one product per solve
//    for the others                     y = C^T b,  C = A U, C^T C = I: least |b - A x0|; k more vectors
// A new solution adds the part of x - x0 that is orthogonal to U, and the oldest is dropped. Write X = U R with R upper
// triangular. Without its first column X becomes U H with H upper Hessenberg. Givens rotations Q make Q^T H triangular
// again, U becomes U Q, and its last vector is dropped. (Fischer's method drops all but the newest and has a poor guess
// afterwards.) For a new A, U is orthonormalised again with k products. Whether A is new is decided by its product with
// one vector. A restarted run assembles the same A and therefore keeps U bitwise. Checkpoints contain U, C and R.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/archive.hpp"
#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/matrix.hpp"

namespace weir {

struct GuessRule {
  enum Kind { previous, zero, extrapolation, projection } kind = previous;
  int k = 0;
  bool is_definite = false;                     // the method is one for definite matrices
  std::shared_ptr<const bool> exact_sums = {};  // KrylovOptions::exact_sums

  GuessRule() = default;
  GuessRule(const Table& options, const std::string& method);  // [linear.SYSTEM]
  bool remembers() const { return kind == extrapolation || kind == projection; }
  double vectors() const;  // number of vectors kept
  std::string describe() const;
};

template <class Space>
class EarlierSolutions;

template <class Space>
class InitialGuess {
 public:
  InitialGuess() : InitialGuess(GuessRule()) {}
  explicit InitialGuess(const GuessRule& rule);
  InitialGuess(InitialGuess&&) noexcept;
  InitialGuess& operator=(InitialGuess&&) noexcept;
  ~InitialGuess();

  const GuessRule& rule() const { return rule_; }
  bool remembers() const { return rule_.remembers(); }
  void take_as_given();  // switches to x as given

  void matrix_may_be_new() { may_be_new_ = true; }
  void choose(const Matrix<Space>& A, View<const double> b, View<double> x);
  // Adds the solution of the last solve to the space, and the cost of both functions to `result`.
  void learn(const Matrix<Space>& A, View<const double> x, SolveResult& result);
  void state(Archive& a);

 private:
  GuessRule rule_;
  bool may_be_new_ = true;
  double seconds_ = 0;
  std::unique_ptr<EarlierSolutions<Space>> kept_;
};

}  // namespace weir
