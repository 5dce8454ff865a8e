#include "solvers/krylov/initial_guess.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "base/at.hpp"
#include "base/timer.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/basis.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr int most_extrapolated = 8, most_projected = 64;

// The number after the colon of e.g. "projection:8"; 0 if invalid.
int number_after_colon(const std::string& text, int most) {
  const char* end = text.data() + text.size();
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data() + text.find(':') + 1, end, value);
  return error == std::errc() && stop == end && value >= 1 && value <= most ? value : 0;
}

// Reproducible numbers between 0 and 1, not in the null space of a flow matrix.
template <class Space>
void fill_scattered(Vector v) {
  for_each<Space>(v.size(), [=] WEIR_HD(int i) {
    v[i] = static_cast<double>((static_cast<unsigned>(i) * 2654435761U) >> 8) / 16777216.0;
  });
}

// (u, v) <- (c u + s v, c v - s u)
template <class Space>
void rotate(double c, double s, Vector u, Vector v) {
  for_each<Space>(u.size(), [=] WEIR_HD(int i) {
    const double old = u[i];
    u[i] = c * old + s * v[i];
    v[i] = c * v[i] - s * old;
  });
}

}  // namespace

GuessRule::GuessRule(const Table& options, const std::string& method) {
  const Table t = options.described_by(linear_solver_options());
  const auto text = t.get<std::string>("initial_guess");
  const KrylovDescription* d = find_krylov(method);
  is_definite = d && d->needs_symmetry;
  if (text == "previous") return;
  if (text == "zero") {
    kind = zero;
  } else if (text.starts_with("extrapolation:") && (k = number_after_colon(text, most_extrapolated)) > 0) {
    kind = extrapolation;
  } else if (text.starts_with("projection:") && (k = number_after_colon(text, most_projected)) > 0) {
    kind = projection;
  } else {
    t.fail("initial_guess",
           "unknown initial_guess '" + text + "'; known: previous, zero, extrapolation:K (K from 1 to " +
               std::to_string(most_extrapolated) + "), projection:K (1 to " + std::to_string(most_projected) + ")");
  }
}

double GuessRule::vectors() const {
  if (kind == extrapolation) return k + 1;
  if (kind == projection) return is_definite ? k + 2 : 2 * (k + 1);
  return 0;
}

std::string GuessRule::describe() const {
  if (kind == extrapolation) return ", first guess extrapolated to degree " + std::to_string(k);
  if (kind == projection) return ", first guess from the last " + std::to_string(k) + " solutions";
  return "";
}

template <class Space>
class EarlierSolutions {
 public:
  explicit EarlierSolutions(const GuessRule& rule)
      : rule_(rule),
        places_(rule.k + 1),  // projection: one more for the newest vector and as work space
        y_(at(places_)),
        h_(at(places_)),
        column_(at(places_)),
        R_(at(places_) * at(places_)) {}

  bool choose(const Matrix<Space>& A, View<const double> b, View<double> x, bool may_be_new) {
    fit(A.size());
    if (rule_.kind == GuessRule::projection && may_be_new) follow(A);
    has_chosen_ = count_ > 0;
    if (!has_chosen_) return false;
    if (rule_.kind == GuessRule::extrapolation)
      extrapolate();
    else
      project(A, dual(), b, count_, y_.data());
    fill<Space>(0, x);
    U_.combine(y_.data(), count_, x);
    return true;
  }

  void learn(const Matrix<Space>& A, View<const double> x, const SolveResult& result) {
    fit(A.size());
    if (rule_.kind == GuessRule::extrapolation) {
      newest_ = count_ < places_ ? count_ : (newest_ + 1) % places_;
      count_ = std::min(count_ + 1, places_);
      return assign<Space>(x, U_.fresh(newest_));
    }
    if (result.iterations == 0 && has_chosen_) return;  // x is in the span of U
    add(A, x);
  }

  void state(Archive& a) {
    int count = count_, newest = newest_;
    a.number("earlier_solutions", count);
    a.require(count >= 0 && count <= rule_.k + (rule_.kind == GuessRule::extrapolation ? 1 : 0), "earlier_solutions");
    a.number("newest", newest);
    a.require(newest >= 0 && newest < std::max(1, count), "newest");
    a.list("triangle", R_);
    a.require(R_.size() == at(places_) * at(places_), "triangle");
    a.number("matrix", mark_[0]);
    a.number("matrix_2", mark_[1]);
    for (int j = 0; j < count; ++j) {
      vector(a, U_, j);
      if (has_images()) vector(a, C_, j);
    }
    count_ = count;
    newest_ = newest;
  }

  double product_seconds = 0;

 private:
  // Clears everything if the size is new.
  void fit(std::int64_t n) {
    if (n == n_) return;
    n_ = n;
    count_ = newest_ = 0;
    U_.fit(n, places_);
    if (rule_.kind == GuessRule::extrapolation) return;
    if (rule_.is_definite)
      weir::fit(c_, n);
    else
      C_.fit(n, places_);
  }
  bool has_images() const { return rule_.kind == GuessRule::projection && !rule_.is_definite; }
  Basis<Space>& dual() { return rule_.is_definite ? U_ : C_; }
  View<double> image(int j) { return rule_.is_definite ? c_.view() : C_.fresh(j); }
  double& R(int row, int column) { return R_[at(column) * at(places_) + at(row)]; }

  static void sum(const Matrix<Space>& A, std::span<double> shares) {
    if (A.ranks()) A.ranks()->sum(shares);
  }
  bool is_exact() const { return std::is_same_v<Space, Host> && rule_.exact_sums && *rule_.exact_sums; }
  template <class F>
  static double exact(const Matrix<Space>& A, std::int64_t n, const F& f) {
    const ExactSum share = exact_sum(n, f);
    return A.ranks() ? A.ranks()->sum(share) : share.rounded();
  }
  double dot(const Matrix<Space>& A, View<const double> u, View<const double> v) const {
    if (is_exact()) return exact(A, u.size(), [a = u.data(), b = v.data()](int i) { return a[i] * b[i]; });
    double share = weir::dot<Space>(u, v);
    sum(A, {&share, 1});
    return share;
  }
  void project(const Matrix<Space>& A, Basis<Space>& V, View<const double> w, int count, double* h) const {
    if (is_exact()) {
      for (int j = 0; j < count; ++j) h[j] = dot(A, V.stored(j), w);
      return;
    }
    V.project(w, count, h);
    sum(A, {h, at(count)});
  }
  void apply(const Matrix<Space>& A, View<const double> u, View<double> c) {
    ScopedTimer timer(product_seconds);
    A.apply(u, c);
  }

  // Extrapolation weights in the order of storage.
  void extrapolate() {
    double weight = count_;  // C(count, i + 1) (-1)^i
    for (int i = 0; i < count_; ++i) {
      y_[at((newest_ - i + count_) % count_)] = weight;
      weight *= -static_cast<double>(count_ - 1 - i) / (i + 2);
    }
  }

  // Orthonormalises U for this A if A is new.
  void follow(const Matrix<Space>& A) {
    const View<double> v = U_.fresh(count_), w = image(count_);
    fill_scattered<Space>(v);
    apply(A, v, w);
    const Pair dots = dot2<Space>(w, v, w);
    std::array<double, 2> mark{dots.a, dots.b};
    sum(A, mark);
    if (mark == mark_) return;
    mark_ = mark;
    const int count = std::exchange(count_, 0);
    std::vector<double>& column = column_;
    while (count_ < count && make_orthonormal(A, count_)) {  // U_old = U T, T R is a triangle again
      for (int j = count_; j < count; ++j) {
        const double r = R(count_, j);
        for (int i = 0; i < count_; ++i) R(i, j) += column[at(i)] * r;
        R(count_, j) = column[at(count_)] * r;
      }
      ++count_;
    }
  }

  // Makes vector j orthonormal to the previous ones: u_old = U column. False if too little of it is left.
  bool make_orthonormal(const Matrix<Space>& A, int j) {
    const View<double> u = U_.fresh(j), c = image(j);
    std::ranges::fill(column_, 0.0);
    apply(A, u, c);
    double before = dot(A, rule_.is_definite ? u : c, c), left = before;
    const double whole = before;
    for (int pass = 0; pass < 3 && before > 0; ++pass) {
      project(A, dual(), c, j, h_.data());
      double removed = 0;
      for (int i = 0; i < j; ++i) {
        removed += h_[at(i)] * h_[at(i)];
        column_[at(i)] += h_[at(i)];
        h_[at(i)] *= -1;
      }
      U_.combine(h_.data(), j, u);
      if (!rule_.is_definite) C_.combine(h_.data(), j, c);
      left = before - removed;
      if (left > 0.5 * before) break;
      if (rule_.is_definite) apply(A, u, c);
      before = left = dot(A, rule_.is_definite ? u : c, c);
    }
    const double length = std::sqrt(left);
    if (!(length > least_length * std::sqrt(whole)) || !std::isfinite(1 / length)) return false;
    column_[at(j)] = length;
    U_.keep(j, 1 / length);
    if (!rule_.is_definite) C_.keep(j, 1 / length);
    return true;
  }

  void add(const Matrix<Space>& A, View<const double> x) {
    const View<double> u = U_.fresh(count_);
    assign<Space>(x, u);
    if (!has_chosen_) std::ranges::fill(y_, 0.0);
    double square = 0;
    for (int i = 0; i < count_; ++i) {
      square += y_[at(i)] * y_[at(i)];
      h_[at(i)] = -y_[at(i)];
    }
    U_.combine(h_.data(), count_, u);  // x - x0
    if (A.has_constant_null_space()) remove_mean(A, u);
    if (!make_orthonormal(A, count_)) return;
    if (!(column_[at(count_)] > least_length * std::sqrt(square))) return;
    for (int i = 0; i <= count_; ++i) R(i, count_) = column_[at(i)] + (i < count_ ? y_[at(i)] : 0);
    if (++count_ > rule_.k) drop_oldest();
  }

 public:  // nvcc takes a device lambda in no private member
  void remove_mean(const Matrix<Space>& A, View<double> u) {
    double total = 0;
    if (is_exact()) {
      total = exact(A, u.size(), [a = u.data()](int i) { return a[i]; });
    } else {
      total = weir::sum<Space>(u.size(), [=] WEIR_HD(int i) { return u[i]; });
      sum(A, {&total, 1});
    }
    shift<Space>(total / static_cast<double>(A.unknowns()), u);
  }

 private:
  void drop_oldest() {
    for (int j = 1; j < count_; ++j)
      for (int i = 0; i <= j; ++i) R(i, j - 1) = R(i, j);
    for (int j = 0; j + 1 < count_; ++j) {
      const double length = std::hypot(R(j, j), R(j + 1, j)), c = R(j, j) / length, s = R(j + 1, j) / length;
      for (int k = j; k + 1 < count_; ++k) {
        const double upper = R(j, k), lower = R(j + 1, k);
        R(j, k) = c * upper + s * lower;
        R(j + 1, k) = c * lower - s * upper;
      }
      R(j + 1, j) = 0;
      rotate<Space>(c, s, U_.fresh(j), U_.fresh(j + 1));
      if (!rule_.is_definite) rotate<Space>(c, s, C_.fresh(j), C_.fresh(j + 1));
    }
    --count_;
  }

  // The first vector sets the size.
  void vector(Archive& a, Basis<Space>& V, int j) {
    std::vector<double> host;
    if (!a.reads()) {
      Array<double, Space> copy(n_);
      assign<Space>(V.fresh(j), copy);
      host = copy.to_vector();
    }
    a.list("vector", host);
    if (!a.reads()) return;
    const auto n = static_cast<std::int64_t>(host.size());
    if (j == 0 && &V == &U_) fit(n);
    a.require(n == n_, "vector");
    if (n > 0) assign<Space>(Array<double, Space>(host), V.fresh(j));
  }

  // Vectors that are shorter than this after orthogonalisation, relative to before, are rounding.
  static constexpr double least_length = 1e-12;

  GuessRule rule_;
  int places_, count_ = 0, newest_ = 0;
  std::int64_t n_ = -1;
  bool has_chosen_ = false;
  std::array<double, 2> mark_{};  // identifies the matrix for which U is orthonormal
  Basis<Space> U_, C_;
  Array<double, Space> c_;
  std::vector<double> y_, h_, column_, R_;
};

template <class Space>
InitialGuess<Space>::InitialGuess(const GuessRule& rule) : rule_(rule) {
  if (rule.remembers()) kept_ = std::make_unique<EarlierSolutions<Space>>(rule);
}
template <class Space>
InitialGuess<Space>::InitialGuess(InitialGuess&&) noexcept = default;
template <class Space>
InitialGuess<Space>& InitialGuess<Space>::operator=(InitialGuess&&) noexcept = default;
template <class Space>
InitialGuess<Space>::~InitialGuess() = default;

template <class Space>
void InitialGuess<Space>::take_as_given() {
  if (remembers()) *this = InitialGuess();
}

template <class Space>
void InitialGuess<Space>::choose(const Matrix<Space>& A, View<const double> b, View<double> x) {
  if (rule_.kind == GuessRule::zero) fill<Space>(0, x);
  if (!kept_) return;
  seconds_ = kept_->product_seconds = 0;
  ScopedTimer timer(seconds_);
  kept_->choose(A, b, x, may_be_new_);
  may_be_new_ = false;
}

template <class Space>
void InitialGuess<Space>::learn(const Matrix<Space>& A, View<const double> x, SolveResult& result) {
  if (!kept_) return;
  if (std::isfinite(result.true_residual)) {
    ScopedTimer timer(seconds_);
    kept_->learn(A, x, result);
  }
  result.solve_seconds += seconds_;
  if (result.spmv_seconds >= 0) result.spmv_seconds += kept_->product_seconds;
  if (result.reduce_seconds >= 0) result.reduce_seconds += seconds_ - kept_->product_seconds;
}

template <class Space>
void InitialGuess<Space>::state(Archive& a) {
  if (kept_) kept_->state(a);
}

template class InitialGuess<Host>;
template class InitialGuess<Device>;

}  // namespace weir
