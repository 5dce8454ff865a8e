#include "solvers/diagnosis/failed_solve.hpp"

#include "solvers/diagnosis/examination.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

template <class Space>
Finding nothing_found(Examination<Space>& e) {
  if (e.was_refused()) {
    Finding f{Cause::refused, e.failed.refusal};
    return f.advising(e.key("method") + ", " + e.key("preconditioner.type"),
                      "a method and a preconditioner that support this matrix");
  }
  const SolveResult& r = e.result();
  Finding f;
  f.what = "the solve failed and no rule explains it: none of the changes that were tried makes it converge";
  f.measured("ended as", to_string(r.reason));
  f.measured("iterations", std::to_string(r.iterations));
  f.measured("|b - A x| at the start", r.residual0).measured("|b - A x| at the end", r.true_residual);
  return f.advising(e.key("method"), "examine the captured system: weir doctor, weir replay");
}

}  // namespace

SolverSettings read_solver_settings(const std::string& table, const Table& options, const std::string& default_method,
                                    const std::string& default_preconditioner, const KrylovOptions& defaults) {
  SolverSettings s;
  s.table = table;
  const SolverNames names = read_solver_names(options, default_method, default_preconditioner);
  s.method = names.is_itself ? "correction" : names.method;
  s.krylov = read_krylov_options(options, defaults, names.method);
  s.preconditioner = names.preconditioner;
  s.preconditioner_options = names.options;
  return s;
}

template <class Space>
Finding examine(const FailedSolve<Space>& failed) {
  Examination<Space> examination(failed);
  for (const auto& rules : {rules_of_numbers<Space>(), rules_of_methods<Space>(), rules_of_limits<Space>()})
    for (const Rule<Space> rule : rules)
      if (std::optional<Finding> found = rule(examination)) return std::move(*found);
  return nothing_found(examination);
}

template Finding examine(const FailedSolve<Host>&);
template Finding examine(const FailedSolve<Device>&);

}  // namespace weir
