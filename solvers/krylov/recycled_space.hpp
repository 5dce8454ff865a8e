// Recycled space of gmres and fgmres: k vectors U with small |A u|, and their images C = A U, which are orthonormal.
// The framework is GCRO (de Sturler 1996; Parks, de Sturler, Mackey, Johnson & Maiti 2006). Instead of harmonic Ritz
// vectors it uses the right singular vectors of the smallest singular values. They are real, need no eigenvalue solver,
// and gave as good or better results for convection and diffusion.
//  a new solve, A may have changed:  C = A U made orthonormal (k products),  x += U C^T r,  r -= C C^T r
//  within a cycle:                   w = (I - C C^T) A M^-1 v,  so that the cycle stays outside of C;  B = C^T A M^-1 V
//                                    x += M^-1 V y - U B y
//  after a cycle:                    A [U/|U|, M^-1 V] = [C, V] G,   G = | 1/|U|  B |
//                                                                        |   0    H |
//    U becomes the k directions with the smallest images under G, scaled so that C = A U is orthonormal.
// U is updated after the first two cycles of a solve only, which contain nearly all the information. If M^-1 V is not
// stored, an update costs k more applications of M^-1. U is in the solution space, so that M may change as well. |U|:
// norms of the vectors of U, measured in the preconditioned space of V. Checkpoints contain U and |U|.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/at.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/basis.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/krylov/shortened_most.hpp"

namespace weir {

template <class Space>
class RecycledSpace {
 public:
  // steps: number of steps per cycle.
  RecycledSpace(int capacity, int steps) : capacity_(capacity), steps_(steps) {
    if (capacity == 0) return;
    for (auto* v : {&length_, &next_length_, &h_}) v->resize(at(capacity) + 1);
    H_.shape(steps + 1, steps);
    B_.shape(capacity, steps);
  }

  // Clears the space if the size is new.
  void begin_solve(std::int64_t n) {
    cycles_ = 0;
    if (capacity_ == 0 || n == n_) return;
    n_ = n;
    forget();
    for (auto* basis : {&C_, &U_, &next_C_, &next_U_}) basis->fit(n, capacity_);
  }
  int count() const { return count_; }
  void forget() { count_ = 0; }
  int capacity() const { return capacity_; }
  void state(Archive& a) {
    std::int64_t n = n_;
    int count = count_;
    a.number("unknowns", n);
    a.number("recycled", count);
    a.require(
        n >= 0 && n <= std::numeric_limits<int>::max() && count >= 0 && count <= capacity_ && (n > 0 || count == 0),
        "recycled");
    if (a.reads() && n > 0) begin_solve(n);
    count_ = count;
    Array<double, Space> u(count > 0 ? n : 0);
    for (int j = 0; j < count; ++j) {
      if (!a.reads()) assign<Space>(U_.fresh(j), u);
      a.number("length", length_[j]);
      a.array("vector", u, n);
      if (a.reads()) assign<Space>(u, U_.fresh(j));
    }
  }

  // True if r, the residual of the last restart, has a relevant component in C. Cycles do not reduce that component.
  bool holds_much_of(Iteration<Space>& it, View<const double> r) {
    it.project(C_, r, count_, h_.data());
    double square = 0;
    for (int j = 0; j < count_; ++j) square += h_[j] * h_[j];
    return square > much * it.rr();
  }
  // C = A U, built in the arrays of the next space, which are then swapped. Gram-Schmidt twice: images of slow vectors
  // may be nearly parallel after large changes of A.
  void renew(Iteration<Space>& it) {
    int kept = 0;
    for (int j = 0; j < count_; ++j) {
      const View<double> u = next_U_.fresh(kept), c = next_C_.fresh(kept);
      it.apply(U_.fresh(j), c);
      const double before = it.reduce(
          [&] {
            assign<Space>(U_.fresh(j), u);
            return dot<Space>(c, c);
          },
          DotProduct{c, c});
      double square = length_[j] * length_[j];
      for (int pass = 0; pass < 2 && kept > 0; ++pass) remove(it, kept, c, u, square);
      const double length = std::sqrt(it.reduce([&] { return dot<Space>(c, c); }, DotProduct{c, c}));
      if (!(length > least_length * std::sqrt(before)) || !std::isfinite(1 / length)) continue;
      it.update([&] {
        next_C_.keep(kept, 1 / length);
        next_U_.keep(kept, 1 / length);
      });
      next_length_[kept++] = std::sqrt(square) / length;
    }
    const int cycles = cycles_;
    take(kept);
    cycles_ = cycles;
  }
  // x += U C^T r
  void improve(Iteration<Space>& it, View<const double> r, View<double> x) {
    it.project(C_, r, count_, h_.data());
    it.update([&] { U_.combine(h_.data(), count_, x); });
  }

  // w -= C b, b = C^T w, a column of B; returns b.b. Twice: nearly all of w may be in C.
  double project_out(Iteration<Space>& it, int step, View<double> w) {
    double *b = B_.column(step), square = 0;
    std::fill(b, b + count_, 0.0);
    for (int pass = 0; pass < 2; ++pass) {
      it.project(C_, w, count_, h_.data());
      for (int j = 0; j < count_; ++j) {
        b[j] += h_[j];
        h_[j] *= -1;
      }
      it.update([&] { C_.combine(h_.data(), count_, w); });
    }
    for (int j = 0; j < count_; ++j) square += b[j] * b[j];
    return square;
  }
  // Column `step` of H: step + 2 values
  void record(int step, const double* h) { std::copy(h, h + step + 2, H_.column(step)); }
  // x -= U B y
  void complete(const double* y, int steps, View<double> x) {
    for (int j = 0; j < count_; ++j) {
      h_[j] = 0;
      for (int i = 0; i < steps; ++i) h_[j] -= B_.column(i)[j] * y[i];
    }
    U_.combine(h_.data(), count_, x);
  }

  // Construction of the next space, vector by vector. The caller sets update(j) to M^-1 V update_in_cycle(j) and
  // image(j) to V image_in_cycle(j); add_kept(j) adds the parts of the present U and C; take(count) replaces the
  // present space. choose() returns the number of vectors.
  bool learns() const { return capacity_ > 0 && cycles_ < cycles_that_learn; }
  int choose(int steps) {
    G_.shape(count_ + steps + 1, count_ + steps);
    for (int j = 0; j < count_; ++j) G_.column(j)[j] = 1 / length_[j];
    for (int i = 0; i < steps; ++i) {
      double* g = G_.column(count_ + i);
      std::copy(B_.column(i), B_.column(i) + count_, g);
      std::copy(H_.column(i), H_.column(i) + i + 2, g + count_);
    }
    const int found = shortened_most(G_, capacity_, work_, P_, Q_);
    for (int j = 0; j < found; ++j) {
      double* p = P_.column(j);
      double square = 0;
      for (int i = 0; i < P_.rows; ++i) square += p[i] * p[i];
      next_length_[j] = std::sqrt(square);
      for (int i = 0; i < count_; ++i) p[i] /= length_[i];
    }
    return found;
  }
  View<double> update(int j) { return next_U_.fresh(j); }
  View<double> image(int j) { return next_C_.fresh(j); }
  const double* update_in_cycle(int j) const { return P_.column(j) + count_; }
  const double* image_in_cycle(int j) const { return Q_.column(j) + count_; }
  void add_kept(int j) {
    U_.combine(P_.column(j), count_, next_U_.fresh(j));
    C_.combine(Q_.column(j), count_, next_C_.fresh(j));
  }
  void take(int count) {
    std::swap(C_, next_C_);
    std::swap(U_, next_U_);
    std::swap(length_, next_length_);
    count_ = count;
    ++cycles_;
  }

 private:
  // Removes the vectors of the next space from c, and likewise from u; `square`: |u|^2.
  void remove(Iteration<Space>& it, int kept, View<double> c, View<double> u, double& square) {
    it.project(next_C_, c, kept, h_.data());
    for (int i = 0; i < kept; ++i) {
      const double h = h_[i], to = next_length_[i];
      square += h * h * to * to;
      h_[i] = -h;
    }
    it.update([&] {
      next_C_.combine(h_.data(), kept, c);
      next_U_.combine(h_.data(), kept, u);
    });
  }

  static constexpr int cycles_that_learn = 2;
  // An image whose length falls below this fraction of itself in the orthogonalisation is mostly rounding.
  static constexpr double least_length = 1e-6;
  // Relative squared norm of the component of r in C above which its removal pays off (it costs one product). With such
  // a component the Krylov space of the cycle is worse.
  static constexpr double much = 1e-8;

  int capacity_, steps_, count_ = 0;
  int cycles_ = 0;  // cycles of this solve that updated the space
  std::int64_t n_ = 0;
  Basis<Space> C_, U_, next_C_, next_U_;
  std::vector<double> length_, next_length_;  // |U|
  Columns H_, B_, G_, P_, Q_;
  ShorteningWork work_;
  std::vector<double> h_;
};

}  // namespace weir
