// Limits that cannot be met, and what makes a system slow: scaling, ordering, condition.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "mesh/graph/orderings.hpp"
#include "solvers/diagnosis/examination.hpp"

namespace weir {
namespace {

// A very large x has a large rounding error, whatever the method, its limits and the order of the unknowns.
template <class Space>
bool is_near_singular(Examination<Space>& e) {
  return !(e.attainable() < 1e-4 * e.size_of_b());
}

template <class Space>
std::optional<Finding> tolerance(Examination<Space>& e) {
  const double reached = e.result().true_residual, attainable = e.attainable(), target = e.target();
  if (!(target < attainable) || !(reached < 1000 * attainable) || is_near_singular(e)) return {};
  const double factor = 10 * std::max(attainable, reached) / target;
  KrylovOptions o = e.settings().krylov;
  o.tolerance *= factor;
  if (o.tolerance == 0) {
    o.relative = false;
    o.tolerance = 10 * std::max(attainable, reached);
  }
  const Trial t = e.with_own(e.settings().method, o);
  if (!t.works()) return {};
  Finding f{Cause::tolerance, "the tolerance is below the rounding limit of double precision"};
  f.measured("|b - A x| required", target).measured("|b - A x| reached", reached);
  f.measured("rounding limit, eps | |A| |x| |", attainable);
  f.measured("tried: tolerance = " + three_digits(o.tolerance), outcome(t));
  return f.advising(e.key("tolerance"), three_digits(o.tolerance) + (o.relative ? "" : " with relative = false"));
}

template <class Space>
std::optional<Finding> iterations(Examination<Space>& e, const KrylovOptions& o) {
  if (e.result().reason != Reason::max_iterations) return {};
  const Trial t = e.with_own(e.settings().method, o);
  if (!t.works()) return {};
  const SolveResult& r = e.result();
  Finding f{Cause::too_few_iterations, "the solve was converging and reached its iteration limit"};
  f.measured("iterations allowed", std::to_string(e.settings().krylov.max_iterations));
  f.measured("|b - A x| at the start", r.residual0).measured("|b - A x| at the end", r.true_residual);
  f.measured("|b - A x| required", e.target());
  f.measured("tried again with more", outcome(t));
  const int enough = static_cast<int>(1.5 * t.result.iterations) + 1;
  return f.advising(e.key("max_iterations"), std::to_string(std::max(enough, e.settings().krylov.max_iterations + 1)) +
                                                 ", or a stronger preconditioner");
}
template <class Space>
std::optional<Finding> a_few_more_iterations(Examination<Space>& e) {
  return iterations(e, e.longer(3, 0));
}
template <class Space>
std::optional<Finding> many_more_iterations(Examination<Space>& e) {
  return iterations(e, e.longer(100, 2000));
}

template <class Space>
std::optional<Finding> restart(Examination<Space>& e) {
  const SolverSettings& s = e.settings();
  const int n = static_cast<int>(e.b().size());
  if ((s.method != "gmres" && s.method != "fgmres") || s.krylov.restart >= std::min(n, s.krylov.max_iterations))
    return {};
  KrylovOptions o = s.krylov;
  o.restart = std::min({n, std::max(4 * o.restart, 100), s.krylov.max_iterations});
  const Trial t = e.with_own(s.method, o);
  if (!t.works()) return {};
  Finding f{Cause::restart, s.method + " stalls at its restarts"};
  f.measured("steps before a restart", std::to_string(s.krylov.restart));
  f.measured("|b - A x| at the start", e.result().residual0)
      .measured("... after all iterations", e.result().true_residual);
  f.measured("tried: restart = " + std::to_string(o.restart), outcome(t));
  return f.advising(e.key("restart"), std::to_string(o.restart) + ", or a stronger preconditioner");
}

// D_r A D_c with largest entries of about one; D_r = D_c for symmetric matrices.
struct Equilibrated {
  BlockCsrData rows;
  std::vector<double> b;
};
Equilibrated equilibrated(const BlockCsrData& A, const std::vector<double>& b, bool symmetric) {
  const std::size_t n = b.size();
  std::vector<double> row(n, 0), column(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const auto j = at(A.column[e]);
      const double size = std::abs(A.value[e]);
      row[i] = std::max(row[i], symmetric && i != j ? 0 : size);
    }
  for (double& r : row) r = r > 0 ? 1 / (symmetric ? std::sqrt(r) : r) : 1;
  if (symmetric) {
    column = row;
  } else {
    for (std::size_t i = 0; i < n; ++i)
      for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
        double& c = column[A.column[e]];
        c = std::max(c, row[i] * std::abs(A.value[e]));
      }
    for (double& c : column) c = c > 0 ? 1 / c : 1;
  }
  Equilibrated s{A, b};
  for (std::size_t i = 0; i < n; ++i) {
    s.b[i] *= row[i];
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) s.rows.value[e] *= row[i] * column[A.column[e]];
  }
  return s;
}

template <class Space>
std::optional<Finding> scaling(Examination<Space>& e) {
  if (!e.rows()) return {};
  const Diagnosis& d = e.diagnosis();
  if (std::max(d.row_size.ratio(), d.column_size.ratio()) < 1e4) return {};
  const SolverSettings& s = e.settings();
  const Equilibrated scaled = equilibrated(*e.rows(), e.b(), s.method.find("cg") == s.method.size() - 2);
  Trial t = e.of_rows(scaled.rows, scaled.b);
  if (!t.works()) return {};
  Finding f{Cause::scaling, "rows or columns are badly scaled"};
  f.measured("rows' largest entries", three_digits(d.row_size.least) + " to " + three_digits(d.row_size.most));
  f.measured("columns' largest entries, ratio", d.column_size.ratio());
  f.measured("tried: rows and columns scaled to one", outcome(t));
  const Trial jacobi = s.preconditioner == "none" ? e.with_fresh(s.method, "jacobi", Table()) : Trial{};
  return f.advising(e.key("preconditioner.type"),
                    jacobi.works()
                        ? "\"jacobi\", which scales the equations (tried: " + outcome(jacobi) + ")"
                        : "scale the equations: use units in which variables and residuals are of order one");
}

template <class Space>
std::optional<Finding> ordering(Examination<Space>& e) {
  if (e.settings().preconditioner.find("ilu") == std::string::npos || !e.rows() || is_near_singular(e)) return {};
  const Order order = reverse_cuthill_mckee(graph_of_pattern(*e.rows(), e.transposed_rows()));
  std::vector<double> b;
  for (const int i : order) b.push_back(e.b()[i]);
  const Trial t = e.of_rows(permuted(*e.rows(), order), b);
  if (!t.works() || e.of_rows(*e.rows(), e.b()).works()) return {};
  const Diagnosis& d = e.diagnosis();
  Finding f{Cause::ordering, "the incomplete factorisation is poor in this ordering of the unknowns"};
  f.measured("bandwidth", std::to_string(std::max(d.lower_bandwidth, d.upper_bandwidth)));
  f.measured("bandwidth after reverse Cuthill-McKee", std::to_string(d.rcm_bandwidth));
  f.measured("smallest pivot relative to its row, in this ordering",
             e.pivots().bad_row >= 0 ? 0.0 : e.pivots().least_ratio);
  f.measured("tried: in that ordering", outcome(t));
  return f.advising("ordering.type", "\"rcm\"");
}

// The last rule: no change of limits has helped. A right-hand side A z, which has a solution, distinguishes a
// singular matrix from a slow solve.
template <class Space>
std::optional<Finding> ill_conditioned(Examination<Space>& e) {
  if (!e.rows()) return {};
  const RitzValues r = lanczos_of_squares(*e.rows(), e.transposed_rows(), 80);
  const double least = std::sqrt(std::max(r.least, 0.0)), most = std::sqrt(r.most);
  std::vector<double> b(e.b().size());
  multiply(*e.rows(), e.random(3), b);
  // A refused matrix was never solved with.
  const Trial t = e.was_refused() ? Trial() : e.of_rows(*e.rows(), b);
  constexpr double trusted = 1e7;  // of squares: rounding hides anything beyond 1e8
  const bool is_singular = most > trusted * least || e.is_left_null_space();
  if (!t.works() && !is_singular) return {};
  if (!is_singular) {
    Finding f{Cause::ill_conditioned, "the solve stalls on this right-hand side; the matrix is regular"};
    f.measured("singular values seen", three_digits(least) + " to " + three_digits(most));
    f.measured("tried with another right-hand side", outcome(t));
    return f.advising(e.key("preconditioner.type"),
                      "a stronger one; in a flow a smaller step ([pseudo_time] cfl_max, or time.dt), which makes the "
                      "matrix more diagonal");
  }
  Finding f{Cause::ill_conditioned, "the matrix is singular to working precision, or nearly so"};
  f.measured("singular values seen", three_digits(least) + " to " + three_digits(most));
  if (t.works()) f.measured("tried with a right-hand side that has a solution", outcome(t));
  return f.advising("boundary",
                    "look for a missing or duplicate equation (weir doctor shows the null vector); if the matrix is "
                    "right, weir solve --extended keeps x in double-double precision");
}

}  // namespace

template <class Space>
std::vector<Rule<Space>> rules_of_limits() {
  return {tolerance<Space>, a_few_more_iterations<Space>, restart<Space>,        scaling<Space>,
          ordering<Space>,  many_more_iterations<Space>,  ill_conditioned<Space>};
}
template std::vector<Rule<Host>> rules_of_limits<Host>();
template std::vector<Rule<Device>> rules_of_limits<Device>();

}  // namespace weir
