// Iterative refinement (Wilkinson 1963; Carson & Higham 2018): residual and x in double, the correction from an inner
// solve of low accuracy, which may store its vectors and its preconditioner as floats.
//  r = b - A x,   A d = r  to inner_tolerance,   x += d
// inner_matrix_storage = "float": the inner solve multiplies with A rounded to floats (block CSR only): two thirds to
// half of the bytes of a product for half of the memory of A more, rounded at each solve. The residual is that of A. An
// iteration is one refinement, i.e. one inner solve of at most inner_iterations iterations. A refinement that does not
// lower the residual is not added and ends the solve.
#include <cstdio>
#include <optional>

#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr int idle_refinements =
    5;  // consecutive refinements that change the residual by less than stagnation_progress

KrylovOptions inner_options(const KrylovOptions& outer) {
  if (outer.inner == "refinement") throw Error(Exit::usage, "refinement cannot be its own inner method");
  KrylovOptions o = outer;
  o.tolerance = outer.inner_tolerance;
  o.forcing = {};
  o.relative = true;
  o.reference = "rhs";
  o.max_iterations = outer.inner_iterations;
  o.history = false;
  return o;
}

}  // namespace

template <class Space>
class Refinement : public Krylov<Space> {
 public:
  explicit Refinement(const KrylovOptions& options)
      : options_(options), inner_(make_krylov<Space>(options.inner, inner_options(options))) {}
  const char* name() const override { return "refinement"; }
  bool remembers() const override { return inner_->remembers(); }
  void state(Archive& a) override { inner_->state(a); }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    fit(r_, A.size());
    fit(d_, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    const View<double> r = r_, d = d_;
    it.start(r);
    const Matrix<Space>& inner_A = it.running() ? inner_matrix(A) : A;
    double norm = it.norm();
    for (int idle = 0; it.running();) {
      it.update([&] { fill<Space>(0, d); });
      const SolveResult inner = inner_->solve(inner_A, M, r, d);
      it.add_seconds(inner);
      const bool lowered = inner.reason != Reason::not_finite && inner.true_residual < inner.residual0;
      if (!lowered) {
        const bool failed = inner.reason == Reason::not_finite || inner.reason == Reason::breakdown ||
                            inner.reason == Reason::interrupted;
        it.stop(failed ? inner.reason : Reason::stagnated);
        it.judge(norm);
        break;
      }
      it.update([&] { axpy<Space>(1, d, x); });
      const double before = norm;
      norm = it.true_residual(r);
      const bool goes_on = it.step(norm);
      idle = norm < stagnation_progress * before ? 0 : idle + 1;
      if (goes_on && idle == idle_refinements) it.stop(Reason::stagnated);
      if (!goes_on || idle == idle_refinements) it.judge(norm);
    }
    return it.finish();
  }

 private:
  const Matrix<Space>& inner_matrix(const Matrix<Space>& A) {
    if (options_.inner_matrix == "double") return A;
    const auto* csr = dynamic_cast<const BlockCsr<Space>*>(&A);
    if (!csr) throw Error(Exit::usage, "refinement: inner_matrix_storage = \"float\" requires a matrix in block CSR");
    if (rounded_ && rounded_->pattern() == csr->pattern())
      rounded_->round(csr->view().value);
    else
      rounded_.emplace(*csr);
    return *rounded_;
  }

  KrylovOptions options_;
  std::unique_ptr<Krylov<Space>> inner_;
  std::optional<RoundedCsr<Space>> rounded_;  // rounded matrix of the last solve
  Array<double, Space> r_, d_;
};

constexpr Option refinement_keys[] = {
    {"inner", Option::text, "gmres", "method of the inner solves, whose keys are given in the same table",
     "gmres | fgmres | bicgstab | bicgstab_l | idrs | cg"},
    {"inner_tolerance", Option::number, "1e-4", "relative tolerance of the inner solves", "(0, 1)"},
    {"inner_iterations", Option::integer, "30", "largest number of iterations per inner solve", "[1, 1000000]"},
    {"inner_matrix_storage", Option::text, "double", "storage of the matrix of the inner solves", "double | float", "",
     "inner_matrix, single=float"}};

static void read_refinement(const Table& t, KrylovOptions& o) {
  o.inner = t.get<std::string>("inner");
  o.inner_tolerance = t.get<double>("inner_tolerance");
  o.inner_iterations = t.get<int>("inner_iterations");
  o.inner_matrix = t.get<std::string>("inner_matrix_storage");
  const KrylovDescription* inner = find_krylov(o.inner);
  if (inner->read) inner->read(t.described_by(inner->options), o);
}

static std::string refinement_label(const KrylovOptions& o) {
  char tolerance[32];
  std::snprintf(tolerance, sizeof tolerance, "%g", o.inner_tolerance);
  return "refinement by " + describe(o.inner, o) +
         (o.inner_matrix == "float" ? " with A in single precision to " : " to ") + tolerance;
}

constexpr KrylovDescription krylov::refinement{
    .name = "refinement",
    .meaning = "iterative refinement: residuals in double precision, corrections by an inner method",
    .citation = "Wilkinson 1963; Carson & Higham 2018",
    .options = refinement_keys,
    .read = read_refinement,
    .vectors = [](const KrylovOptions& o) { return 2 + find_krylov(o.inner)->vectors(o); },
    .label = refinement_label,
    .make_host = make_method<Refinement, Host>,
    .make_device = make_method<Refinement, Device>};

// Stationary iteration  x += M^-1 (b - A x): the preconditioner as the solver itself. The residual is the true one in
// every iteration. A direct solver as M needs one iteration without the initial residual: x = M^-1 b; if M returns NaN
// or Inf, so does x.
template <class Space>
class Correction : public Krylov<Space> {
 public:
  explicit Correction(const KrylovOptions& options) : options_(options) {}
  const char* name() const override { return "correction"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    fit(r_, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    const View<double> r = r_;
    const bool direct = is_direct(M);
    direct ? it.start_at_zero(r) : it.start(r);
    for (bool is_first = direct; it.running(); is_first = false) {
      if (is_first)
        it.precondition(b, x);
      else
        correct(it, x);
      double norm = is_first ? it.whole_residual(r) : it.true_residual(r);
      if (is_first && !(norm <= it.target())) norm = it.true_residual(r);
      if (!it.step(norm)) it.judge(norm);
    }
    return it.finish();
  }

 private:
  bool is_direct(const Preconditioner<Space>& M) const {
    return M.traits().is_exact && options_.relative && options_.reference == "rhs";
  }
  void correct(Iteration<Space>& it, View<double> x) {
    fit(z_, r_.size());
    const View<double> z = z_;
    it.precondition(r_, z);
    it.update([&] { axpy<Space>(1, z, x); });
  }

  KrylovOptions options_;
  Array<double, Space> r_, z_;
};

constexpr KrylovDescription krylov::correction{
    .name = "correction",
    .meaning = "Richardson iteration x += M^-1 (b - A x); used when a preconditioner is given as `method`",
    .citation = "Richardson 1911",
    .options = {},
    .is_flexible = true,
    .vectors = [](const KrylovOptions&) { return 2.0; },
    .make_host = make_method<Correction, Host>,
    .make_device = make_method<Correction, Device>};

}  // namespace weir
