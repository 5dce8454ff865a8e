#include "miniapps/cli/replay_study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/table_node.hpp"
#include "inputs/case.hpp"
#include "miniapps/study/capture/capsule.hpp"
#include "miniapps/study/lab.hpp"
#include "miniapps/driver/record_solve.hpp"
#include "solvers/linear_solver.hpp"

namespace weir {
namespace {

constexpr Option sequence_keys[] = {
    {"files", Option::texts, "[]", "captured systems, in their order"},
    {"warm", Option::boolean, "false", "each begins with the reference solver's solution of the one before"}};

// The matrix at hand: new values where the pattern stays.
template <class Space>
class SequenceMatrix {
 public:
  void take(const Capsule& c, LinearSolver<Space>& leader) {
    const std::string pattern = pattern_name(c);
    if (A_ && pattern == pattern_) {
      restore_values(c.A.values, *A_);
      leader.update(*A_);
      return;
    }
    before_ = std::exchange(A_, rebuild_matrix<Space>(c.A));  // solvers know it until they are set up with the next
    if (A_->size() != c.size()) throw Error(Exit::file_io, c.path + ": its matrix and its vectors differ in size");
    leader.setup(*A_);
    before_.reset();
    pattern_ = pattern;
  }
  const Matrix<Space>& operator*() const { return *A_; }

 private:
  std::unique_ptr<Matrix<Space>> A_, before_;
  std::string pattern_;
};

RunHeader header_of(const Capsule& c, std::size_t count, const std::string& solver) {
  RunHeader h;
  h.miniapp = "captured";
  h.grid = fmt::format("{} of {} ({})", c.origin.system, c.origin.name, c.origin.miniapp);
  h.cells = c.size() / static_cast<int>(std::max<std::size_t>(1, c.variables.size()));
  h.unknowns = c.size();
  h.last_step = static_cast<std::int64_t>(count);
  h.systems = {{c.origin.system, solver}};
  h.has_checkpoints = false;
  return h;
}

template <class Space>
int solve_sequence(Run& run, const Table& config) {
  const Table keys = config.table("systems").described_by(sequence_keys);
  const auto files = keys.get<std::vector<std::string>>("files");
  const bool is_warm = keys.get<bool>("warm");
  const Capsule first = read_capsule(files.front());
  const std::string& name = first.origin.system;
  const CapsuleLeader& recorded = first.leader;
  // Its kind of matrix is not known here: set-up refuses what does not fit.
  const SystemDefaults system{name.c_str(), recorded.default_method.c_str(), recorded.default_preconditioner.c_str(),
                              recorded.default_tolerance, 0};
  LinearSolver<Space> leader(system.options(config.table("linear")), system.method, system.preconditioner,
                             system.tolerance);
  leader.start_as_given();
  leader.stop_when([&run] { return run.must_abandon_step(); });
  SequenceMatrix<Space> A;  // outlives the lab, which looks at the last system where the run ends badly
  Array<double, Space> b, x;
  Lab<Space> lab(config, {name}, run.ranks());
  FlowFacts<Space> facts;
  facts.whose_systems = "the captured systems";
  lab.describe(facts);
  lab.attach(system, leader, config.table("linear"));
  run.begin(header_of(first, files.size(), leader.describe()));
  lab.open(run);
  Hash64 solutions;
  Outcome outcome;
  bool has_solution = false;
  std::size_t done = 0;
  while (done < files.size() && !run.should_stop()) {
    const Capsule c = read_capsule(files[done]);
    const auto step = static_cast<std::int64_t>(done) + 1;
    lab.begin_step(step);
    A.take(c, leader);
    b = Array<double, Space>(c.b);
    if (!is_warm || !has_solution || x.size() != b.size()) x = Array<double, Space>(c.x0);
    const SolveResult result = leader.solve(*A, b, x);
    if (result.reason == Reason::interrupted) break;
    has_solution = result.converged();
    SolveRecord record;
    record.step = step, record.system = name, record.solver = leader.name(), record.unknowns = c.size();
    record_solve(run, record, result, leader.setup_info().seconds);
    const std::vector<double> solution = x.to_vector();
    solutions.add(std::span<const double>(solution));
    run.step({step, std::isfinite(c.origin.time) ? c.origin.time : static_cast<double>(step), 0.0, {}, {}});
    ++done;
  }
  if (done == files.size()) run.reached(outcome.reason = "end of the sequence");
  outcome.state_hash = solutions.value();
  lab.end(run, outcome);
  return run.finish(outcome);
}

int run_captured(Run& run, const Table& config) {
  return run.on_device() ? solve_sequence<Device>(run, config) : solve_sequence<Host>(run, config);
}

std::vector<KeyTable> captured_keys() {
  std::vector<KeyTable> keys = lab_keys();
  keys.push_back({"systems", "", sequence_keys});
  return keys;
}

// The captured systems of one name (and part 0), all of them read once: what is damaged ends the study before it begins.
struct Chosen {
  std::vector<std::string> files;
  std::string system, title;
  Table recorded;  // the options of the solver that solved the first
};

Chosen choose(const std::vector<std::string>& capsules, const std::string& system) {
  Chosen chosen;
  chosen.system = system;
  for (const std::string& path : capsules) {
    const Capsule c = read_capsule(path);
    if (c.origin.part > 0) continue;
    if (chosen.system.empty()) chosen.system = c.origin.system;
    if (c.origin.system != chosen.system) {
      if (system.empty())
        throw Error(Exit::usage, fmt::format("{}: '{}' after systems of '{}': a study is of one, choose it by --system",
                                             path, c.origin.system, chosen.system));
      continue;
    }
    if (chosen.files.empty()) {
      chosen.recorded = read_case_text(c.leader.options, path + ":leader_options");
      chosen.title = fmt::format("{} of {}", c.origin.system, c.origin.name);
    }
    chosen.files.push_back(std::filesystem::absolute(path).string());
  }
  if (chosen.files.empty()) throw Error(Exit::usage, "no captured system of the name '" + system + "'");
  return chosen;
}

// The case of the study. Tables keep the places where they stand in the user's file, for messages.
Table case_of(const Chosen& chosen, const ReplayArguments& a) {
  const Table file = read_case(a.solvers);
  const std::vector<NamedSolver> solvers = solvers_of(a.solvers);
  std::vector<std::string> overrides{
      fmt::format("case.title={} captured systems: {}", chosen.files.size(), chosen.title),
      fmt::format("systems.warm={}", a.warm)};
  if (!a.space.empty()) overrides.push_back("device.space=" + a.space);
  if (a.threads > 0) overrides.push_back(fmt::format("device.threads={}", a.threads));
  std::vector<std::string> names;
  for (const NamedSolver& s : solvers) names.push_back("\"" + s.name + "\"");
  const Table shadow = file.table("shadow");
  const std::string text = fmt::format(
      "[case]\nminiapp = \"captured\"\n[systems]\n[device]\n[linear]\n[shadow]\nsystem = \"{}\"\nsolvers = [{}]\n"
      "every = 1\nrepeats = {}\nseed = {}\n",
      chosen.system, fmt::join(names, ", "), shadow.get("repeats", a.repeat), shadow.get<std::int64_t>("seed", 1));
  const Table config = read_case_text(text, a.solvers, overrides);
  auto files = std::make_shared<TableNode>();
  files->kind = TableNode::Kind::array;
  for (const std::string& path : chosen.files) {
    files->items.push_back(std::make_shared<TableNode>());
    files->items.back()->kind = TableNode::Kind::string;
    files->items.back()->text = path;
  }
  config.node()->find("systems")->set("files", files);
  for (const NamedSolver& s : solvers) config.node()->find("shadow")->set(s.name, s.options.node());
  if (file.is_table("output")) config.node()->set("output", file.table("output").node());
  const Table linear = file.table("linear");
  config.node()->find("linear")->set(
      chosen.system, (linear.is_table(chosen.system) ? linear.table(chosen.system) : chosen.recorded).node());
  return config;
}

}  // namespace

std::vector<NamedSolver> solvers_of(const std::string& file) {
  const Table whole = read_case(file);
  const bool is_of_a_case = whole.is_table("shadow") && !whole.table("shadow").has("method");
  const Table all = is_of_a_case ? whole.table("shadow") : whole;
  std::vector<NamedSolver> list;
  for (const std::string& key : all.get<std::vector<std::string>>("solvers", {})) {
    if (!all.is_table(key)) all.fail("solvers", "no table of the name '" + key + "' defines it");
    list.push_back({key, all.table(key)});
  }
  if (!list.empty()) return list;
  for (const std::string& key : all.keys())
    if (key != "preconditioner" && key != "linear" && all.is_table(key)) list.push_back({key, all.table(key)});
  if (all.has("method") || all.has("preconditioner")) {
    if (!list.empty())
      all.fail("method", "either one solver or a table for each: there is also [" + list.front().name + "]");
    list.push_back({std::filesystem::path(file).stem().string(), all});
  }
  if (list.empty()) throw Error(Exit::usage, file + ": names no solver; give each a table, as [shadow.NAME] of a case");
  return list;
}

int study_captured(const Program& program, const ReplayArguments& a, const std::vector<std::string>& capsules) {
  const Table config = case_of(choose(capsules, a.system), a);
  Program captured{{{"captured", run_captured, nullptr, captured_keys}}, program.ranks, program.build};
  RunOptions options;
  options.name = std::filesystem::path(a.solvers).stem().string();
  options.directory = a.output;
  options.overwrite = a.overwrite;
  options.command_line = a.command_line;
  return run_miniapp(captured, std::move(options), config);
}

}  // namespace weir
