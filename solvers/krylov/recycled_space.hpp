// What gmres and fgmres keep from one solve to the next: k vectors U that A nearly annuls, and their images C = A U,
// orthonormal. The frame is GCRO (de Sturler 1996; Parks, de Sturler, Mackey, Johnson & Maiti 2006); the vectors are not
// harmonic Ritz vectors, but the right singular vectors of the least singular values, which are real and need no
// eigenvalue solver (and served as well or better on systems of convection and diffusion).
//   a new solve, A may have changed:  C = A U made orthonormal (k products),  x += U C^T r,  r -= C C^T r
//   within a cycle:                   w = (I - C C^T) A M^-1 v,  so that the cycle never works on C again;  B = C^T A M^-1 V
//                                     x += M^-1 V y - U B y
//   what a cycle has learnt:          A [U/|U|, M^-1 V] = [C, V] G,   G = | 1/|U|  B |
//                                                                         |   0    H |
//     U becomes the k directions that G shortens most, made so that C = A U is orthonormal; after the first two cycles of
//     a solve, which is where nearly all is learnt. Without kept M^-1 V this applies M k times more.
// U holds vectors of the solution's space, so that M may change as well. |U| is its length in the space of V. Checkpoints
// hold U and |U|.
#pragma once
#include <vector>

#include "solvers/krylov/basis.hpp"
#include "solvers/krylov/iteration.hpp"

namespace weir {

// A small dense matrix by columns.
struct Columns {
  int rows = 0, count = 0;
  std::vector<double> a;

  void shape(int r, int c) {  // zero
    rows = r;
    count = c;
    a.assign(static_cast<std::size_t>(r) * static_cast<std::size_t>(c), 0.0);
  }
  double* column(int j) { return a.data() + static_cast<std::ptrdiff_t>(j) * rows; }
  const double* column(int j) const { return a.data() + static_cast<std::ptrdiff_t>(j) * rows; }
};

// Work space of shortened_most.
struct ShorteningWork {
  Columns Q, R, X;
};

// About the `wanted` directions P that G shortens most, such that the columns of Q = G P are orthonormal; their number,
// which is 0 where G is singular to rounding.
int shortened_most(const Columns& G, int wanted, ShorteningWork& work, Columns& P, Columns& Q);

template <class Space>
class RecycledSpace {
 public:
  RecycledSpace(int capacity, int steps);  // of a cycle

  void begin_solve(std::int64_t n);  // forgets what it holds where the size is new
  int count() const { return count_; }
  void forget() { count_ = 0; }
  int capacity() const { return capacity_; }
  void state(Archive& a);

  // Whether a part of r, the residual of the last restart, lies in C that matters: no cycle can work on that.
  bool holds_much_of(Iteration<Space>& it, View<const double> r);
  void renew(Iteration<Space>& it);                                          // C = A U
  void improve(Iteration<Space>& it, View<const double> r, View<double> x);  // x += U C^T r

  double project_out(Iteration<Space>& it, int step, View<double> w);  // w -= C b, b = C^T w = B's column; returns b.b
  void record(int step, const double* h);                              // column `step` of H: step + 2 values
  void complete(const double* y, int steps, View<double> x);           // x -= U B y

  // The next space, vector by vector: update(j) becomes M^-1 V update_in_cycle(j), image(j) V image_in_cycle(j), by the
  // caller; add_kept(j) adds the parts of the present U and C. take(count) puts it in the place of the present one.
  bool learns() const { return capacity_ > 0 && cycles_ < cycles_that_learn; }
  int choose(int steps);  // the number of its vectors
  View<double> update(int j) { return next_U_.fresh(j); }
  View<double> image(int j) { return next_C_.fresh(j); }
  const double* update_in_cycle(int j) const { return P_.column(j) + count_; }
  const double* image_in_cycle(int j) const { return Q_.column(j) + count_; }
  void add_kept(int j);
  void take(int count);

 private:
  void remove(Iteration<Space>& it, int kept, View<double> c, View<double> u, double& square);

  static constexpr int cycles_that_learn = 2;

  int capacity_, steps_, count_ = 0;
  int cycles_ = 0;  // of this solve that have been learnt from
  std::int64_t n_ = 0;
  Basis<Space> C_, U_, next_C_, next_U_;
  std::vector<double> length_, next_length_;  // |U|
  Columns H_, B_, G_, P_, Q_;
  ShorteningWork work_;
  std::vector<double> h_;
};

}  // namespace weir
