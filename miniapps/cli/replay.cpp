#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/print.hpp"
#include "inputs/case.hpp"
#include "miniapps/cli/systems.hpp"
#include "miniapps/study/shadow/reference_solver.hpp"
#include "miniapps/study/shadow/statistics.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/linear_solver.hpp"

namespace weir {
namespace {

// A captured system. If the preconditioner was lagged, its matrix values differ from those of the system.
template <class Space>
class CapturedSystem {
 public:
  explicit CapturedSystem(const Capsule& c)
      : capsule_(c), stored_(matrix_of<Space>(c)), b_(c.b), x_(static_cast<std::int64_t>(c.b.size())), r_(x_.size()) {}

  const Matrix<Space>& A() const { return *stored_; }
  // The matrix of the preconditioner, and the matrix of the system.
  const Matrix<Space>& before() {
    if (capsule_.prepared) restore_values(*capsule_.prepared, *stored_);
    return *stored_;
  }
  const Matrix<Space>& now() {
    restore_values(capsule_.A.values, *stored_);
    return *stored_;
  }
  template <class Solver>
  SolveResult solve(Solver& solver) {
    x_.upload(capsule_.x0);
    return solver.solve(A(), b_, x_);
  }
  // |b - A x| / |b|
  double relative_residual() {
    A().residual(b_, x_, r_);
    double r = 0, b = 0;
    for (const double v : r_.to_vector()) r += v * v;
    for (const double v : capsule_.b) b += v * v;
    return b > 0 ? std::sqrt(r / b) : std::sqrt(r);
  }

 private:
  const Capsule& capsule_;
  std::unique_ptr<Matrix<Space>> stored_;
  Array<double, Space> b_, x_, r_;
};

// Repeated solves of one system by one solver, each from the initial guess.
struct Replay {
  std::string solver;
  std::vector<double> setup, solve;  // seconds
  int iterations = 0, least = 0, most = 0;
  SolveResult result;  // of the first solve
  double residual = 0;
  std::string why_not;  // why the method cannot repeat the recorded solve
  std::string refusal;

  void add(const SolveResult& r, double setup_seconds) {
    if (solve.empty()) {
      result = r;
      iterations = least = most = r.iterations;
    }
    least = std::min(least, r.iterations);
    most = std::max(most, r.iterations);
    setup.push_back(setup_seconds);
    solve.push_back(r.solve_seconds);
  }
  std::string counts() const { return least == most ? fmt::format("{}", most) : fmt::format("{}-{}", least, most); }
};

template <class Space>
Replay replay_reference(const Capsule& c, CapturedSystem<Space>& system, int repeat) {
  const CapsuleReference& l = c.reference;
  const Table options = read_case_text(l.options, c.path + ":leader_options");
  Replay replay;
  for (int k = 0; k < repeat; ++k) {
    LinearSolver<Space> solver(options, l.default_method, l.default_preconditioner, l.default_tolerance);
    replay.solver = solver.name();
    replay.why_not = why_not_the_same(options, l.default_method, l.default_tolerance, solver.preconditioner().traits());
    const Matrix<Space>& before = system.before();
    if (l.lifetime.empty())
      solver.setup(before);
    else
      solver.setup(before, Archive(l.lifetime));
    const double setup_seconds = solver.setup_info().seconds;
    system.now();
    replay.add(system.solve(solver), setup_seconds);
  }
  replay.residual = system.relative_residual();
  return replay;
}

template <class Space>
Replay replay_candidate(const Capsule& c, CapturedSystem<Space>& system, const NamedSolver& candidate, int repeat) {
  const CapsuleReference& l = c.reference;
  const Table reference = read_case_text(l.options, c.path + ":leader_options");
  const KrylovOptions test = stopping_test_of(reference, KrylovOptions{l.default_tolerance});
  Replay replay;
  for (int k = 0; k < repeat; ++k) {
    const auto solver = make_any_solver<Space>(candidate.options, l.default_method, l.default_preconditioner, test);
    candidate.options.refuse_unknown();
    replay.solver = candidate.name + " (" + solver->name() + ")";
    try {
      solver->setup(system.now());
      replay.add(system.solve(*solver), solver->setup_info().seconds);
    } catch (const Error& e) {
      replay.refusal = e.what();
      return replay;
    }
  }
  replay.residual = system.relative_residual();
  return replay;
}

enum class Agreement { same, other, not_comparable };

// Compares the reference solver's replay with the recorded iterations.
Agreement compare(const Capsule& c, const Replay& replay, const std::string& space, std::string& text) {
  const auto verdict = [&text](Agreement a, std::string what) {
    text = std::move(what);
    return a;
  };
  if (!c.reference.result) return verdict(Agreement::not_comparable, "no recorded solve");
  const SolveResult& then = *c.reference.result;
  if (c.reference.is_matrix_free)
    return verdict(Agreement::not_comparable,
                   fmt::format("recorded: {}, with a matrix-free operator that is not captured", then.iterations));
  if (c.reference.age > 0 && !c.reference.lifetime.empty() && !c.prepared)
    return verdict(Agreement::not_comparable,
                   fmt::format("recorded: {}, with a lagged preconditioner that is not captured", then.iterations));
  if (replay.iterations == then.iterations && replay.result.reason == then.reason)
    return verdict(Agreement::same, "as recorded");
  const std::string recorded = fmt::format("recorded: {}, {}", then.iterations, to_string(then.reason));
  if (!replay.why_not.empty()) return verdict(Agreement::not_comparable, recorded + ": " + replay.why_not);
  if (c.reference.depends_on_ranks)
    return verdict(Agreement::not_comparable,
                   recorded + fmt::format(", with a preconditioner local to each of {} ranks", c.origin.ranks));
  if (space != c.origin.space) return verdict(Agreement::not_comparable, recorded + " on the " + c.origin.space);
  return verdict(Agreement::other, recorded);
}

std::string short_name(const std::string& path) { return std::filesystem::path(path).stem().string(); }

class Report {
 public:
  explicit Report(const std::vector<std::string>& capsules) {
    for (const std::string& path : capsules) width_ = std::max(width_, short_name(path).size());
    say("{:<{}}  {:<40} {:>10} {:>12} {:>10} {:>10}  {}\n", "capsule", width_, "solver", "iterations", "|b-Ax|/|b|",
        "setup ms", "solve ms", "end");
  }
  void row(const Capsule& c, const Replay& r, const std::string& note) const {
    if (!r.refusal.empty()) {
      say("{:<{}}  {:<40} refused: {}\n", short_name(c.path), width_, r.solver, r.refusal);
    } else {
      say("{:<{}}  {:<40} {:>10} {:>12.3e} {:>10.3f} {:>10.3f}  {}{}\n", short_name(c.path), width_, r.solver,
          r.counts(), r.residual, 1e3 * median(r.setup), 1e3 * median(r.solve), to_string(r.result.reason),
          note.empty() ? "" : ", " + note);
    }
    std::fflush(stdout);
  }

 private:
  std::size_t width_ = 7;
};

struct Tally {
  int same = 0, other = 0, not_comparable = 0;
  bool all_converged = true;
};

template <class Space>
void replay_one(const Capsule& c, int repeat, const std::vector<NamedSolver>& candidates, const Report& report,
                Tally& tally) {
  CapturedSystem<Space> system(c);
  if (candidates.empty()) {
    const Replay replay = replay_reference(c, system, repeat);
    std::string note;
    const Agreement agreement = compare(c, replay, Space::name, note);
    ++(agreement == Agreement::same ? tally.same : agreement == Agreement::other ? tally.other : tally.not_comparable);
    report.row(c, replay, note);
  }
  for (const NamedSolver& candidate : candidates) {
    const Replay replay = replay_candidate(c, system, candidate, repeat);
    tally.all_converged = tally.all_converged && replay.refusal.empty() && replay.result.converged();
    report.row(c, replay, "");
  }
}

// In the memory space of the run, unless another one is given or no device is available.
bool replays_on_device(const std::string& asked, const Capsule& c) {
  if (!asked.empty()) return asked == Device::name;
  return c.origin.space == Device::name && has_device();
}

}  // namespace

int replay_capsules(const Program& program, const ReplayArguments& a) {
  const std::vector<std::string> capsules = captured_systems(a.capsules);
  if (!a.solvers.empty() && !a.output.empty() && a.export_format.empty()) return study_captured(program, a, capsules);
  if (a.warm || a.overwrite || a.threads > 0 || !a.system.empty())
    throw Error(Exit::usage, "--warm, --system, --threads and --overwrite need a study: --solvers FILE -o DIR");
  const std::vector<NamedSolver> candidates = a.solvers.empty() ? std::vector<NamedSolver>() : solvers_of(a.solvers);
  if (!a.export_format.empty()) {
    export_capsules(capsules, a.export_format, a.output);
    return static_cast<int>(Exit::finished);
  }
  for (const std::string& path : capsules)
    say("{}\n", origin_of(read_capsule(path)));  // refuses files that are not capsules before the first solve
  say("\n");
  const Report report(capsules);
  Tally tally;
  for (const std::string& path : capsules) {
    const Capsule c = read_capsule(path);
    if (replays_on_device(a.space, c))
      replay_one<Device>(c, a.repeat, candidates, report, tally);
    else
      replay_one<Host>(c, a.repeat, candidates, report, tally);
  }
  if (candidates.empty()) {
    if (tally.same + tally.other == 0)
      say("\n{} systems solved; there are no recorded solves to compare with", capsules.size());
    else
      say("\n{} of {} captured systems repeat the recorded iterations exactly", tally.same, capsules.size());
    if (tally.not_comparable > 0 && tally.same + tally.other > 0) say("; {} not comparable", tally.not_comparable);
    if (tally.other > 0) say("; {} differ (another compiler, processor or version may round differently)", tally.other);
    say("\n");
  }
  if (tally.other > 0) return static_cast<int>(Exit::check_failed);
  return static_cast<int>(tally.all_converged ? Exit::finished : Exit::solver_failed);
}

}  // namespace weir
