#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <type_traits>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/print.hpp"
#include "base/table_option.hpp"
#include "inputs/case.hpp"
#include "miniapps/cli/sequence_table.hpp"
#include "miniapps/cli/systems.hpp"
#include "miniapps/study/recorder/flight_text.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/adapters/extended.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/diagnosis/failed_solve.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/facts.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

// Solvers of other libraries in the default list, if this build has them.
const std::vector<std::string> general_peers = {"petsc:-ksp_type gmres -pc_type ilu", "hypre:bicgstab+ilu",
                                                "eigen:bicgstab+ilut"};
const std::vector<std::string> symmetric_peers = {"petsc:-ksp_type cg -pc_type icc", "hypre:cg+boomeramg"};
constexpr double tolerance_of_corrections = 1e-5;  // with --extended, the refinement does the rest
constexpr int rows_for_a_direct_solver = 100000;   // unknown fill-in

std::vector<std::string> default_solvers(const BlockCsrData& A) {
  // One of each family, cheap ones first.
  std::vector<std::string> symmetric_list, general_list;
  for (const PreconditionerDescription* d : preconditioners()) {
    const std::vector<std::string> methods = words_of(d->tried_with);
    for (const std::string& method : methods) general_list.push_back(method + "+" + std::string(d->name));
    if (!methods.empty() && d->make_host(Table())->traits().keeps_symmetry)
      symmetric_list.push_back("cg+" + std::string(d->name));
  }
  const bool may_use_cg = A.symmetric && has_positive_diagonal(A);
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& list) { names.insert(names.end(), list.begin(), list.end()); };
  if (may_use_cg) add(symmetric_list);
  add(general_list);
  if (may_use_cg) add(symmetric_peers);
  add(general_peers);
  if (A.rows() * std::int64_t{A.block} <= rows_for_a_direct_solver) add({"eigen:sparse_lu"});
  const std::vector<std::string> there = peer_libraries();
  std::erase_if(names, [&](const std::string& name) {
    return is_peer(name) && std::find(there.begin(), there.end(), peer_name(name).library) == there.end();
  });
  return names;
}

// "method", "method+preconditioner", "method+plugin:LIBRARY", "library:options", or a file with the keys of
// [linear.SYSTEM].
NamedSolver candidate_of(const std::string& solver, const SolveArguments& a) {
  const std::string defaults = fmt::format("tolerance = {}\nmax_iterations = {}\n", a.tolerance, a.max_iterations);
  if (solver.ends_with(".toml")) {
    if (!std::filesystem::exists(solver)) throw Error(Exit::usage, solver + ": no such file");
    Table options = read_case(solver);
    std::vector<std::string> overrides;
    if (!options.has("tolerance")) overrides.push_back(fmt::format("tolerance={}", a.tolerance));
    if (!options.has("max_iterations")) overrides.push_back(fmt::format("max_iterations={}", a.max_iterations));
    return {std::filesystem::path(solver).stem().string(), read_case(solver, overrides)};
  }
  const std::size_t plugin = solver.find("+plugin:");
  if (plugin != std::string::npos && plugin < solver.find(':'))
    return {solver, read_case_text(
                        fmt::format("method = \"{}\"\n{}preconditioner = {{ type = \"plugin\", library = \"{}\" }}\n",
                                    solver.substr(0, plugin), defaults, solver.substr(plugin + 8)),
                        "--solver " + solver)};
  const std::size_t plus = solver.find(':') != std::string::npos ? std::string::npos : solver.find('+');
  std::string text = "method = \"" + solver.substr(0, plus) + "\"\n" + defaults;
  if (plus != std::string::npos) text += "preconditioner = { type = \"" + solver.substr(plus + 1) + "\" }\n";
  return {solver, read_case_text(text, "--solver " + solver)};
}

// A method of Weir, not of another library.
bool is_ours(const Table& options) {
  const std::string method = options.get("method", "gmres");
  return method.find(':') == std::string::npos || method.starts_with("plugin:");
}

// Whether constants are projected out of the system, and why.
enum class Constants {
  kept,        // not a null vector
  known,       // null vector according to the flow code: b counts without its mean
  exact,       // all sums of rows and columns are zero
  to_rounding  // the sums are zero to rounding: a guess, dropped if b has a mean
};

// b - A x of the given system, in the norm of the options, and whether it meets the tolerance.
struct Accuracy {
  double relative = 0;  // relative to |b|
  bool is_met = false;
};

struct Row {
  SolveResult result;
  Accuracy accuracy;
  bool projected = false;  // with the constants projected out
  SetupInfo setup;
  std::string refusal;  // why the method is not applicable
  Exit code_of_refusal = Exit::finished;
  bool is_known = false;  // its names and keys are valid
  std::string report;     // report of its set-up
};

std::string name_of_rows(int block_row, int block) {
  const std::int64_t first = std::int64_t{block_row} * block + 1;
  return block == 1 ? fmt::format("row {} (counted from 1, as in the file)", first)
                    : fmt::format("rows {} to {} (counted from 1, as in the file)", first, first + block - 1);
}

template <class Space>
class GivenSystem {
 public:
  GivenSystem(const BlockCsrData& data, const std::vector<double>& rhs, const std::vector<double>& guess,
              Constants constants)
      : data_(data), rhs_(rhs), guess_(guess), constants_(constants), A_(data), b_(rhs), x_(A_.size()) {}

  // If constants are only a guessed null space and b has a mean above the tolerance, the system is also solved without
  // the projection, and the better x counts.
  Row solve(const Table& options, const SolveArguments& a) {
    Row row = solve_once(options, a, constants_ != Constants::kept);
    if (constants_ != Constants::to_rounding || row.accuracy.is_met || !row.is_known || a.extended) return row;
    if (constant_part(rhs_) <= options.get<double>("tolerance", a.tolerance)) return row;
    const std::vector<double> x = solution();
    const Row other = solve_once(options, a, false);
    const bool is_better =
        other.refusal.empty() && (!row.refusal.empty() || other.accuracy.relative < row.accuracy.relative);
    if (is_better) return other;
    x_.upload(x);
    return row;
  }
  std::vector<double> solution() const { return x_.to_vector(); }

  // Diagnosis of a failed solve of one of our own methods, directly after it.
  Finding why_it_failed(const Table& options, const Row& row) const {
    FailedSolve<Space> failed;
    failed.A = &A_;
    failed.b = b_.view();
    failed.x = x_.view();
    failed.result = row.result;
    failed.refusal = row.refusal;
    failed.name_of_row = [](int i) { return name_of_rows(i, 1); };
    failed.settings = read_solver_settings("", options, "gmres", "none", strict());
    return examine(failed);
  }

 private:
  static KrylovOptions strict() {
    KrylovOptions o;
    o.strict = true;
    return o;
  }
  Row solve_once(const Table& options, const SolveArguments& a, bool project) {
    Row row;
    row.projected = project;
    A_.set_constant_null_space(project);
    try {
      const auto solver = make_any_solver<Space>(options, "gmres", "none", strict());
      options.refuse_unknown();
      row.is_known = true;
      x_.upload(guess_);
      solver->setup(A_);
      row.setup = solver->setup_info();
      row.report = solver->report();
      row.result = a.extended ? solve_extended(*solver, a) : solver->solve(A_, b_, x_);
      judge(options, a, row);
    } catch (const RowError& e) {
      row.refusal = e.with_name(name_of_rows(e.row(), data_.block)).what();
      row.code_of_refusal = e.code();
    } catch (const Error& e) {
      row.refusal = e.what();
      row.code_of_refusal = e.code();
    }
    return row;
  }

  // Checks the result against the entries of the given system and the given tolerance. Solutions in double-double
  // precision have been checked with their own residual.
  void judge(const Table& options, const SolveArguments& a, Row& row) const {
    SolveResult& r = row.result;
    const KrylovOptions o = read_krylov_options(options, {});
    const double tolerance = a.extended ? a.tolerance : o.tolerance;
    const double s = power_of_two_below(rhs_);  // against overflow of squares
    const double b = size_of(scaled_rhs(s), o.norm),
                 now = a.extended ? s * r.true_residual : residual(solution(), s, o);
    const double reference = !o.relative ? s : o.reference == "initial" ? residual(guess_, s, o) : b;
    row.accuracy.relative = b > 0 ? now / b : now;
    row.accuracy.is_met = std::isfinite(now) && now <= tolerance * reference && r.reason != Reason::not_finite;
    if (a.extended || r.reason == Reason::interrupted) return;
    if (row.accuracy.is_met)
      r.reason = Reason::converged;
    else if (!std::isfinite(now))
      r.reason = Reason::not_finite;
    else if (r.converged())
      r.reason = Reason::stagnated;
  }
  // 1 / 2^k with 2^k <= |b| in the maximum norm.
  static double power_of_two_below(const std::vector<double>& b) {
    double most = 0;
    for (const double v : b) most = std::max(most, std::abs(v));
    return most > 0 && std::isfinite(most) ? std::ldexp(1.0, std::clamp(-std::ilogb(most), -1000, 1000)) : 1;
  }
  std::vector<double> scaled_rhs(double s) const {
    std::vector<double> b = rhs_;
    for (double& v : b) v *= s;
    if (constants_ == Constants::known) take_mean_off(b);
    return b;
  }
  double residual(std::vector<double> x, double s, const KrylovOptions& o) const {
    std::vector<double> r = rhs_;
    for (double& v : x) v *= s;
    for (double& v : r) v *= s;
    const int B = data_.block;
    for (std::size_t row = 0; row < r.size(); ++row) {
      const std::size_t i = row / at(B), u = row % at(B);
      double product = 0;
      for (auto e = at(data_.row_start[i]); e < at(data_.row_start[i + 1]); ++e)
        for (std::size_t v = 0; v < at(B); ++v)
          product += data_.value[(e * at(B) + u) * at(B) + v] * x[at(data_.column[e]) * at(B) + v];
      r[row] -= product;
    }
    if (constants_ == Constants::known) take_mean_off(r);
    return size_of(r, o.norm);
  }
  static void take_mean_off(std::vector<double>& v) {
    double sum = 0;
    for (const double e : v) sum += e;
    for (double& e : v) e -= sum / static_cast<double>(v.size());
  }
  static double size_of(const std::vector<double>& v, Norm norm) {
    if (norm == Norm::l2) return l2_norm(v);
    double most = 0;
    for (const double e : v) most = std::isnan(e) ? e : std::max(most, std::abs(e));
    return most;
  }

  SolveResult solve_extended(AnySolver<Space>& solver, const SolveArguments& a) {
    if constexpr (std::is_same_v<Space, Host>) {
      const ExtendedSolution s = weir::solve_extended(data_, A_, solver, rhs_, a.tolerance, a.max_iterations);
      x_.upload(s.x);
      return s.result;
    }
    throw Error(Exit::usage, "--extended runs on the host only");
  }

  const BlockCsrData& data_;
  const std::vector<double>&rhs_, &guess_;
  const Constants constants_;
  BlockCsr<Space> A_;
  Array<double, Space> b_, x_;
};

void print_row(const std::string& name, std::size_t width, const Row& row) {
  if (!row.refusal.empty()) {
    say("{:<{}} refused: {}\n", name, width, row.refusal);
    return;
  }
  const SolveResult& r = row.result;
  say("{:<{}} {:>10.3f} {:>10.3f} {:>10} {:>12.3e} {:>12}  {}\n", name, width, 1e3 * row.setup.seconds,
      1e3 * r.solve_seconds, r.iterations, row.accuracy.relative,
      row.setup.bytes > 0 ? fmt::format("{:.2f}", static_cast<double>(row.setup.bytes) / 1e6) : "",
      to_string(r.reason));
}

template <class Space>
int solve_all(const SolveArguments& a, const BlockCsrData& data, const std::vector<double>& rhs,
              const std::vector<double>& guess, const std::vector<NamedSolver>& candidates, Constants constants,
              SequenceTable& sequence) {
  GivenSystem<Space> system(data, rhs, guess, constants);
  const double length = l2_norm(rhs), norm_b = length > 0 ? length : 1;
  std::size_t width = 0;
  for (const NamedSolver& c : candidates) width = std::max(width, c.name.size() + 1);
  say("{:<{}} {:>10} {:>10} {:>10} {:>12} {:>12}  {}\n", "solver", width, "setup ms", "solve ms", "iterations",
      "|b-Ax|/|b|", "setup MB", "end");
  bool any = false, any_refused = false;
  Exit worst = Exit::finished;  // a failure has precedence over an unsuitable solver
  bool any_outside = false;
  double attainable = 0;
  const double outside = constant_part(rhs);
  std::string reports, verdicts;
  for (const NamedSolver& c : candidates) {
    const Row row = system.solve(c.options, a);
    print_row(c.name, width, row);
    sequence.add(c.name, row.refusal.empty() ? &row.setup : nullptr, row.result, row.accuracy.relative);
    if (!row.report.empty()) reports += "\n" + c.name + "\n" + row.report;
    std::fflush(stdout);
    const bool solved = row.refusal.empty() && row.result.converged();
    const bool is_outside = !solved && row.refusal.empty() && row.projected && constants != Constants::known &&
                            outside > 0.9 * row.accuracy.relative;
    any_outside = any_outside || is_outside;
    if (!solved && !is_outside && row.result.reason == Reason::stagnated)
      attainable = rounding_of_residual(data, system.solution()) / norm_b;
    if (!solved && !is_outside && row.is_known && !a.solvers.empty() && !a.extended && is_ours(c.options))
      if (const Finding f = system.why_it_failed(c.options, row); f.cause != Cause::refused)
        verdicts += "\n" + c.name + verdict_text(f);
    any_refused = any_refused || !row.refusal.empty();
    if (!solved && worst != Exit::solver_failed)
      worst = row.refusal.empty() ? Exit::solver_failed : row.code_of_refusal;
    any = any || solved;
  }
  say("{}{}", reports, verdicts);
  if (any_outside)
    say("\nthe mean of the right-hand side, {:.2g} |b|, lies outside the range of the matrix{}: x minimises |b-Ax|, "
        "and b minus "
        "its mean has a solution\n",
        outside, constants == Constants::exact ? "" : " (if the matrix is singular, as its sums suggest)");
  if (any_refused && is_capsule(a.matrix) && !a.solvers.empty())
    say("\nweir solve converts matrices to block CSR; geometric multigrid and fast_poisson need the captured stencil: "
        "weir replay {} --solvers FILE.toml\n",
        a.matrix);
  if (attainable > 0 && !a.extended)
    say("\nstagnated: rounding limits |b-Ax|/|b| to about {:.1e} (eps ||A||x|| / |b|); {}\n", attainable,
        attainable > 0.1 * a.tolerance ? "double precision cannot meet the tolerance; try --extended"
                                       : "the residual is larger than this limit");
  if (!a.solution.empty()) write_vector_market(a.solution, system.solution());
  if (a.solvers.empty()) worst = any ? Exit::finished : Exit::solver_failed;
  return static_cast<int>(worst);
}

// "ones", "row-sums" (A times ones: the solution is all ones), or a file.
std::vector<double> right_hand_side(const std::string& what, const BlockCsrData& data) {
  const std::int64_t size = std::int64_t{data.rows()} * data.block;
  std::vector<double> b(static_cast<std::size_t>(size), 1.0);
  if (what == "ones") return b;
  if (what != "row-sums") return read_vector_market(what, size);
  const BlockCsr<Host> A(data);
  const Array<double, Host> ones(b);
  Array<double, Host> sums(size);
  A.apply(ones, sums);
  return sums.to_vector();
}

std::string why_singular(Constants constants) {
  switch (constants) {
    case Constants::kept:
      return "";
    case Constants::known:
      return "singular, according to the flow code\n";
    case Constants::exact:
      return "singular: all rows and columns sum to zero\n";
    default:
      return "singular to rounding (a guess): rows and columns sum to zero within the rounding of their entries; a "
             "solution "
             "that misses the tolerance is computed again without this assumption\n";
  }
}

int solve_one(const SolveArguments& a, SequenceTable& sequence) {
  BlockCsrData data = read_system(a.matrix, a.block);
  data.symmetric = is_symmetric(data);
  Constants constants = Constants::kept;
  if (const ConstantVector says = constant_vector(data); says != ConstantVector::not_null)
    constants = says == ConstantVector::null_exactly ? Constants::exact : Constants::to_rounding;
  // The last diagonal block of a factorisation of a singular matrix is singular to rounding. With scalar rows only the
  // last pivot is, and its effect is a constant in x.
  const bool is_cut = constants != Constants::kept && a.block == 0 && data.block > 1 && !is_capsule(a.matrix);
  const int detected = data.block;
  if (is_cut) data = scalar_rows(data);
  const std::int64_t size = std::int64_t{data.rows()} * data.block;
  std::vector<double> rhs, guess(static_cast<std::size_t>(size), 0.0);
  std::string of_rhs = a.rhs.empty() ? "ones" : a.rhs;
  if (is_capsule(a.matrix)) {
    Capsule capsule = read_capsule(a.matrix);
    if (data.constant_null_space && capsule.origin.miniapp != "another code") constants = Constants::known;
    guess = std::move(capsule.x0);
    if (a.rhs.empty()) {
      rhs = std::move(capsule.b);
      of_rhs = "that of the captured system";
    }
  }
  data.constant_null_space = constants != Constants::kept;
  if (rhs.empty()) rhs = right_hand_side(of_rhs, data);
  std::vector<NamedSolver> candidates;
  SolveArguments inner = a;
  if (a.extended) inner.tolerance = std::max(a.tolerance, tolerance_of_corrections);
  for (const std::string& name : a.solvers.empty() ? default_solvers(data) : a.solvers)
    candidates.push_back(candidate_of(name, inner));
  say("{}: {} rows, {} entries in blocks of {}{}{}; right-hand side: {}{}\n{}\n", a.matrix, size, data.value.size(),
      data.block, data.symmetric ? ", symmetric" : "",
      data.constant_null_space ? ", singular (constants, projected out)" : "", of_rhs,
      a.extended ? "; x and its residual in double-double precision" : "",
      why_singular(constants) +
          (is_cut ? fmt::format("dense blocks of {} are treated as scalar rows\n", detected) : ""));
  return a.space == "device" ? solve_all<Device>(a, data, rhs, guess, candidates, constants, sequence)
                             : solve_all<Host>(a, data, rhs, guess, candidates, constants, sequence);
}

}  // namespace

int solve_system(const SolveArguments& a) {
  if (!a.solution.empty()) {
    std::vector<std::string> inputs = a.solvers;
    inputs.insert(inputs.end(), {a.matrix, a.rhs});
    place_of_output(a.solution, inputs, "%%MatrixMarket matrix array real general");
  }
  SequenceTable sequence;
  const int worst = for_each_system(a.matrix, [&](const std::string& path) {
    SolveArguments one = a;
    one.matrix = path;
    return solve_one(one, sequence);
  });
  sequence.print();
  return worst;
}

}  // namespace weir
