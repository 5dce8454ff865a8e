// Conjugate gradients (Hestenes & Stiefel 1952) for symmetric positive (semi-)definite A, matrix-free:
//   q = A p                  alpha = r.z / p.q
//   r -= alpha q             (x += alpha p: done together with the next direction, which reads p anyway)
//   z = M^-1 r               beta = r.z / (r.z)_old
//   p = z + beta p
// If M is not symmetric, beta is that of Polak-Ribiere, z.(r - r_old) / (r.z)_old = -alpha z.q / (r.z)_old (Golub & Ye
// 1999): the new direction is then A-orthogonal at least to the last one.
#include <cmath>

#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/registry.hpp"

namespace weir {

// x += alpha p with the old direction, then p = z + beta p.
template <class Space>
void advance_direction(double alpha, double beta, ConstVector z, Vector p, Vector x) {
  for_each<Space>(x.size(), [=] WEIR_HD(int i) {
    const double old = p[i];
    x[i] += alpha * old;
    p[i] = z[i] + beta * old;
  });
}

template <class Space>
class Cg : public Krylov<Space> {
 public:
  explicit Cg(const KrylovOptions& options) : options_(options) {}
  const char* name() const override { return "cg"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    if (!A.is_symmetric()) throw Error(Exit::usage, "cg needs a symmetric matrix; use bicgstab, gmres or fgmres");
    require_constant(M, "cg");
    for (auto* v : {&r_, &p_, &q_}) fit(*v, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    for (it.start(r_); it.running(); it.restart(r_)) cycle(it, M, x);
    return it.finish();
  }

 private:
  void cycle(Iteration<Space>& it, const Preconditioner<Space>& M, View<double> x) {
    const View<double> r = r_, p = p_, q = q_, z = it.place_of(r, z_);
    double rz = it.rr();
    if (M.is_identity())
      assign<Space>(r, p);
    else
      rz = it.precondition_dot(r, p);
    double pq = it.apply_dot(p, q);
    while (true) {
      if (!std::isfinite(pq) || !std::isfinite(rz)) return it.stop(Reason::not_finite);
      if (!(pq > 0) || rz == 0 || (rz < 0 && M.is_symmetric())) return it.stop(Reason::breakdown);
      const double alpha = rz / pq;
      const double rr = it.reduce([&] { return axpy_square<Space>(-alpha, q, r); }, DotProduct{r, r});
      const bool more = it.step(r, rr);
      if (!more) {
        if (std::isfinite(rr)) axpy<Space>(alpha, p, x);
        return;
      }
      const double rz_old = rz;
      double beta;
      if (M.is_symmetric()) {
        rz = M.is_identity() ? rr : it.precondition_dot(r, z);
        beta = rz / rz_old;
      } else {
        const Pair rz_qz = it.precondition_dots(r, q, z);
        rz = rz_qz.a;
        beta = -alpha * rz_qz.b / rz_old;
      }
      it.update([&] { advance_direction<Space>(alpha, beta, z, p, x); });
      pq = it.apply_dot(p, q);
    }
  }

  KrylovOptions options_;
  Array<double, Space> r_, z_, p_, q_;
};

constexpr KrylovDescription krylov::cg{
    .name = "cg",
    .meaning = "conjugate gradients",
    .citation = "Hestenes & Stiefel 1952; Golub & Ye 1999 (nonsymmetric preconditioner)",
    .options = {},
    .needs_symmetry = true,
    .vectors = [](const KrylovOptions&) { return 4.0; },
    .make_host = make_method<Cg, Host>,
    .make_device = make_method<Cg, Device>};

}  // namespace weir
