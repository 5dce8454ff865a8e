// Keys common to all methods.
#include "solvers/krylov/krylov.hpp"

#include <filesystem>

#include "base/find_file.hpp"
#include "solvers/krylov/initial_guess.hpp"
#include "solvers/registry.hpp"

namespace weir {

void SolveResult::add_first_attempt(const SolveResult& first, double setup_seconds) {
  iterations += first.iterations;
  for (const auto part : {&SolveResult::apply_seconds, &SolveResult::spmv_seconds, &SolveResult::reduce_seconds,
                          &SolveResult::solve_seconds, &SolveResult::halo_seconds, &SolveResult::transfer_bytes})
    if (first.*part >= 0) this->*part += first.*part;
  solve_seconds += setup_seconds;
}

const char* to_string(Reason reason) {
  constexpr const char* names[] = {"converged", "max_iterations", "breakdown",
                                   "stagnated", "not_finite",     "interrupted"};
  return names[static_cast<int>(reason)];
}

namespace {

constexpr Option common_keys[] = {
    {"method", Option::text, "depends on the system",
     "Krylov method, or a preconditioner used as the solver itself, x += M^-1 (b - A x); LIBRARY:OPTIONS: a solver of "
     "another library (hypre:cg+boomeramg); auto: choice during the run ([select]) among the default of the miniapp "
     "and the candidates listed by `weir list auto`"},
    {"preconditioner", Option::table, "depends on the system",
     "preconditioner, a table with `type` and the keys of that type", "preconditioner"},
    {"tolerance", Option::number, "depends on the system", "tolerance of the residual b - A x", "[0, inf)", "", "",
     forcing_options},
    {"tolerance", Option::text, "depends on the system",
     "rule that computes the tolerance of `flow` systems from the reduction of the nonlinear residual; a table sets "
     "its parameters",
     "eisenstat_walker"},
    {"relative", Option::boolean, "true", "switch for a tolerance relative to `reference`; false: absolute tolerance"},
    {"reference", Option::text, "rhs", "norm to which a relative tolerance refers; rhs: |b|; initial: |b - A x0|",
     "rhs | initial"},
    {"norm", Option::text, "l2", "norm of the residual in the convergence test", "l2 | max"},
    {"max_iterations", Option::integer, "1000",
     "largest number of iterations per solve; a solve that is repeated with a rebuilt preconditioner may take up to "
     "twice this number",
     "[0, inf)"},
    {"initial_guess", Option::text, "previous",
     "initial guess of a solve; previous: the previous solution; zero: a zero vector; extrapolation:K: polynomial of "
     "degree K in time through earlier solutions; projection:K: best approximation in the span of the last K "
     "solutions"},
    {"restart", Option::integer, "30", "restart length of gmres and fgmres", "[1, inf)"},
    {"basis_storage", Option::text, "depends on the method: float for refinement, else double",
     "storage of the basis vectors of gmres and fgmres", "double | float", "", "basis, single=float"},
    {"refresh", Option::text, "always",
     "rule for rebuilding the preconditioner; always: at every matrix; every:K: every K matrices; adaptive: as soon as "
     "the additional iterations cost more than a rebuild; adaptive:COST: the same with the cost of a rebuild in "
     "iterations; adaptive:measured: the same with measured times"}};

void read_own_options(const Table& t, const std::string& method, KrylovOptions& o) {
  const KrylovDescription* d = find_krylov(method);
  if (d && d->read) d->read(t.described_by(d->options), o);
}

void read_sizes(const Table& t, const std::string& method, KrylovOptions& o) {
  o.restart = t.get<int>("restart", o.restart);
  o.basis = t.get<std::string>("basis_storage", method == "refinement" ? "float" : o.basis);
  read_own_options(t, method, o);
}

const std::string plugin_prefix = "plugin:";

// Label of a plugin: the file name without its extension.
std::string label_of(const std::string& type, const Table& options) {
  const std::string file = type == "plugin"   ? options.get<std::string>("library", "")
                           : type == "python" ? options.get<std::string>("module", "")
                                              : "";
  return file.empty() ? type : type + ":" + std::filesystem::path(file).stem().string();
}

// method = "plugin:./libmine.so": the library becomes an option of `preconditioner`.
SolverNames named_plugin(const Table& t, SolverNames names) {
  names.options = t.table("preconditioner");
  find_file(t, "method", "library", plugin_prefix);
  names.method = t.get<std::string>("method");
  names.preconditioner = "plugin";
  const std::string library = names.method.substr(plugin_prefix.size());
  if (names.options.get<std::string>("library", library) != library ||
      names.options.get<std::string>("type", "plugin") != "plugin")
    names.options.fail("library", "`method` already names a library: remove `type` and `library` here");
  names.options.put("library", library);
  names.label = label_of("plugin", names.options);
  return names;
}

// method = "petsc:-ksp_type gmres -pc_type ilu". A table `preconditioner` of the case is replaced by { type = "none" }.
SolverNames named_library_solver(const Table& t, SolverNames names) {
  names.options = t.table("preconditioner");
  if (names.options.get<std::string>("type", "none") != "none")
    names.options.fail(
        "type",
        "'" + names.method + "' names its preconditioner itself: remove `preconditioner`, or use type = \"none\"");
  names.is_library = true;
  names.preconditioner = names.label = names.method;
  return names;
}

}  // namespace

Options linear_solver_options() { return common_keys; }

KrylovOptions read_krylov_options(const Table& options, const KrylovOptions& defaults, const std::string& method) {
  const Table t = options.described_by(common_keys);
  KrylovOptions o = defaults;
  if (ForcingRule::is_given(t)) {
    o.forcing_rule = ForcingRule(options);
  } else {
    o.tolerance = t.get<double>("tolerance", o.tolerance);
    if (t.has("tolerance")) o.forcing = {}, o.forcing_rule = {};
  }
  o.relative = t.get<bool>("relative", o.relative);
  o.reference = t.get<std::string>("reference", o.reference);
  o.norm = t.get<std::string>("norm", o.norm == Norm::max ? "max" : "l2") == "max" ? Norm::max : Norm::l2;
  o.max_iterations = t.get<int>("max_iterations", o.max_iterations);
  read_sizes(t, method, o);
  return o;
}

std::string describe(const std::string& method, const KrylovOptions& o) {
  const KrylovDescription* d = find_krylov(method);
  return d && d->label ? d->label(o) : method;
}

SolverNames read_solver_names(const Table& given, const std::string& default_method,
                              const std::string& default_preconditioner) {
  const Table t = given.described_by(common_keys);
  SolverNames names;
  names.method = t.get<std::string>("method", default_method);
  if (names.method == "auto") names.method = default_method;  // candidates are handled by [select]
  const KrylovDescription* d = find_krylov(names.method);
  names.is_itself = !d;
  if (names.method.starts_with(plugin_prefix)) return named_plugin(t, names);
  if (is_library_solver(names.method)) return named_library_solver(t, names);
  if (!d && (!find_preconditioner(names.method) || names.method == "none")) {
    std::string known;
    for (const auto* k : krylov_methods()) known += std::string(k->name) + ", ";
    known += "or a preconditioner as the solver itself:";
    for (const auto* p : preconditioners())
      if (p->name != "none") known += " " + std::string(p->name);
    if (library_solvers.knows) known += ", or a solver of another library: \"petsc:...\", \"hypre:...\"";
    t.fail("method", "unknown method '" + names.method + "'; known: " + known);
  }
  names.options = t.table("preconditioner");
  names.preconditioner = names.options.get<std::string>("type", names.is_itself           ? names.method
                                                                : d->takes_preconditioner ? default_preconditioner
                                                                                          : "none");
  const std::string& type = names.preconditioner;
  if (d && !d->takes_preconditioner && type != "none")
    names.options.fail("type", names.method + " takes no preconditioner");
  if (names.is_itself && type != names.method)
    names.options.fail("type", "method = \"" + names.method + "\" is itself the solver; preconditioning it with '" +
                                   type + "' is not possible (remove `type`, or choose a Krylov method)");
  names.label = names.is_itself || type == "none" ? names.method : names.method + "+" + label_of(type, names.options);
  return names;
}

double linear_solver_bytes(const Table& options, const std::string& default_method,
                           const std::string& default_preconditioner, const MatrixSize& A) {
  const SolverNames names = read_solver_names(options, default_method, default_preconditioner);
  KrylovOptions o;
  read_sizes(options.described_by(common_keys), names.method, o);
  const double vectors = names.is_itself ? krylov::correction.vectors(o) : find_krylov(names.method)->vectors(o);
  const double own = names.is_library ? 2 * A.csr_bytes()  // the rows, and the library's copy
                                      : preconditioner_bytes(names.preconditioner, names.options, A);
  return 8 * (vectors + GuessRule(options, names.method).vectors()) * A.unknowns() + own;
}

}  // namespace weir
