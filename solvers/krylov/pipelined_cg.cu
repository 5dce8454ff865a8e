// Pipelined conjugate gradients (Ghysels & Vanroose 2014, Alg. 4): the iterates of cg to rounding, with one sum over
// the ranks per iteration, overlapped with M^-1 w and its product with A.
//  gamma = r.u, delta = w.u  start     u = M^-1 r, w = A u
//  m = M^-1 w,  n = A m                meanwhile
//  beta = gamma / gamma_old,  alpha = gamma / (delta - beta gamma / alpha_old)
//  z = n + beta z   q = m + beta q   s = w + beta s   p = u + beta p
//  x += alpha p     r -= alpha s     u -= alpha q     w -= alpha z
// The eight updates are one pass (24 vectors with a preconditioner, 16 without; cg moves 10 to 13): it pays if waiting
// for a sum costs more.
//
// r, u, w, s, q and z drift more than in cg. Every replacement_interval iterations, and when |r| has fallen by a factor
// of 3000, they are recomputed from x and p (Cools et al. 2018), and the true residual is checked at the end. If p.A p
// or gamma is not positive, the method restarts from the true residual; in the first iteration of a cycle this is a
// breakdown.
#include <cmath>

#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/registry.hpp"

namespace weir {

struct PipelinedCgVectors {
  ConstVector m, n;
  Vector x, r, u, w, p, q, s, z;
};

// All updates of an iteration; returns the next {r.u, w.u}. If M is the identity, u is r, m is w and q is s, written
// twice with the same values.
template <class Space>
Pair pipelined_cg_step(double alpha, double beta, const PipelinedCgVectors& vectors) {
  const PipelinedCgVectors v = vectors;
  return sum2<Space>(v.x.size(), [=] WEIR_HD(int i) {
    const double z = v.n[i] + beta * v.z[i], q = v.m[i] + beta * v.q[i], s = v.w[i] + beta * v.s[i],
                 p = v.u[i] + beta * v.p[i];
    v.z[i] = z;
    v.q[i] = q;
    v.s[i] = s;
    v.p[i] = p;
    v.x[i] += alpha * p;
    const double r = v.r[i] - alpha * s, u = v.u[i] - alpha * q, w = v.w[i] - alpha * z;
    v.r[i] = r;
    v.u[i] = u;
    v.w[i] = w;
    return Pair{r * u, w * u};
  });
}

template <class Space>
class PipelinedCg : public Krylov<Space> {
 public:
  explicit PipelinedCg(const KrylovOptions& options) : options_(options) {}
  const char* name() const override { return "pipelined_cg"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    if (!A.is_symmetric() || !M.is_symmetric())
      throw Error(Exit::usage,
                  "pipelined_cg needs a symmetric matrix and a symmetric preconditioner; use pipelined_bicgstab");
    require_constant(M, "pipelined_cg");
    identity_ = M.is_identity();
    for (auto* v : {&r_, &w_, &n_, &p_, &s_, &z_}) fit(*v, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    for (it.start(r_); it.running(); it.restart(r_)) cycle(it, x);
    return it.finish();
  }

 private:
  static constexpr int replacement_interval = 50;
  static constexpr double replacement_drop =
      1e-7;  // drop of r.r: with a preconditioner in single precision the recurrences drift

  void cycle(Iteration<Space>& it, View<double> x) {
    const View<double> r = r_, w = w_, n = n_, p = p_, s = s_, z = z_;
    const View<double> u = it.place_of(r, u_), m = it.place_of(w, m_), q = it.place_of(s, q_);
    it.precondition(r, u);
    it.apply(u, w);
    for (const View<double>& v : {p, q, s, z}) fill<Space>(0, v);
    start(it, it.update([&] { return dot2<Space>(u, r, w); }), {r, u, w});
    double gamma_old = 1, alpha = 1, rr_of_replacement = 0;
    for (int step = 0, since = 0;; ++step, ++since) {
      it.precondition(w, m);
      it.apply(m, n);
      double sums[3];
      it.finish_sum(std::span(sums, identity_ ? 2 : 3));
      const double gamma = sums[0], delta = sums[1], rr = identity_ ? gamma : sums[2];
      if (step > 0 && !it.step(r, rr)) return;
      if (!std::isfinite(gamma) || !std::isfinite(delta)) return it.stop(Reason::not_finite);
      const double beta = step > 0 ? gamma / gamma_old : 0;
      const double curvature = delta - (step > 0 ? beta * gamma / alpha : 0);  // p.A p
      if (!(curvature > 0) || !(gamma > 0)) return step > 0 ? void() : it.stop(Reason::breakdown);
      alpha = gamma / curvature;
      gamma_old = gamma;
      const PipelinedCgVectors v{m, n, x, r, u, w, p, q, s, z};
      Pair products = it.update([&] { return pipelined_cg_step<Space>(alpha, beta, v); });
      if (since == 0) rr_of_replacement = rr;
      if (since + 1 >= replacement_interval || rr < replacement_drop * rr_of_replacement) {
        products = replace(it, v);
        since = -1;
      }
      start(it, products, {r, u, w});
    }
  }

  // Recomputes all vectors from x and p; returns the shares of this rank of {r.u, w.u}.
  Pair replace(Iteration<Space>& it, const PipelinedCgVectors& v) {
    it.true_residual(v.r);
    it.apply(v.p, v.s);
    it.precondition(v.r, v.u);
    it.precondition(v.s, v.q);
    it.apply(v.u, v.w);
    it.apply(v.q, v.z);
    return it.update([&] { return dot2<Space>(v.u, v.r, v.w); });
  }

  struct Factors {
    ConstVector r, u, w;
  };
  // products: {r.u, w.u}
  void start(Iteration<Space>& it, Pair products, const Factors& v) {
    double shares[3] = {products.a, products.b, 0};
    if (!identity_) shares[2] = it.update([&] { return dot<Space>(v.r, v.r); });
    it.start_sum(std::span<const double>(shares, identity_ ? 2 : 3), {{v.r, v.u}, {v.w, v.u}, {v.r, v.r}});
  }

  KrylovOptions options_;
  bool identity_ = false;
  Array<double, Space> r_, u_, w_, m_, n_, p_, q_, s_, z_;
};

constexpr KrylovDescription krylov::pipelined_cg{
    .name = "pipelined_cg",
    .meaning = "cg whose sum over ranks overlaps with the matrix-vector product",
    .citation = "Ghysels & Vanroose 2014",
    .options = {},
    .needs_symmetry = true,
    .needs_symmetric_preconditioner = true,
    .vectors = [](const KrylovOptions&) { return 9.0; },
    .make_host = make_method<PipelinedCg, Host>,
    .make_device = make_method<PipelinedCg, Device>};

}  // namespace weir
