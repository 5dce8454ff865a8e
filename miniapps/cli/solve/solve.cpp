#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/print.hpp"
#include "base/table_option.hpp"
#include "inputs/case.hpp"
#include "miniapps/cli/solve/given_system.hpp"
#include "miniapps/cli/solve/sequence_table.hpp"
#include "miniapps/cli/systems.hpp"
#include "miniapps/study/recorder/flight_text.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/facts.hpp"
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
    return is_peer(name) && std::ranges::find(there, peer_name(name).library) == there.end();
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

void print_row(const std::string& name, std::size_t width, const SolvedRow& row) {
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
    const SolvedRow row = system.solve(c.options, a);
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
        "and b minus its mean has a solution\n",
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
             "solution that misses the tolerance is computed again without this assumption\n";
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
