// Where a solve starts from, by the solutions before it: `initial_guess` of [linear.SYSTEM].
//   previous | zero      x as it comes; 0
//   extrapolation:k      the polynomial of degree k through the last k + 1 solutions, in the number of the solve:
//                          x0 = sum_i (-1)^i C(k + 1, i + 1) x_{n-1-i},  i = 0 .. k
//                        The solver knows no times: where dt varies, the degree is formal.
//   projection:k         the best of the span of the last k solutions (Fischer 1998, Comput. Methods Appl. Mech. Eng. 163):
//                          x0 = U y,  span U = span X
//     for methods of definite matrices   y = U^T b,  U^T A U = I:       least |x - x0|_A; a product a solve
//     for the others                     y = C^T b,  C = A U, C^T C = I: least |b - A x0|; k vectors more
// A new solution adds the part of x - x0 that is orthogonal to U, and the oldest goes: X = U R (R: upper triangle) without its
// first column is X' = U H (H: Hessenberg), which rotations of neighbours, U Q Q^T H, make a triangle again; the last vector of
// U Q is then no longer needed. Fischer's method forgets all but the newest instead, and has a poor guess after that. Where A
// is another, U is made orthonormal anew, at k products. A is compared by its product with one vector, so that a restarted
// run, which assembles the same A again, goes on with the bits of U. Checkpoints hold U, C and R.
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
  bool is_definite = false;  // the method takes definite matrices

  GuessRule() = default;
  GuessRule(const Table& options, const std::string& method);  // [linear.SYSTEM]
  bool remembers() const { return kind == extrapolation || kind == projection; }
  double vectors() const;  // of the size of the unknowns that it keeps
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
  void take_as_given();  // x as it comes, where it would have been made from earlier solutions

  void matrix_may_be_new() { may_be_new_ = true; }
  void choose(const Matrix<Space>& A, View<const double> b, View<double> x);
  // What the solve that began with the last choice has come to. What both cost is added to `result`.
  void learn(const Matrix<Space>& A, View<const double> x, SolveResult& result);
  void state(Archive& a);

 private:
  GuessRule rule_;
  bool may_be_new_ = true;
  double seconds_ = 0;
  std::unique_ptr<EarlierSolutions<Space>> kept_;
};

}  // namespace weir
