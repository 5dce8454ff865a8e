// Methods and preconditioners that do not suit the matrix.
#include <algorithm>
#include <cmath>

#include "solvers/diagnosis/examination.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr double noise = 1e-12;     // double precision
constexpr double of_floats = 1e-4;  // factors stored as floats or 16-bit numbers

double largest(const std::vector<double>& v) { return v.empty() ? 0 : *std::ranges::max_element(v); }
double length(const std::vector<double>& x) { return std::sqrt(dot(x, x)); }
// |x - y| / |x|
double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double s = 0;
  for (std::size_t i = 0; i < x.size(); ++i) s += (x[i] - y[i]) * (x[i] - y[i]);
  const double size = length(x);
  return size > 0 ? std::sqrt(s) / size : 0;
}

template <class Space>
bool has_own_preconditioner(const Examination<Space>& e) {
  return e.failed.M && !e.failed.M->is_identity();
}

template <class Space>
KrylovOptions of_gmres(const Examination<Space>& e) {
  KrylovOptions o = e.longer(2, 200);
  o.restart = std::max(o.restart, 100);
  return o;
}

// Wraps a preconditioner and declares it variable, so that fgmres stores its results.
template <class Space>
class Flexible final : public Preconditioner<Space> {
 public:
  explicit Flexible(const Preconditioner<Space>& M) : Preconditioner<Space>({.is_constant = false}), M_(M) {}
  SetupInfo do_setup(const Matrix<Space>&) override { return {}; }
  void apply(View<const double> r, View<double> z) const override { M_.apply(r, z); }
  std::string describe() const override { return M_.describe(); }

 private:
  const Preconditioner<Space>& M_;
};

template <class Space>
std::optional<Finding> variable_preconditioner(Examination<Space>& e) {
  const std::string& method = e.settings().method;
  if (!has_own_preconditioner(e) || find_krylov(method)->is_flexible) return {};
  const std::vector<double> r = e.random(1), s = e.random(2), z = e.applied(r), again = e.applied(r);
  std::vector<double> sum = r, parts = z;
  const std::vector<double> of_s = e.applied(s);
  for (std::size_t i = 0; i < r.size(); ++i) {
    sum[i] += s[i];
    parts[i] += of_s[i];
  }
  const double repeated = difference(z, again), added = difference(parts, e.applied(sum));
  if (!(repeated > noise) && !(added > of_floats)) return {};
  const Trial t = e.with("fgmres", of_gmres(e), Flexible<Space>(*e.failed.M));
  if (!t.works()) return {};
  Finding f{Cause::variable_preconditioner,
            "the preconditioner is not a constant linear operator, which " + method + " requires"};
  f.measured("|M r - M r again| / |M r|", repeated).measured("|M(r + s) - M r - M s| / |M r + M s|", added);
  f.measured("tried: fgmres with the same preconditioner", outcome(t));
  return f.advising(e.key("method"), "\"fgmres\"");
}

template <class Space>
std::optional<Finding> stale_preconditioner(Examination<Space>& e) {
  if (!has_own_preconditioner(e) || e.failed.age == 0) return {};
  const std::vector<double> r = e.random(1), now = e.applied_new(r);
  if (now.empty()) return {};
  const double drift = difference(now, e.applied(r));
  if (!(drift > of_floats)) return {};
  const SolverSettings& s = e.settings();
  const Trial t = e.with_fresh(s.method, s.preconditioner, s.preconditioner_options);
  if (!t.works()) return {};
  Finding f{Cause::stale_preconditioner, "the preconditioner is stale: the matrix has changed since it was built"};
  f.measured("solves since it was built", std::to_string(e.failed.age));
  f.measured("|M r - M_now r| / |M_now r|", drift);
  f.measured("iterations of this solve", std::to_string(e.result().iterations));
  f.measured("tried: rebuilt", outcome(t));
  return f.advising(e.key("refresh"), "\"always\", or a shorter interval");
}

template <class Space>
std::optional<Finding> cg_on_other_matrices(Examination<Space>& e) {
  const std::string& method = e.settings().method;
  if (!find_krylov(method)->needs_symmetry || !e.rows()) return {};
  const Diagnosis& d = e.diagnosis();
  Finding f;
  const std::vector<double> u = e.random(1), v = e.random(2), Mu = e.applied(u), Mv = e.applied(v);
  const double skew =
      Mu.empty() ? 0 : std::abs(dot(Mu, v) - dot(u, Mv)) / (length(Mu) * length(v) + length(u) * length(Mv));
  const RitzValues ritz =
      !d.is_symmetric() ? RitzValues{} : lanczos_of_symmetric_part(*e.rows(), e.transposed_rows(), 80);
  const double size = std::max(std::abs(ritz.least), std::abs(ritz.most));
  if (!d.is_symmetric()) {
    f.cause = Cause::not_symmetric;
    f.what = "the matrix is not symmetric, but cg requires it";
    f.measured("max |a_ij - a_ji|, relative to the rows' largest entries", d.asymmetry);
  } else if (ritz.least < -1e-10 * size) {
    f.cause = Cause::indefinite;
    f.what = ritz.most > 1e-10 * size ? "the matrix is indefinite, but cg requires a definite one"
                                      : "the matrix is negative definite; for cg multiply A and b by -1";
    f.measured("eigenvalues reach from", three_digits(ritz.least) + " to " + three_digits(ritz.most));
    f.measured("negative diagonal entries", std::to_string(d.negative_diagonal.count));
  } else if (skew > of_floats) {
    f.cause = Cause::preconditioner_not_symmetric;
    f.what = "the matrix is symmetric, but the preconditioner is not; cg requires both";
    f.measured("|(M u, v) - (u, M v)|, relative", skew);
  } else {
    return {};
  }
  Trial t = e.with_own("gmres", of_gmres(e));
  if (!t.works() && f.cause == Cause::preconditioner_not_symmetric) return {};
  if (!t.works()) t = e.of_rows(*e.rows(), e.b(), "gmres", of_gmres(e), "none", Table());
  if (!t.works()) return {};
  f.measured("tried: gmres", outcome(t));
  return f.advising(e.key(f.cause == Cause::preconditioner_not_symmetric ? "preconditioner.type" : "method"),
                    f.cause == Cause::preconditioner_not_symmetric ? "a symmetric one, or method = \"gmres\""
                                                                   : "\"gmres\" or \"bicgstab\"");
}

// Sweeps of (18) converge quickly if the triangular factors are dominant: norms of their Jacobi matrices below one.
template <class Space>
std::optional<Finding> asynchronous_sweeps(Examination<Space>& e) {
  const FactorObservation factors = e.observed_new();
  const double L = largest(factors.dominance_L), U = largest(factors.dominance_U);
  if (!(std::max(L, U) > 1)) return {};
  const Trial t = e.with_fresh(e.settings().method, "block_ilu0", Table());
  if (!t.works()) return {};
  Finding f{Cause::asynchronous_sweeps,
            "the triangular factors are far from diagonally dominant: a few asynchronous sweeps do not converge"};
  f.measured("dominance of L, of U (below 1: sweeps contract)", three_digits(L) + ", " + three_digits(U));
  f.measured("tried: exact factors and solves (block_ilu0)", outcome(t));
  return f.advising(e.key("preconditioner.apply_sweeps"),
                    "more sweeps, smaller CFL or time step, an ordering along the flow, or type = \"block_ilu0\"");
}

template <class Space>
std::optional<Finding> diverging(Examination<Space>& e) {
  const SolveResult& r = e.result();
  const bool grows = r.reason == Reason::not_finite || r.true_residual > 2 * r.residual0;
  if (e.settings().method != "correction" || !grows || !e.failed.M) return {};
  const Trial t = e.with("fgmres", of_gmres(e), *e.failed.M);
  if (!t.works()) return {};
  Finding f{Cause::diverging, "the stationary iteration x += M^-1 (b - A x) diverges"};
  f.measured("|b - A x| at the start", r.residual0).measured("|b - A x| at the end", r.true_residual);
  f.measured("factor per iteration", std::pow(r.true_residual / r.residual0, 1.0 / std::max(r.iterations, 1)));
  f.measured("tried: fgmres with this preconditioner", outcome(t));
  return f.advising(e.key("method"), "\"fgmres\" (or cg, where the matrix is definite), with preconditioner.type = \"" +
                                         e.settings().preconditioner + "\"");
}

template <class Space>
std::optional<Finding> loss_of_orthogonality(Examination<Space>& e) {
  const std::string& method = e.settings().method;
  if (method.find("bicgstab") == std::string::npos && method != "idrs") return {};
  if (e.result().reason == Reason::max_iterations) return {};
  const Trial t = e.with_own("gmres", of_gmres(e));
  if (!t.works()) return {};
  Finding f{Cause::breakdown, method + " broke down: division by a vanishing inner product"};
  f.measured("ended as", to_string(e.result().reason));
  f.measured("iterations before that", std::to_string(e.result().iterations));
  if (e.rows()) {
    std::vector<double> Ab(e.b().size());
    multiply(*e.rows(), e.b(), Ab);
    f.measured("b.A b / (|b| |A b|) (0: its first step is lost)", dot(e.b(), Ab) / (length(e.b()) * length(Ab)));
    f.measured("max |a_ij + a_ji| / max |a| (0: skew)", e.diagnosis().skewness);
  }
  f.measured("tried: gmres", outcome(t));
  return f.advising(e.key("method"), "\"gmres\", or \"bicgstab_l\"");
}

}  // namespace

template <class Space>
std::vector<Rule<Space>> rules_of_methods() {
  return {variable_preconditioner<Space>,
          stale_preconditioner<Space>,
          cg_on_other_matrices<Space>,
          asynchronous_sweeps<Space>,
          diverging<Space>,
          loss_of_orthogonality<Space>};
}
template std::vector<Rule<Host>> rules_of_methods<Host>();
template std::vector<Rule<Device>> rules_of_methods<Device>();

}  // namespace weir
