#include "tests/benchmarks/lab/child_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "postproc/own_file.hpp"
#include "postproc/run/csv.hpp"

namespace weir::bench {
namespace {

std::vector<std::string> command_of(const Subject& s, int steps, const std::vector<std::string>& more,
                                    const std::string& run) {
  std::vector<std::string> command{(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "weir").string(),
                                   "run",
                                   inputs_folder() + s.path,
                                   "-o",
                                   run,
                                   "--overwrite",
                                   "--steps",
                                   std::to_string(steps)};
  std::vector<std::string> set = s.set;
  set.insert(set.end(), {"output.report=false", "output.fields_every=0"});
  set.insert(set.end(), more.begin(), more.end());
  for (const std::string& one : set) command.insert(command.end(), {"--set", one});
  return command;
}

std::string words_of(const std::string& log) {
  std::string all;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) all += line + "\n";
  return all;
}

}  // namespace

std::string inputs_folder() { return own_file("inputs") + "/"; }

Subject cavity_subject() {
  return {"cavity",
          "incompressible/cavity_re1000.toml",
          "pressure",
          100,
          {"linear.pressure.method=cg", "linear.pressure.preconditioner={ type = \"multigrid\" }"}};
}
Subject aerofoil_subject() {
  return {"aerofoil",
          "study/aerofoil_marched.toml",
          "flow",
          40,
          {"linear.flow.method=bicgstab", "linear.flow.tolerance=0.1"}};
}
Subject cylinder_subject() { return {"cylinder", "immersed/cylinder_re40.toml", "pressure", 100, {}}; }

std::vector<double> own_solves(ChildSignals& signals, const Subject& subject, int steps,
                               const std::vector<std::string>& more, const std::string& run) {
  const std::string log = run + ".txt";
  const Child child = signals.run(command_of(subject, steps, more, run), log);
  if (signals.caught()) return {};
  if (child.exit_code != 0 && child.exit_code != 5)  // 5: [check] holds at the end of the whole run only
    throw Error(Exit::solver_failed, fmt::format("exit code {}:\n{}", child.exit_code, words_of(log)));
  const Csv solves(run + "/solves.csv");
  std::vector<double> ms;
  for (std::size_t i = 0; i < solves.rows(); ++i)
    if (solves.text(i, "system") == subject.system)
      ms.push_back(solves.or_zero(i, "setup_ms") + solves.number(i, "solve_ms"));
  if (ms.empty()) throw Error(Exit::internal, run + ": no solves of " + subject.system);
  return ms;
}

}  // namespace weir::bench
