#include "miniapps/cli/systems.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/table_node.hpp"
#include "inputs/case.hpp"
#include "miniapps/driver/record_solve.hpp"
#include "miniapps/study/facility.hpp"
#include "solvers/studied_solver.hpp"

namespace weir {
namespace {

constexpr Option sequence_keys[] = {
    {"files", Option::texts, "[]", "captured systems in the order of the sequence"},
    {"warm", Option::boolean, "false",
     "switch for starting each system from the reference solver's solution of the previous one"}};

// The matrix of the current system; with an unchanged pattern only the values are replaced.
template <class Space>
class SequenceMatrix {
 public:
  void take(const Capsule& c, LinearSolver<Space>& reference) {
    const std::string pattern = pattern_name(c);
    if (A_ && pattern == pattern_) {
      restore_values(c.A.values, *A_);
      reference.update(*A_);
      return;
    }
    before_ = std::exchange(A_, matrix_of<Space>(c));  // solvers refer to the old matrix until their next set-up
    reference.setup(*A_);
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
  const CapsuleReference& recorded = first.reference;
  // The kind of matrix is unknown here; set-up refuses unsuitable solvers.
  const SystemDefaults system{name.c_str(), recorded.default_method.c_str(), recorded.default_preconditioner.c_str(),
                              recorded.default_tolerance, 0};
  StudiedSolver<Space> reference(system.options(config.table("linear")), system.method, system.preconditioner,
                                 system.tolerance);
  reference.start_as_given();
  reference.stop_when([&run] { return run.must_abandon_step(); });
  SequenceMatrix<Space> A;  // outlives the lab, which examines the last system after a failure
  Array<double, Space> b, x;
  const auto made_lab = make_lab<Space>(config, {name}, run.ranks());
  Lab<Space>& lab = *made_lab;
  FlowFacts<Space> facts;
  facts.whose_systems = "the captured systems";
  lab.describe(facts);
  lab.attach(system, reference, config.table("linear"));
  run.begin(header_of(first, files.size(), reference.describe()));
  lab.open(run);
  Hash64 solutions;
  Outcome outcome;
  bool has_solution = false;
  std::size_t done = 0;
  while (done < files.size() && !run.should_stop()) {
    const Capsule c = read_capsule(files[done]);
    const auto step = static_cast<std::int64_t>(done) + 1;
    lab.begin_step(step);
    A.take(c, reference);
    b = Array<double, Space>(c.b);
    if (!is_warm || !has_solution || x.size() != b.size()) x = Array<double, Space>(c.x0);
    const SolveResult result = reference.solve(*A, b, x);
    if (result.reason == Reason::interrupted) break;
    has_solution = result.converged();
    SolveRecord record;
    record.step = step, record.system = name, record.solver = reference.name(), record.unknowns = c.size();
    record_solve(run, record, result, reference.setup_info().seconds);
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

// The captured systems of one name (part 0). All are read once, so that damaged files are refused before the study
// starts.
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
        throw Error(Exit::usage,
                    fmt::format("{}: the captures contain several systems ('{}', '{}'); select one with --system", path,
                                c.origin.system, chosen.system));
      continue;
    }
    if (chosen.files.empty()) {
      chosen.recorded = read_case_text(c.reference.options, path + ":leader_options");
      // A key of the matrix, which is stored as it was converted.
      std::erase_if(chosen.recorded.node()->entries, [](const auto& entry) { return entry.first == "matrix_storage"; });
      chosen.title = fmt::format("{} of {}", c.origin.system, c.origin.name);
    }
    chosen.files.push_back(std::filesystem::absolute(path).string());
  }
  if (chosen.files.empty()) throw Error(Exit::usage, "no captured system has the name '" + system + "'");
  return chosen;
}

// The case of the study. Its tables keep file and line of the user's file for messages.
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
