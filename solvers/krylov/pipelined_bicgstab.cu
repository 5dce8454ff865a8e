// Pipelined stabilised bi-conjugate gradients (Cools & Vanroose 2017, Alg. 7) on B = A M^-1: the iterates of bicgstab
// to rounding, with two sums over the ranks per iteration instead of three, each overlapped with a product.
//  p = r + beta (p - omega s)    s = w + beta (s - omega z)    z = t + beta (z - omega v)     s = B p, z = B s, w = B r
//  q = r - alpha s               y = w - alpha z               q.y, y.y  start
//  v = B z                                                     meanwhile;  omega = q.y / y.y
//  e += alpha p + omega q        r = q - omega y               w = y - omega (t - alpha v)    r0.(r, w, s, z), r.r
//  start
//  t = B w                                                     meanwhile
//  beta = (alpha / omega) (r0.r / (r0.r)_old)    alpha = r0.r / (r0.w + beta r0.s - beta omega r0.z)
// e: gain of x before the preconditioner; x += M^-1 e once per cycle, as M is constant.
//
// The recurrences drift: every replacement_interval iterations r, w, s, z and v are recomputed from x and p, and the
// true residual is checked at the end. If a denominator vanishes the method restarts from the true residual; in the
// first iteration of a cycle this is a breakdown.
#include <cmath>
#include <utility>

#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/registry.hpp"

namespace weir {

struct PipelinedBicgstabVectors {
  Vector e, r0, r, w, t, p, s, z, v, q, y;
};

// The first half; returns {q.y, y.y}.
template <class Space>
Pair pipelined_directions(double alpha, double beta, double omega, const PipelinedBicgstabVectors& vectors) {
  const PipelinedBicgstabVectors a = vectors;
  return sum2<Space>(a.r.size(), [=] WEIR_HD(int i) {
    const double s_old = a.s[i], z_old = a.z[i];
    const double p = a.r[i] + beta * (a.p[i] - omega * s_old), s = a.w[i] + beta * (s_old - omega * z_old),
                 z = a.t[i] + beta * (z_old - omega * a.v[i]), q = a.r[i] - alpha * s, y = a.w[i] - alpha * z;
    a.p[i] = p;
    a.s[i] = s;
    a.z[i] = z;
    a.q[i] = q;
    a.y[i] = y;
    return Pair{q * y, y * y};
  });
}

// The second half; returns {r0.r, r.r}.
template <class Space>
Pair pipelined_advance(double alpha, double omega, const PipelinedBicgstabVectors& vectors) {
  const PipelinedBicgstabVectors a = vectors;
  return sum2<Space>(a.r.size(), [=] WEIR_HD(int i) {
    const double y = a.y[i], q = a.q[i], r = q - omega * y;
    a.e[i] += alpha * a.p[i] + omega * q;
    a.r[i] = r;
    a.w[i] = y - omega * (a.t[i] - alpha * a.v[i]);
    return Pair{a.r0[i] * r, r * r};
  });
}

template <class Space>
class PipelinedBicgstab : public Krylov<Space> {
 public:
  explicit PipelinedBicgstab(const KrylovOptions& options) : options_(options) {}
  const char* name() const override { return "pipelined_bicgstab"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    require_constant(M, "pipelined_bicgstab");
    identity_ = M.is_identity();
    for (auto* w : {&r_, &r0_, &w_, &t_, &p_, &s_, &z_, &v_, &q_, &y_}) fit(*w, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    for (it.start(r_); it.running(); it.restart(r_)) {
      cycle(it, x);
      gain(it, x);
    }
    return it.finish();
  }

 private:
  static constexpr int replacement_interval = 50;

  void cycle(Iteration<Space>& it, View<double> x) {
    const PipelinedBicgstabVectors a{it.place_of(x, e_), r0_, r_, w_, t_, p_, s_, z_, v_, q_, y_};
    for (const Vector& v : {a.p, a.s, a.z, a.v}) fill<Space>(0, v);
    if (!identity_) fill<Space>(0, a.e);
    assign<Space>(a.r, a.r0);
    const double r0_norm = std::sqrt(it.rr());
    double rho = it.rr(), beta = 0, omega = 0;
    product(it, a.r, a.w);
    const double rw = it.reduce([&] { return dot<Space>(a.r0, a.w); }, DotProduct{a.r0, a.w});
    product(it, a.w, a.t);
    if (!std::isfinite(rw)) return it.stop(Reason::not_finite);
    if (std::abs(rw) <= product_noise * rho) return it.stop(Reason::breakdown);
    double alpha = rho / rw;
    for (int step = 0;; ++step) {
      const Pair shares = it.update([&] { return pipelined_directions<Space>(alpha, beta, omega, a); });
      double products[2] = {shares.a, shares.b};
      it.start_sum(products, {{a.q, a.y}, {a.y, a.y}});
      product(it, a.z, a.v);
      it.finish_sum(products);
      const Pair qy{products[0], products[1]};
      if (!std::isfinite(qy.a) || !std::isfinite(qy.b)) return it.stop(Reason::not_finite);
      const bool stuck = !(qy.b > 0);  // y = A q = 0: q = 0, or A is singular there
      omega = stuck ? 0 : qy.a / qy.b;
      const Pair advanced = it.update([&] { return pipelined_advance<Space>(alpha, omega, a); });
      has_gained_ = true;
      double sums[5] = {advanced.a, advanced.b};
      if ((step + 1) % replacement_interval == 0) replace(it, a, x, sums);
      shadow_products(it, a, sums);
      it.start_sum(sums, {{a.r0, a.r}, {a.r, a.r}, {a.r0, a.w}, {a.r0, a.s}, {a.r0, a.z}});
      product(it, a.w, a.t);
      it.finish_sum(sums);
      if (it.keeps(std::sqrt(sums[1]))) gain(it, x);
      if (!it.step(a.r, sums[1])) return;
      const double rho_old = rho, r_norm = std::sqrt(sums[1]);
      rho = sums[0];
      if (omega == 0 || std::abs(rho) <= product_noise * r0_norm * r_norm) return lost(it, step);
      beta = rho / rho_old * (alpha / omega);
      const double denominator = sums[2] + beta * (sums[3] - omega * sums[4]);
      if (!std::isfinite(denominator)) return it.stop(Reason::not_finite);
      if (denominator == 0) return lost(it, step);
      alpha = rho / denominator;
    }
  }

  void lost(Iteration<Space>& it, int step) {
    if (step == 0) it.stop(Reason::breakdown);
  }

  // y = A M^-1 u
  void product(Iteration<Space>& it, Vector u, Vector y) {
    const Vector Mu = it.place_of(u, m_);
    it.precondition(u, Mu);
    it.apply(Mu, y);
  }

  // x += M^-1 e, e = 0
  void gain(Iteration<Space>& it, Vector x) {
    if (identity_ || !std::exchange(has_gained_, false)) return;
    it.precondition(e_.view(), m_);
    axpy<Space>(1, m_.view(), x);
    fill<Space>(0, e_.view());
  }

  void replace(Iteration<Space>& it, const PipelinedBicgstabVectors& a, Vector x, double* sums) {
    gain(it, x);
    it.true_residual(a.r);
    product(it, a.r, a.w);
    product(it, a.p, a.s);
    product(it, a.s, a.z);
    product(it, a.z, a.v);
    const Pair products = it.update([&] { return dot2<Space>(a.r, a.r0, a.r); });
    sums[0] = products.a;
    sums[1] = products.b;
  }

  // r0.w, r0.s, r0.z
  void shadow_products(Iteration<Space>& it, const PipelinedBicgstabVectors& a, double* sums) {
    const Pair ws = it.update([&] { return dot2<Space>(a.r0, a.w, a.s); });
    sums[2] = ws.a;
    sums[3] = ws.b;
    sums[4] = it.update([&] { return dot<Space>(a.r0, a.z); });
  }

  KrylovOptions options_;
  bool identity_ = false, has_gained_ = false;
  Array<double, Space> r_, r0_, w_, t_, p_, s_, z_, v_, q_, y_, e_, m_;
};

constexpr KrylovDescription krylov::pipelined_bicgstab{
    .name = "pipelined_bicgstab",
    .meaning = "bicgstab whose sums over ranks overlap with the matrix-vector products",
    .citation = "Cools & Vanroose 2017",
    .options = {},
    .vectors = [](const KrylovOptions&) { return 12.0; },
    .make_host = make_method<PipelinedBicgstab, Host>,
    .make_device = make_method<PipelinedBicgstab, Device>};

}  // namespace weir
