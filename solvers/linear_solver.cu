#include "solvers/linear_solver.hpp"

#include <cmath>
#include <cstdio>

#include "solvers/device/vector_ops.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/krylov/scaled_solve.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_library_solver(const std::string& method, const Table& options,
                                                           const KrylovOptions& krylov) {
  if constexpr (std::is_same_v<Space, Host>)
    return library_solvers.make_host(method, options, krylov);
  else
    return library_solvers.make_device(method, options, krylov);
}

}  // namespace

template <class Space>
LinearSolver<Space>::LinearSolver(const Table& given, const std::string& default_method,
                                  const std::string& default_preconditioner, const KrylovOptions& defaults) {
  const Table options = given.described_by(linear_solver_options());
  const SolverNames names = read_solver_names(given, default_method, default_preconditioner);
  const std::string& type = names.preconditioner;
  method_ = names.method;
  options_ = read_krylov_options(given, defaults, method_);
  if (!options_.forcing) options_.forcing = (forcing_ = ForcingTerm(options_.forcing_rule)).shared();
  options_.should_stop = std::make_shared<std::function<bool()>>();
  options_.exact_sums = std::make_shared<bool>(false);
  GuessRule guess(given, method_);
  guess.exact_sums = options_.exact_sums;
  guess_ = InitialGuess<Space>(guess);
  preconditioner_ = names.is_library ? make_library_solver<Space>(method_, given, options_)
                                     : make_preconditioner<Space>(type, names.options);
  refresh_policy_ = RefreshPolicy(given, type);
  const std::string& applied_by = method_ == "refinement" ? options_.inner : method_;
  if (!names.is_itself && find_krylov(applied_by)->needs_symmetric_preconditioner) preconditioner_->prefer_symmetry();
  if (!preconditioner_->is_constant() && !names.is_itself && !find_krylov(applied_by)->is_flexible)
    options.fail("method", "the preconditioner '" + type + "' is not a constant operator: " + applied_by +
                               " cannot use it; use fgmres");
  if (preconditioner_->traits().is_method_alone && !names.is_itself)
    names.options.fail(type == "plugin" ? "library" : "type", preconditioner_->describe() +
                                                                  " is a method, not a preconditioner: method = \"" +
                                                                  (type == "plugin" ? "plugin:..." : type) + "\"");
  if (names.is_itself) krylov_ = preconditioner_->own_method(options_);
  has_own_method_ = bool(krylov_);
  if (!krylov_) krylov_ = make_krylov<Space>(names.is_itself ? "correction" : method_, options_);
  name_ = names.label;
  made_from_ = Archive::hash(name_ + "\n" + given.effective());
}

template <class Space>
void LinearSolver<Space>::refuse_ranks_of_own_method() const {
  if (has_own_method_ && !preconditioner_->works_over_ranks())
    throw Error(Exit::usage, name_ + " as the method runs on one rank only");
}

template <class Space>
void LinearSolver<Space>::spread_over_ranks(const Matrix<Space>* A) {
  refuse_ranks_of_own_method();
  over_ranks_ = OverRanks::spread;
  spread_for_ = A;
  if (A && preconditioner_->spreads_over(*A)) return;
  if (!preconditioner_->works_over_ranks()) preconditioner_ = make_gathered<Space>(name_, std::move(preconditioner_));
}

template <class Space>
void LinearSolver<Space>::precondition_each_rank() {
  refuse_ranks_of_own_method();
  over_ranks_ = OverRanks::each_rank;
  if (!preconditioner_->works_over_ranks() && !preconditioner_->is_identity())
    preconditioner_ = make_additive_schwarz<Space>(0, std::move(preconditioner_));
}

template <class Space>
void LinearSolver<Space>::spread_like(const LinearSolver& other) {
  if (other.over_ranks_ == OverRanks::spread) spread_over_ranks(other.spread_for_);
  if (other.over_ranks_ == OverRanks::each_rank) precondition_each_rank();
}

template <class Space>
bool LinearSolver<Space>::is_independent_of_ranks() const {
  return !preconditioner_->traits().depends_on_partition;
}

template <class Space>
void LinearSolver<Space>::prepare(const Matrix<Space>& A, Step step) {
  const auto make = [&] {
    const Matrix<Space>& from = wide_.taken_by(*preconditioner_, A);
    try {
      info_ = step == Step::setup    ? preconditioner_->setup(from)
              : step == Step::update ? preconditioner_->update(from)
                                     : restore_preconditioner(from);
    } catch (const RowError& error) {
      const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
      if (!spread) throw;
      throw error.with_name(spread->row_name(error.row()));
    }
  };
  // On several ranks the number of polls would differ between ranks. A restart must be complete.
  const bool may_stop = step != Step::restore && (!A.ranks() || A.ranks()->size() == 1);
  preconditioner_->stop_when(may_stop ? options_.should_stop : nullptr);
  if (!is_whole() && step == Step::update) step = Step::setup;
  setup_was_stopped_ = false;
  setup_failure_ = nullptr;
  // Set-ups that exchange messages agree on errors by themselves.
  const bool is_silent = preconditioner_->works_over_ranks() && !preconditioner_->traits().talks_in_setup;
  try {
    if (A.ranks() && is_silent)
      all_or_none(*A.ranks(), make);
    else
      make();
  } catch (const SetupStopped&) {
    setup_was_stopped_ = true;
    info_ = {};
  } catch (const Error& error) {
    const bool all_have = !A.ranks() || A.ranks()->size() == 1 || dynamic_cast<const AgreedError*>(&error);
    if (step == Step::restore || !accepts_failed_setup(A, error, all_have)) throw;
    setup_failure_ = std::current_exception();
    info_ = {};
  }
  preconditioner_->stop_when(nullptr);  // a later set-up for a measurement is not cancelled
}

template <class Space>
void LinearSolver<Space>::setup(const Matrix<Space>& A) {
  guess_.matrix_may_be_new();
  if (kept_) {
    restore_loaded(A);
    rebuild(A);
  } else {
    prepare(A, Step::setup);
    refresh_policy_.renewed(info_.seconds, false);
    prepared_from_ = &A;
    allocate_start(A);
  }
}

template <class Space>
void LinearSolver<Space>::setup(const Matrix<Space>& A, Archive refresh_state) {
  setup(A);
  refresh_policy_.state(refresh_state);
  allocate_start(A);
  refresh_state.end();
}

template <class Space>
void LinearSolver<Space>::allocate_start(const Matrix<Space>& A) {
  const bool may_try_again = keeps_start_ || !refresh_policy_.is_always() || refresh_policy_.age() > 0;
  if (may_try_again && start_.size() != A.size()) start_ = Array<double, Space>(A.size());
}

template <class Space>
void LinearSolver<Space>::rebuild(const Matrix<Space>& A) {
  prepare(A, Step::update);
  refresh_policy_.renewed(info_.seconds, true);
}

template <class Space>
void LinearSolver<Space>::update(const Matrix<Space>& A) {
  guess_.matrix_may_be_new();
  prepared_from_ = &A;
  if (refresh_policy_.is_due() || !is_whole()) {
    rebuild(A);
  } else {
    refresh_policy_.kept();
    info_.seconds = 0;
  }
}

template <class Space>
bool LinearSolver<Space>::remembers() const {
  return !refresh_policy_.is_always() || krylov_->remembers() || guess_.remembers() || forcing_.is_adaptive() ||
         preconditioner_->traits().remembers;
}

template <class Space>
void LinearSolver<Space>::save(Archive& to) {
  to.number("made_from", made_from_);
  refresh_policy_.state(to);
  krylov_->state(to);
  guess_.state(to);
  forcing_.state(to);
  bool is_prepared = is_set_up() && is_whole();
  to.number("is_prepared", is_prepared);
  if (is_prepared) preconditioner_->save(to);
}

template <class Space>
bool LinearSolver<Space>::load(Archive from) {
  std::uint32_t made_from = 0;
  from.number("made_from", made_from);
  if (made_from != made_from_) return false;
  refresh_policy_.state(from);
  krylov_->state(from);
  guess_.state(from);
  forcing_.state(from);
  guess_.matrix_may_be_new();
  bool was_prepared = false;
  from.number("is_prepared", was_prepared);
  if (!was_prepared) return true;
  kept_ = std::move(from);
  if (is_set_up()) restore_loaded(*prepared_from_);
  return true;
}

template <class Space>
void LinearSolver<Space>::resume(const Matrix<Space>& A) {
  kept_ ? restore_loaded(A) : LinearSolver::setup(A);
}

template <class Space>
void LinearSolver<Space>::restore_loaded(const Matrix<Space>& A) {
  prepare(A, Step::restore);
  kept_.reset();
  prepared_from_ = &A;
  allocate_start(A);
}

template <class Space>
SetupInfo LinearSolver<Space>::restore_preconditioner(const Matrix<Space>& A) {
  preconditioner_->restore(A, *kept_);
  kept_->end();
  return {};
}

template <class Space>
SolveResult LinearSolver<Space>::solve(const Matrix<Space>& A, View<const double> b, View<double> x) {
  if (setup_was_stopped_) return {.reason = Reason::interrupted};
  guess_.choose(A, b, x);
  SolveResult result = solve_from_guess(A, b, x);
  if (result.reason == Reason::interrupted) return result;
  complete(A, x, result);
  refuse_failed_call(A, b, result);
  return result;
}

template <class Space>
SolveResult LinearSolver<Space>::iterate(const Matrix<Space>& A, View<const double> b, View<double> x) {
  const auto solve_by_krylov = [&](View<const double> rhs, View<double> solution) {
    const Region region("linear solve", nullptr);
    return krylov_->solve(A, *preconditioner_, rhs, solution);
  };
  return options_.relative ? solve_scaled<Space>(A, b, x, solve_by_krylov) : solve_by_krylov(b, x);
}

// If the first attempt fails with a lagged preconditioner, a second one uses an updated preconditioner.
template <class Space>
SolveResult LinearSolver<Space>::solve_from_guess(const Matrix<Space>& A, View<const double> b, View<double> x) {
  if (keeps_start_ || refresh_policy_.age() > 0) assign<Space>(x, start_);
  const SolveResult result = iterate(A, b, x);
  if (refresh_policy_.blames_age(result)) return try_again(result, A, b, x);
  refresh_policy_.solved(result);
  return result;
}

template <class Space>
void LinearSolver<Space>::complete(const Matrix<Space>& A, View<double> x, SolveResult& result) {
  result.tolerance = options_.tolerance_now();
  result.tolerance_reason = forcing_.reason();
  guess_.learn(A, x, result);
}

// NaN caused by a failed call of a plugin or client is an error of that call, not of the numbers.
template <class Space>
void LinearSolver<Space>::refuse_failed_call(const Matrix<Space>& A, View<const double> b,
                                             const SolveResult& result) const {
  if (result.reason != Reason::not_finite) return;
  const auto look = [&] {
    if (!std::isfinite(max_norm<Space>(b))) return;
    if (const std::string words = preconditioner_->complaint(b); !words.empty())
      throw Error(Exit::solver_failed, words);
  };
  A.ranks() ? all_or_none(*A.ranks(), look) : look();
}

// The record contains both attempts and the update between them.
template <class Space>
SolveResult LinearSolver<Space>::try_again(const SolveResult& first, const Matrix<Space>& A, View<const double> b,
                                           View<double> x) {
  refresh_policy_.wasted(first);
  rebuild(*prepared_from_);
  if (setup_was_stopped_) return {.reason = Reason::interrupted};
  if (setup_failure_) return first;
  assign<Space>(start_, x);
  SolveResult result = iterate(A, b, x);
  refresh_policy_.solved(result);
  result.add_first_attempt(first, info_.seconds);
  return result;
}

template <class Space>
std::string LinearSolver<Space>::describe() const {
  char tolerance[64];
  const char* norm = options_.norm == Norm::max ? "max norm" : "l2 norm";
  const char* reference =
      !options_.relative ? "absolute" : (options_.reference == "rhs" ? "relative to |b|" : "relative to |b - A x0|");
  if (options_.forcing)
    std::snprintf(tolerance, sizeof tolerance, "Eisenstat-Walker tolerance %s", reference);
  else
    std::snprintf(tolerance, sizeof tolerance, "%g %s", options_.tolerance, reference);
  const bool itself = !find_krylov(method_);
  std::string text = itself ? "" : weir::describe(method_, options_);
  if (itself || !preconditioner_->is_identity()) text += (itself ? "" : " + ") + preconditioner_->describe();
  const bool has_parts =
      spread_for_ && !preconditioner_->works_over_ranks() && preconditioner_->spreads_over(*spread_for_);
  if (has_parts) text += ", distributed over all ranks";
  return text + ", " + tolerance + " in the " + norm + guess_.rule().describe();
}

template class LinearSolver<Host>;
template class LinearSolver<Device>;

}  // namespace weir
