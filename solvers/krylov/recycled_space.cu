#include "solvers/krylov/recycled_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

// An image that is shorter than this once the others have been taken out, relative to what it was, is mostly rounding.
constexpr double least_length = 1e-6;

// The square of the part of a residual in C that is worth a product to take out: a cycle that starts with one works with a
// worse space.
constexpr double much = 1e-8;

}  // namespace

template <class Space>
RecycledSpace<Space>::RecycledSpace(int capacity, int steps) : capacity_(capacity), steps_(steps) {
  if (capacity == 0) return;
  for (auto* v : {&length_, &next_length_, &h_}) v->resize(at(capacity) + 1);
  H_.shape(steps + 1, steps);
  B_.shape(capacity, steps);
}

template <class Space>
void RecycledSpace<Space>::begin_solve(std::int64_t n) {
  cycles_ = 0;
  if (capacity_ == 0 || n == n_) return;
  n_ = n;
  forget();
  for (auto* basis : {&C_, &U_, &next_C_, &next_U_}) basis->fit(n, capacity_);
}

template <class Space>
void RecycledSpace<Space>::state(Archive& a) {
  std::int64_t n = n_;
  int count = count_;
  a.number("unknowns", n);
  a.number("recycled", count);
  a.require(n >= 0 && n <= std::numeric_limits<int>::max() && count >= 0 && count <= capacity_ && (n > 0 || count == 0),
            "recycled");
  if (a.reads() && n > 0) begin_solve(n);
  count_ = count;
  Array<double, Space> u(count > 0 ? n : 0);
  for (int j = 0; j < count; ++j) {
    if (!a.reads()) assign<Space>(U_.fresh(j), u);
    a.number("length", length_[at(j)]);
    a.array("vector", u, n);
    if (a.reads()) assign<Space>(u, U_.fresh(j));
  }
}

// Takes what is kept of the next space out of c, and the same out of u; `square` follows |u|^2.
template <class Space>
void RecycledSpace<Space>::remove(Iteration<Space>& it, int kept, View<double> c, View<double> u, double& square) {
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

// In the place of the next space, which takes the present one's place. Gram-Schmidt twice: images of slow vectors may be
// much alike where A has changed much.
template <class Space>
void RecycledSpace<Space>::renew(Iteration<Space>& it) {
  int kept = 0;
  for (int j = 0; j < count_; ++j) {
    const View<double> u = next_U_.fresh(kept), c = next_C_.fresh(kept);
    it.apply(U_.fresh(j), c);
    const double before = it.reduce([&] {
      assign<Space>(U_.fresh(j), u);
      return dot<Space>(c, c);
    });
    double square = length_[j] * length_[j];
    for (int pass = 0; pass < 2 && kept > 0; ++pass) remove(it, kept, c, u, square);
    const double length = std::sqrt(it.reduce([&] { return dot<Space>(c, c); }));
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

template <class Space>
bool RecycledSpace<Space>::holds_much_of(Iteration<Space>& it, View<const double> r) {
  it.project(C_, r, count_, h_.data());
  double square = 0;
  for (int j = 0; j < count_; ++j) square += h_[j] * h_[j];
  return square > much * it.rr();
}

template <class Space>
void RecycledSpace<Space>::improve(Iteration<Space>& it, View<const double> r, View<double> x) {
  it.project(C_, r, count_, h_.data());
  it.update([&] { U_.combine(h_.data(), count_, x); });
}

// Twice: nearly all of w may lie in C.
template <class Space>
double RecycledSpace<Space>::project_out(Iteration<Space>& it, int step, View<double> w) {
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

template <class Space>
void RecycledSpace<Space>::record(int step, const double* h) {
  std::copy(h, h + step + 2, H_.column(step));
}

template <class Space>
void RecycledSpace<Space>::complete(const double* y, int steps, View<double> x) {
  for (int j = 0; j < count_; ++j) {
    h_[j] = 0;
    for (int i = 0; i < steps; ++i) h_[j] -= B_.column(i)[j] * y[i];
  }
  U_.combine(h_.data(), count_, x);
}

template <class Space>
int RecycledSpace<Space>::choose(int steps) {
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

template <class Space>
void RecycledSpace<Space>::add_kept(int j) {
  U_.combine(P_.column(j), count_, next_U_.fresh(j));
  C_.combine(Q_.column(j), count_, next_C_.fresh(j));
}

template <class Space>
void RecycledSpace<Space>::take(int count) {
  std::swap(C_, next_C_);
  std::swap(U_, next_U_);
  std::swap(length_, next_length_);
  count_ = count;
  ++cycles_;
}

template class RecycledSpace<Host>;
template class RecycledSpace<Device>;

}  // namespace weir
