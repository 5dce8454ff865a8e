// IDR(s) with biorthogonal intermediate vectors (van Gijzen & Sonneveld, ACM Trans. Math. Softw. 38 (2011) 5), right
// preconditioned: residuals are forced into spaces of shrinking dimension by s fixed shadow vectors P and one factor (I
// - omega A M^-1) per s + 1 products; short recurrences, close to GMRES in products from s = 4 on.
//  f = P^T r,   for k = 1 .. s:   M c = f  (lower triangle from k on),   v = r - sum_{i>=k} c_i g_i
//    u_k = omega M^-1 v + sum_{i>=k} c_i u_i,   g_k = A u_k,   both made biorthogonal:  p_i^T g_k = 0, i < k
//    beta = f_k / mu_kk,   r -= beta g_k,   x += beta u_k,   f_i -= beta mu_ik
//  t = A M^-1 r,   omega = t.r / t.t, lengthened if t and r are far from parallel,   r -= omega t, x += omega M^-1 r
// An iteration applies A and M once. The products P^T g_k are one pass; the biorthogonal ones follow from them and mu.
// P is pseudo-random from the index (and rank) alone: runs repeat.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/basis.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

// In [-1, 1), from the finaliser of splitmix64 (Steele, Lea & Flood 2014).
WEIR_HD inline double scattered(std::uint64_t key) {
  std::uint64_t z = (key + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * (1.0 / 4503599627370496.0) - 1;
}
template <class Space>
void scatter(int stream, Vector p) {
  const std::uint64_t first = static_cast<std::uint64_t>(stream) << 32;
  for_each<Space>(p.size(), [=] WEIR_HD(int i) { p[i] = scattered(first + static_cast<std::uint64_t>(i)); });
}
// x += a u, r -= a g; returns r.r. u may be r.
template <class Space>
double residual_step(double a, ConstVector u, ConstVector g, Vector x, Vector r) {
  return sum<Space>(r.size(), [=] WEIR_HD(int i) {
    x[i] += a * u[i];
    const double v = r[i] - a * g[i];
    r[i] = v;
    return v * v;
  });
}

}  // namespace

template <class Space>
class Idrs : public Krylov<Space> {
 public:
  explicit Idrs(const KrylovOptions& options) : options_(options), mu_(at(options.s) * at(options.s)) {
    for (auto* v : {&f_, &h_, &c_, &a_}) v->resize(at(options.s) + 1);
  }
  const char* name() const override { return "idrs"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    require_constant(M, "idrs");
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    if (r_.size() != A.size()) make_space(it, A);
    for (it.start(r_); it.running(); it.restart(r_)) cycle(it, x);
    return it.finish();
  }

 private:
  // If the cosine of the angle between t and r is below this, omega t.t = t.r would make the next vectors inaccurate
  // (Sleijpen & van der Vorst 1995).
  static constexpr double least_cosine = 0.7;

  double& mu(int i, int k) { return mu_[at(i) * at(options_.s) + at(k)]; }

  // Work vectors and the orthonormal shadow vectors, at the first solve of a size.
  void make_space(Iteration<Space>& it, const Matrix<Space>& A) {
    const int n = A.size(), rank = A.ranks() ? A.ranks()->rank() : 0;
    s_ = static_cast<int>(std::min<std::int64_t>(options_.s, A.unknowns()));
    for (auto* w : {&r_, &v_, &w_}) fit(*w, n);
    for (auto* basis : {&P_, &G_, &U_}) basis->fit(n, s_);
    for (int j = 0; j < s_; ++j) {
      const Vector p = P_.fresh(j);
      scatter<Space>(rank * s_ + j, p);
      for (int pass = 0; pass < 2 && j > 0; ++pass) {
        it.project(P_, p, j, h_.data());
        for (int i = 0; i < j; ++i) a_[i] = -h_[i];
        P_.combine(a_.data(), j, p);
      }
      P_.keep(j, 1 / std::sqrt(it.sum(dot<Space>(p, p), {p, p})));
    }
  }

  void cycle(Iteration<Space>& it, Vector x) {
    for (int k = 0; k < s_; ++k) {
      fill<Space>(0, G_.fresh(k));
      fill<Space>(0, U_.fresh(k));
      for (int i = 0; i < s_; ++i) mu(i, k) = i == k;
    }
    double omega = 1;
    rr_ = it.rr();
    for (int steps = 0;; ++steps) {
      it.project(P_, r_, s_, f_.data());
      for (int k = 0; k < s_; ++k) {
        const Outcome end = intermediate(it, k, omega, x);
        if (end == Outcome::lost && steps == 0 && k == 0) it.stop(Reason::breakdown);
        if (end != Outcome::goes_on) return;
      }
      if (!shrink(it, omega, x)) return;
    }
  }

  enum class Outcome { goes_on, ends, lost };

  // Step k within a space.
  Outcome intermediate(Iteration<Space>& it, int k, double omega, Vector x) {
    const Vector u = U_.fresh(k), g = G_.fresh(k);
    direction(it, k, omega, u);
    it.apply(u, g);
    const double length = make_biorthogonal(it, k, u, g);
    if (!std::isfinite(length)) return it.stop(Reason::not_finite), Outcome::ends;
    if (std::abs(mu(k, k)) <= product_noise * length) return Outcome::lost;
    const double beta = f_[k] / mu(k, k);
    rr_ = it.reduce([&] { return residual_step<Space>(beta, u, g, x, r_); }, DotProduct{r_, r_});
    for (int i = k + 1; i < s_; ++i) f_[i] -= beta * mu(i, k);
    return it.step(r_, rr_) ? Outcome::goes_on : Outcome::ends;
  }

  // u = omega M^-1 v + sum c_i u_i
  void direction(Iteration<Space>& it, int k, double omega, Vector u) {
    for (int i = k; i < s_; ++i) {
      double t = f_[i];
      for (int j = k; j < i; ++j) t -= mu(i, j) * c_[j];
      c_[i] = t / mu(i, i);
      a_[i] = -c_[i];
    }
    const Vector v = v_, w = w_, z = it.place_of(v, z_);
    it.update([&] {
      assign<Space>(r_, v);
      G_.combine(a_.data() + k, s_ - k, v, k);
    });
    it.precondition(v, z);
    it.update([&] {
      scaled<Space>(omega, z, w);
      U_.combine(c_.data() + k, s_ - k, w, k);
      assign<Space>(w, u);
    });
  }

  // Column k of mu; returns |P^T g| before the subtraction.
  double make_biorthogonal(Iteration<Space>& it, int k, Vector u, Vector g) {
    it.project(P_, g, s_, h_.data());
    double square = 0;
    for (int i = 0; i < s_; ++i) square += h_[i] * h_[i];
    for (int i = 0; i < k; ++i) {
      const double alpha = h_[i] / mu(i, i);
      a_[i] = -alpha;
      for (int j = i; j < s_; ++j) h_[j] -= alpha * mu(j, i);
    }
    it.update([&] {
      G_.combine(a_.data(), k, g);
      U_.combine(a_.data(), k, u);
    });
    for (int i = k; i < s_; ++i) mu(i, k) = h_[i];
    return std::sqrt(square);
  }

  // Step into the next space.
  bool shrink(Iteration<Space>& it, double& omega, Vector x) {
    const Vector r = r_, t = w_, z = it.place_of(r, z_);
    it.precondition(r, z);
    it.apply(z, t);
    const Pair tr_tt = it.reduce([&] { return dot_and_square<Space>(t, r); }, DotProduct{t, r}, DotProduct{t, t});
    if (!std::isfinite(tr_tt.a) || !std::isfinite(tr_tt.b)) return it.stop(Reason::not_finite), false;
    const double cosine = std::abs(tr_tt.a) / std::sqrt(tr_tt.b * rr_);
    if (!(cosine > product_noise)) return false;  // omega = 0: restart
    omega = tr_tt.a / tr_tt.b * std::max(1.0, least_cosine / cosine);
    rr_ = it.reduce([&] { return residual_step<Space>(omega, z, t, x, r); }, DotProduct{r, r});
    return it.step(r, rr_);
  }

  KrylovOptions options_;
  int s_ = 0;      // at most the number of unknowns
  double rr_ = 0;  // r.r of the recurrence
  Basis<Space> P_, G_, U_;
  Array<double, Space> r_, v_, w_, z_;
  std::vector<double> mu_, f_, h_, c_, a_;
};

constexpr Option idrs_keys[] = {{"s", Option::integer, "4", "number of shadow vectors of idrs", "[1, 64]"}};

constexpr KrylovDescription krylov::idrs{
    .name = "idrs",
    .meaning = "induced dimension reduction (biorthogonal variant)",
    .citation = "van Gijzen & Sonneveld 2011",
    .options = idrs_keys,
    .read = [](const Table& t, KrylovOptions& o) { o.s = t.get<int>("s"); },
    .vectors = [](const KrylovOptions& o) { return 3.0 * o.s + 4; },
    .label = [](const KrylovOptions& o) { return "idr(" + std::to_string(o.s) + ")"; },
    .make_host = make_method<Idrs, Host>,
    .make_device = make_method<Idrs, Device>};

}  // namespace weir
