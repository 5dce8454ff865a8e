// Stabilised bi-conjugate gradients (van der Vorst 1992), right preconditioned, so that r is the true recurrence
// residual:
//   p = r + beta (p - omega v)      beta = (rho / rho_old) (alpha / omega),  rho = r0.r
//   v = A M^-1 p                    alpha = rho / r0.v
//   s = r - alpha v
//   t = A M^-1 s                    omega = t.s / t.t
//   x += alpha M^-1 p + omega M^-1 s,   r = s - omega t
// An iteration applies A and M twice. If r0 becomes orthogonal to r (or to v), or omega vanishes, the method restarts
// from the true residual; in the first iteration of a cycle this is a breakdown.
#include <cmath>

#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/registry.hpp"

namespace weir {

// p = r + beta (p - omega v)
template <class Space>
void bicgstab_direction(double beta, double omega, ConstVector r, ConstVector v, Vector p) {
  for_each<Space>(r.size(), [=] WEIR_HD(int i) { p[i] = r[i] + beta * (p[i] - omega * v[i]); });
}
// x += alpha p + omega s, r -= omega t; returns {r.r, r0.r}
template <class Space>
struct BicgstabStep {
  ConstVector p, s, t, r0;
  Vector x, r;
};
template <class Space>
Pair bicgstab_step(double alpha, double omega, const BicgstabStep<Space>& w) {
  const BicgstabStep<Space> v = w;
  return sum2<Space>(v.x.size(), [=] WEIR_HD(int i) {
    v.x[i] += alpha * v.p[i] + omega * v.s[i];
    const double ri = v.r[i] - omega * v.t[i];
    v.r[i] = ri;
    return Pair{ri * ri, v.r0[i] * ri};
  });
}

template <class Space>
class Bicgstab : public Krylov<Space> {
 public:
  explicit Bicgstab(const KrylovOptions& options) : options_(options) {}
  const char* name() const override { return "bicgstab"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    require_constant(M, "bicgstab");
    for (auto* w : {&r_, &r0_, &p_, &v_, &t_}) fit(*w, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    for (it.start(r_); it.running(); it.restart(r_)) cycle(it, x);
    return it.finish();
  }

 private:
  void cycle(Iteration<Space>& it, View<double> x) {
    const View<double> r = r_, r0 = r0_, p = p_, v = v_, t = t_;
    const View<double> Mp = it.place_of(p, Mp_), Ms = it.place_of(r, Ms_);
    const double r0_norm = std::sqrt(it.rr());
    double rho = it.rr(), rr = rho;
    assign<Space>(r, r0);
    assign<Space>(r, p);
    for (int step = 0;; ++step) {
      const Pair vr_vv = product(it, p, Mp, v, r0);
      if (!std::isfinite(vr_vv.a)) return it.stop(Reason::not_finite);
      if (std::abs(vr_vv.a) <= product_noise * r0_norm * std::sqrt(vr_vv.b) ||
          std::abs(rho) <= product_noise * r0_norm * std::sqrt(rr))
        return lost(it, step);
      const double alpha = rho / vr_vv.a;
      const double ss =
          it.reduce([&] { return axpy_square<Space>(-alpha, v, r); }, DotProduct{r, r});  // s, stored in r
      if (!std::isfinite(ss)) return it.stop(Reason::not_finite);
      if (std::sqrt(ss) <= it.target()) {  // half the iteration was enough
        axpy<Space>(alpha, Mp, x);
        it.step(r, ss);
        return;
      }
      const Pair ts_tt = product(it, r, Ms, t, r);
      const double omega = ts_tt.a / ts_tt.b;
      if (!(ts_tt.b > 0) || std::abs(ts_tt.a) <= product_noise * std::sqrt(ss * ts_tt.b)) {
        axpy<Space>(alpha, Mp, x);  // gain of this iteration so far
        if (it.step(r, ss)) lost(it, step);
        return;
      }
      const double rho_old = rho;
      // Without a preconditioner M^-1 s is s, stored in r: x is updated before r is overwritten.
      const BicgstabStep<Space> updates{Mp, Ms, t, r0, x, r};
      const Pair rr_rho =
          it.reduce([&] { return bicgstab_step<Space>(alpha, omega, updates); }, DotProduct{r, r}, DotProduct{r0, r});
      rr = rr_rho.a;
      rho = rr_rho.b;
      if (!it.step(r, rr)) return;
      it.update([&] { bicgstab_direction<Space>(rho / rho_old * (alpha / omega), omega, r, v, p); });
    }
  }

  void lost(Iteration<Space>& it, int step) {
    if (step == 0) it.stop(Reason::breakdown);
  }

  // y = A M^-1 u; returns {y.w, y.y}
  Pair product(Iteration<Space>& it, Vector u, Vector Mu, Vector y, Vector w) {
    it.precondition(u, Mu);
    return it.apply_dots(Mu, w, y);
  }

  KrylovOptions options_;
  Array<double, Space> r_, r0_, p_, v_, t_, Mp_, Ms_;
};

constexpr KrylovDescription krylov::bicgstab{.name = "bicgstab",
                                             .meaning = "stabilised biconjugate gradients",
                                             .citation = "van der Vorst 1992",
                                             .options = {},
                                             .vectors = [](const KrylovOptions&) { return 8.0; },
                                             .make_host = make_method<Bicgstab, Host>,
                                             .make_device = make_method<Bicgstab, Device>};

}  // namespace weir
