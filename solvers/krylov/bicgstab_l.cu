// BiCGstab(l) (Sleijpen & Fokkema, Electron. Trans. Numer. Anal. 1 (1993) 11), right preconditioned: l steps of BiCG,
// then a residual polynomial of degree l instead of l factors of degree one. The latter have real roots, so that
// bicgstab converges badly if A has eigenvalues with large imaginary parts (convection); degree two or more does not.
//  BiCG, j = 0 .. l-1:  u_i = r_i - beta u_i,  u_{j+1} = A M^-1 u_j,  r_i -= alpha u_{i+1},  r_{j+1} = A M^-1 r_j
//  then  r_0 -= sum gamma_j r_j  of least length (modified Gram-Schmidt on r_1 .. r_l)
// An iteration is one BiCG step with its share of the polynomial and applies A and M twice, as in bicgstab; between
// iterations x and r_0 are consistent. y collects the updates of x before M^-1, which is applied once per cycle.
#include <cmath>
#include <vector>

#include "base/at.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

// u = r - beta u
template <class Space>
void next_direction(double beta, ConstVector r, Vector u) {
  for_each<Space>(r.size(), [=] WEIR_HD(int i) { u[i] = r[i] - beta * u[i]; });
}
// y += alpha u0, r -= alpha u1; returns r.r
template <class Space>
double bicg_step(double alpha, ConstVector u0, ConstVector u1, Vector y, Vector r) {
  return sum<Space>(r.size(), [=] WEIR_HD(int i) {
    y[i] += alpha * u0[i];
    const double v = r[i] - alpha * u1[i];
    r[i] = v;
    return v * v;
  });
}
// One term of the polynomial: y += a r_0 + b r_j, r_0 -= c r_j, u_0 -= d u_j; returns {r_0.r_0, r_0.shadow}.
struct PolynomialTerm {
  double a, b, c, d;
  ConstVector rj, uj, shadow;
  Vector y, r0, u0;
};
template <class Space>
Pair add_term(const PolynomialTerm& term) {
  const PolynomialTerm t = term;
  return sum2<Space>(t.y.size(), [=] WEIR_HD(int i) {
    const double old = t.r0[i], rj = t.rj[i], now = old - t.c * rj;
    t.y[i] += t.a * old + t.b * rj;
    t.u0[i] -= t.d * t.uj[i];
    t.r0[i] = now;
    return Pair{now * now, now * t.shadow[i]};
  });
}

}  // namespace

template <class Space>
class BicgstabL : public Krylov<Space> {
 public:
  explicit BicgstabL(const KrylovOptions& options)
      : options_(options), l_(options.l), R_(at(l_) + 1), U_(at(l_) + 1), tau_(at(l_ + 1) * at(l_ + 1)) {
    for (auto* v : {&sigma_, &projected_, &gamma_, &shifted_}) v->resize(at(l_) + 2);
  }
  const char* name() const override { return "bicgstab_l"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    require_constant(M, "bicgstab_l");
    for (auto& r : R_) fit(r, A.size());
    for (auto& u : U_) fit(u, A.size());
    fit(shadow_, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    const Vector y = it.place_of(x, y_), My = it.place_of(y, Mw_);
    for (it.start(R_[0]); it.running(); it.restart(R_[0])) {
      if (!M.is_identity()) fill<Space>(0, y);
      cycle(it, y);
      if (M.is_identity()) continue;
      it.precondition(y, My);
      it.update([&] { axpy<Space>(1, My, x); });
    }
    return it.finish();
  }

 private:
  double& tau(int i, int j) { return tau_[at(i) * at(l_ + 1) + at(j)]; }

  void cycle(Iteration<Space>& it, Vector y) {
    assign<Space>(R_[0], shadow_.view());
    fill<Space>(0, U_[0].view());
    Recurrence c;
    c.rr = c.rho_next = it.rr();
    c.shadow_norm = std::sqrt(it.rr());
    while (true) {
      for (int j = 0; j < l_; ++j)
        if (!bicg(it, j, y, c)) return;
      const bool goes_on = polynomial(it, y, c);
      ++c.steps;
      if (!it.step(R_[0], c.rr) || !goes_on) return;
    }
  }

  struct Recurrence {
    double rr, rho_next, shadow_norm;      // r_0.r_0, and r_j.shadow of the next r_j
    double next_square = -1;               // r_j.r_j of the same, if it is not r_0
    double rho = 1, alpha = 0, omega = 1;  // rho: rho_0 of the paper
    int steps = 0;                         // iterations of this cycle
  };

  // False at the end of the cycle: x and r_0 are then consistent.
  bool bicg(Iteration<Space>& it, int j, Vector y, Recurrence& c) {
    if (j == 0) c.rho *= -c.omega;
    const double rho = c.rho_next, r_square = j == 0 ? c.rr : c.next_square;
    if (std::abs(rho) <= product_noise * c.shadow_norm * std::sqrt(r_square)) return lost(it, c);
    const double beta = c.alpha * rho / c.rho;
    it.update([&] {
      for (int i = 0; i <= j; ++i) next_direction<Space>(beta, R_[i], U_[i]);
    });
    const Pair us_uu = product(it, U_[j], U_[j + 1]);
    if (!std::isfinite(us_uu.a) || !std::isfinite(us_uu.b)) return it.stop(Reason::not_finite), false;
    if (std::abs(us_uu.a) <= product_noise * c.shadow_norm * std::sqrt(us_uu.b)) return lost(it, c);
    c.rho = rho;
    c.alpha = rho / us_uu.a;
    c.rr = it.reduce(
        [&] {
          for (int i = 1; i <= j; ++i) axpy<Space>(-c.alpha, U_[i + 1], R_[i]);
          return bicg_step<Space>(c.alpha, U_[0], U_[1], y, R_[0]);
        },
        DotProduct{R_[0], R_[0]});
    if (!std::isfinite(c.rr)) return it.stop(Reason::not_finite), false;
    const bool counts = j + 1 < l_ || std::sqrt(c.rr) <= it.target();  // the last one counts with the polynomial
    if (counts && (++c.steps, !it.step(R_[0], c.rr))) return false;
    if (counts && j + 1 == l_) return false;
    const Pair rs_rr = product(it, R_[j], R_[j + 1]);
    c.rho_next = rs_rr.a;
    c.next_square = rs_rr.b;
    if (!std::isfinite(rs_rr.a) || !std::isfinite(rs_rr.b)) return it.stop(Reason::not_finite), false;
    return true;
  }

  // Minimises the residual; false if the recurrence cannot continue.
  bool polynomial(Iteration<Space>& it, Vector y, Recurrence& c) {
    for (int j = 1; j <= l_; ++j) {
      const View<double> rj = R_[j], r0 = R_[0];
      double before = 0;
      for (int i = 1; i < j; ++i) {
        const View<double> ri = R_[i];
        tau(i, j) = it.reduce([&] { return dot<Space>(rj, ri); }, DotProduct{rj, ri}) / sigma_[i];
        before += tau(i, j) * tau(i, j) * sigma_[i];
        it.update([&] { axpy<Space>(-tau(i, j), ri, rj); });
      }
      const Pair r0_rr =
          it.reduce([&] { return dot_and_square<Space>(rj, r0); }, DotProduct{rj, r0}, DotProduct{rj, rj});
      sigma_[j] = r0_rr.b;
      projected_[j] = r0_rr.a / r0_rr.b;
      if (!(r0_rr.b > product_noise * product_noise * (before + r0_rr.b)))
        return false;  // r_j depends on the previous ones
    }
    for (int j = l_; j >= 1; --j) {
      gamma_[j] = projected_[j];
      for (int i = j + 1; i <= l_; ++i) gamma_[j] -= tau(j, i) * gamma_[i];
    }
    for (int j = 1; j < l_; ++j) {
      shifted_[j] = gamma_[j + 1];
      for (int i = j + 1; i < l_; ++i) shifted_[j] += tau(j, i) * gamma_[i + 1];
    }
    shifted_[l_] = 0;
    const double rr = c.rr;
    const Pair last = it.reduce([&] { return add_terms(y); }, DotProduct{R_[0], R_[0]}, DotProduct{R_[0], shadow_});
    c.rr = last.a;
    c.rho_next = last.b;
    c.omega = gamma_[l_];
    return std::abs(projected_[l_]) * std::sqrt(sigma_[l_]) > product_noise * std::sqrt(rr);
  }

  // {r_0.r_0, r_0.shadow} after the last term.
  Pair add_terms(Vector y) {
    Pair last{};
    for (int j = 1; j <= l_; ++j)
      last = add_term<Space>(
          {j == 1 ? gamma_[1] : 0, shifted_[j], projected_[j], gamma_[j], R_[j], U_[j], shadow_, y, R_[0], U_[0]});
    return last;
  }

  bool lost(Iteration<Space>& it, const Recurrence& c) {
    if (c.steps == 0) it.stop(Reason::breakdown);
    return false;
  }

  // w' = A M^-1 w; returns {w'.shadow, w'.w'}
  Pair product(Iteration<Space>& it, Vector w, Vector image) {
    const Vector Mw = it.place_of(w, Mw_);
    it.precondition(w, Mw);
    it.apply(Mw, image);
    return it.reduce([&] { return dot_and_square<Space>(image, shadow_); }, DotProduct{image, shadow_},
                     DotProduct{image, image});
  }

  KrylovOptions options_;
  int l_;
  std::vector<Array<double, Space>> R_, U_;
  Array<double, Space> shadow_, y_, Mw_;
  std::vector<double> tau_, sigma_, projected_, gamma_, shifted_;  // gamma' and gamma'' are projected and shifted
};

constexpr Option bicgstab_l_keys[] = {
    {"l", Option::integer, "2", "degree of the residual polynomials of bicgstab_l", "[1, 16]"}};

constexpr KrylovDescription krylov::bicgstab_l{
    .name = "bicgstab_l",
    .meaning = "bicgstab with residual polynomials of degree l",
    .citation = "Sleijpen & Fokkema 1993",
    .options = bicgstab_l_keys,
    .read = [](const Table& t, KrylovOptions& o) { o.l = t.get<int>("l"); },
    .vectors = [](const KrylovOptions& o) { return 2.0 * (o.l + 1) + 3; },
    .label = [](const KrylovOptions& o) { return "bicgstab(" + std::to_string(o.l) + ")"; },
    .make_host = make_method<BicgstabL, Host>,
    .make_device = make_method<BicgstabL, Device>};

}  // namespace weir
