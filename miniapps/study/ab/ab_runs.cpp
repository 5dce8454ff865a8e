#include "miniapps/study/ab/ab_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "miniapps/study/shadow/statistics.hpp"
#include "postproc/report/child.hpp"
#include "postproc/run/checkpoint.hpp"
#include "postproc/run/csv.hpp"
#include "postproc/run/directory/run_directory.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/records.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// Percent-encodes spaces, control characters, "/", "%" and the dot that separates the parts: different names stay
// different.
std::string file_name_of(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (static_cast<unsigned char>(c) <= ' ' || c == '/' || c == '.' || c == '%' || c == 0x7f)
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      text += c;
  return text;
}

std::string name_of(const AbStudy& study, const AbTwin& t) {
  return file_name_of(study.cases[t.of_case].name) + "." + file_name_of(study.configurations[t.configuration].name) +
         "." + std::to_string(t.repeat + 1);
}

// limit: wall-clock seconds of the whole process; 0: none.
std::vector<std::string> command_of(const AbStudy& study, const AbTwin& t, const std::string& run_directory,
                                    double limit) {
  const AbCase& c = study.cases[t.of_case];
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe").string(),
                                   c.is_checkpoint ? "restart" : "run",
                                   c.path,
                                   "-o",
                                   run_directory,
                                   "--set",
                                   "output.report=false"};
  const AbConfiguration& k = study.configurations[t.configuration];
  for (const auto& [option, lists] :
       {std::pair{"--unset", std::pair{&study.unset, &k.unset}}, std::pair{"--set", std::pair{&study.set, &k.set}}})
    for (const auto* list : {lists.first, lists.second})
      for (const auto& key : *list) command.insert(command.end(), {option, key});
  if (study.steps > 0) command.insert(command.end(), {"--steps", std::to_string(study.steps)});
  if (limit > 0) command.insert(command.end(), {"--wall-limit", fmt::format("{:.6g}", limit)});
  return command;
}

// Times of the baseline's first run of a case, from which the budgets of the other runs follow.
struct BaselineTime {
  double before_loop = 0, loop = 0;  // seconds; 0: unknown
};

// Limit of the time loop in seconds; 0: none. The baseline itself has no relative limit.
double budget_of(const AbStudy& study, const AbTwin& t, const BaselineTime& baseline) {
  const double relative = t.configuration > 1 ? study.budget.factor * baseline.loop : 0;
  if (relative == 0 || study.budget.seconds == 0) return std::max(relative, study.budget.seconds);
  return std::min(relative, study.budget.seconds);
}

// The modules in the same folder that a Python module imports.
void add_imports(const fs::path& module, std::set<fs::path>& files) {
  std::stringstream text(read_text(module.string()));
  static const std::regex import(R"(^\s*(?:import|from)\s+(\w+))");
  for (std::string line; std::getline(text, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, import)) continue;
    const fs::path beside = module.parent_path() / (found[1].str() + ".py");
    std::error_code error;
    if (fs::is_regular_file(beside, error) && files.insert(fs::weakly_canonical(beside, error)).second)
      add_imports(beside, files);
  }
}

// Files named in a TOML text: meshes, tables, bodies, plugins, modules (also as "plugin:./libmine.so"), relative to the
// case or to the current folder.
void add_named_files(const std::string& text, const fs::path& folder, std::set<fs::path>& files) {
  static const std::regex word(R"re("([^"\n]*)"|'([^'\n]*)')re");
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
    const std::string name = (*it)[1].matched ? (*it)[1] : (*it)[2];
    const std::size_t colon = name.find(':');
    for (const std::string& path : {name, colon == std::string::npos ? std::string() : name.substr(colon + 1)})
      for (const fs::path& from : {folder, fs::path(".")}) {
        std::error_code error;
        if (path.empty() || !fs::is_regular_file(from / path, error)) continue;
        files.insert(fs::weakly_canonical(from / path, error));
        if (path.ends_with(".py")) add_imports(from / path, files);
      }
  }
}

// Everything that a run depends on except its command: the case or checkpoint, the files named in it, the program, the
// processor.
std::string hash_of_input(const AbStudy& study, const AbTwin& twin, const std::string& machine) {
  const AbCase& c = study.cases[twin.of_case];
  const AbConfiguration& k = study.configurations[twin.configuration];
  const bool is_folder = fs::is_directory(c.path);
  const fs::path folder = is_folder ? fs::path(c.path) : fs::path(c.path).parent_path();
  std::string text;
  std::set<fs::path> files;
  if (!c.is_checkpoint) text = read_text(c.path);
  if (c.is_checkpoint) {
    const fs::path run = is_folder ? folder : folder.parent_path();
    std::error_code error;
    if (fs::is_regular_file(run / "config.effective.toml", error))
      text = read_text((run / "config.effective.toml").string());
    if (!is_folder) files.insert(c.path);
    const auto checkpoints = list_checkpoints((folder / "checkpoints").string());
    if (is_folder && !checkpoints.empty()) files.insert(checkpoints.back().second);
  }
  Hash64 hash;
  hash.add(machine);
  hash.add(text);
  for (const auto* list : {&study.set, &k.set})
    for (const std::string& key : *list) text += "\n" + key + "\n\"" + key.substr(key.find('=') + 1) + "\"";
  add_named_files(text, folder, files);
  for (const fs::path& file : files) {
    hash.add(file.string());
    hash.add(content_of(file.string(), "file of the study"));
  }
  return hex(hash.value());
}

std::string hash_of_machine() {
  Hash64 hash;
  hash.add(content_of(fs::read_symlink("/proc/self/exe").string(), "program"));
  hash.add(processor_name());
  return hex(hash.value());
}

std::string last_line(const fs::path& path) {
  std::stringstream text(fs::exists(path) ? read_text(path.string()) : "");
  std::string line, last;
  while (std::getline(text, line))
    if (!line.empty()) last = line;
  return last;
}

// True if this run has ended earlier with the same command and input, and, if it was stopped by a budget, the same
// budget.
bool find_done(const fs::path& path, const nlohmann::json& wanted, Child& child) {
  std::ifstream file(path);
  const nlohmann::json j = nlohmann::json::parse(file, nullptr, false);
  if (!j.is_object() || j.value("command", nlohmann::json()) != wanted["command"] ||
      j.value("input", nlohmann::json()) != wanted["input"])
    return false;
  if (j.value("exit_code", nlohmann::json()) == static_cast<int>(Exit::wall_limit) &&
      j.value("budget", nlohmann::json("")) != wanted["budget"])
    return false;
  for (const char* key : {"exit_code", "processor_seconds", "peak_bytes"})
    if (!j.contains(key) || !j[key].is_number()) return false;
  child.exit_code = j["exit_code"];
  child.processor_seconds = j["processor_seconds"];
  child.peak_bytes = j["peak_bytes"];
  return true;
}

// The row of history.csv in which the target is reached; rows() if it is not reached.
std::size_t row_of_target(const Csv& history, const AbTarget& target) {
  constexpr double rounding = 1e-9;  // relative, of the times in the file
  double largest = 0;
  for (std::size_t i = 0; i < history.rows(); ++i) {
    if (target.kind == AbTarget::Kind::time && history.number(i, "time") >= target.value * (1 - rounding)) return i;
    if (target.kind != AbTarget::Kind::column) continue;
    const double value = std::abs(history.number(i, target.column));
    largest = std::max(largest, std::isfinite(value) ? value : 0);
    if (largest > 0 && value <= target.value * largest) return i;
  }
  return target.kind == AbTarget::Kind::end && history.rows() > 0 ? history.rows() - 1 : history.rows();
}

void add_up_solves(const Csv& solves, double last_step, AbRun& run) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < solves.rows(); ++i) {
    if (solves.number(i, "step") > last_step) break;
    ++run.solves;
    run.iterations += static_cast<std::int64_t>(solves.or_zero(i, "iterations"));
    const double setup = 1e-3 * solves.or_zero(i, "setup_ms"), solve = 1e-3 * solves.or_zero(i, "solve_ms");
    run.setup_seconds += setup;
    run.solve_seconds += solve;
    seconds.push_back(setup + solve);
    if (solves.text(i, "reason") == "converged") continue;
    ++run.failed_solves;
    run.failed_seconds += setup + solve;
  }
  run.p95_solve_seconds = percentile_95(std::move(seconds));
}

void read_summary(const nlohmann::json& j, AbRun& run) {
  run.status = j.value("status", "");
  run.reason = j.value("reason", "");
  if (j.contains("state_hash") && j["state_hash"].is_string()) run.state_hash = j["state_hash"];
  if (j.contains("relay")) run.relay = j["relay"].dump();
  const nlohmann::json quantities = j.value("quantities", nlohmann::json::object());
  for (const auto& [name, value] : quantities.items())
    if (value.is_number()) run.quantities[name] = value;
}

// A run stopped by its budget: its costs up to that point.
void read_stopped(const Csv& history, const Csv& solves, double loop_seconds, AbRun& run) {
  run.counts = false;
  run.is_stopped = true;
  run.steps = static_cast<std::int64_t>(history.rows());
  if (history.rows() > 0) run.time = history.number(history.rows() - 1, "time");
  run.seconds = loop_seconds;
  add_up_solves(solves, std::numeric_limits<double>::infinity(), run);
}

// Reads the costs from the files of the run. A run without them does not count, and `reason` says why. has_budget: exit
// code 9 means that the budget stopped the run.
void read_costs(const std::string& directory, const AbTarget& target, bool has_budget, AbRun& run) {
  std::ifstream file(directory + "/run.json");
  const nlohmann::json j = nlohmann::json::parse(file, nullptr, false);
  if (!j.is_object()) return;  // the log has the reason
  read_summary(j, run);
  const bool ended = run.exit_code == 0 || run.exit_code == 5;  // 5: [check] failed
  const Csv history(directory + "/history.csv"), solves(directory + "/solves.csv");
  if (target.kind == AbTarget::Kind::column && !history.has(target.column)) {
    run.reason = "history.csv has no column '" + target.column + "'";
    return;
  }
  const std::size_t row = row_of_target(history, target);
  if (has_budget && run.exit_code == static_cast<int>(Exit::wall_limit) &&
      (target.kind == AbTarget::Kind::end || row == history.rows()))
    return read_stopped(history, solves, j.value("loop_seconds", 0.0), run);
  if (row == history.rows()) {
    if (ended) run.reason = "the run ended too early; compared " + target.describe();
    return;
  }
  run.counts = ended || target.kind != AbTarget::Kind::end;
  const double loop_began = j.value("wall_seconds", 0.0) - j.value("loop_seconds", 0.0);
  run.steps = static_cast<std::int64_t>(row) + 1;
  run.time = history.number(row, "time");
  run.seconds = history.number(row, "wall") - loop_began;
  run.before_loop = loop_began;
  add_up_solves(solves, history.number(row, "step"), run);
}

bool is_of(const AbTwin& t, const AbTwin& other) {
  return t.of_case == other.of_case && t.configuration == other.configuration;
}

// The budget has stopped all runs of this configuration, as many as a verdict needs: further runs add nothing.
bool is_decided(const std::vector<AbRun>& runs, const AbTwin& twin) {
  int stopped = 0;
  for (const AbRun& r : runs) {
    if (!is_of(r.twin, twin)) continue;
    if (!r.is_stopped) return false;
    ++stopped;
  }
  return stopped >= fewest_pairs;
}

}  // namespace

AbRuns run_twins(const AbStudy& study, const std::string& directory,
                 const std::function<void(const AbProgress&, const AbRun&)>& tell) {
  const fs::path folder = fs::absolute(directory);
  for (const char* part : {"runs", "logs", "done"}) fs::create_directories(folder / part);
  const std::string machine = hash_of_machine();
  std::vector<AbTwin> order = draw_order(study);
  std::vector<BaselineTime> baselines(study.cases.size());
  AbRuns all;
  ChildSignals signals;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const AbTwin twin = order[next];
    const std::string name = name_of(study, twin), run_directory = (folder / "runs" / name).string();
    const fs::path log = folder / "logs" / (name + ".txt"), done = folder / "done" / (name + ".json");
    BaselineTime& baseline = baselines[twin.of_case];
    const double budget = budget_of(study, twin, baseline), budget_ends = budget + baseline.before_loop;
    const bool is_first_to_end = budget > 0 && (study.wall_limit == 0 || budget_ends < study.wall_limit);
    nlohmann::ordered_json record;
    record["command"] = command_of(study, twin, run_directory, study.wall_limit);
    record["input"] = hash_of_input(study, twin, machine);
    record["budget"] = study.budget.describe();
    Child child;
    AbProgress progress{static_cast<int>(next) + 1, static_cast<int>(order.size()), find_done(done, record, child)};
    if (!progress.was_there) {
      std::error_code error;
      fs::remove(done, error);
      if (fs::exists(run_directory) && !fs::is_empty(run_directory, error) && !RunDirectory::is_run(run_directory))
        throw Error(Exit::usage, run_directory + ": exists and is not a run directory; choose another folder (-o)");
      fs::remove_all(run_directory, error);
      child = signals.run(command_of(study, twin, run_directory, is_first_to_end ? budget_ends : study.wall_limit),
                          log.string());
      record["exit_code"] = child.exit_code;
      record["processor_seconds"] = child.processor_seconds;
      record["peak_bytes"] = child.peak_bytes;
      if (child.exit_code <= 128)  // a run ended by a signal is repeated by the next call
        write_text_aside(done.string(), record.dump(2) + "\n");
    }
    all.stopped_by = signals.caught();
    if (all.stopped_by && child.exit_code > 128) break;
    AbRun run;
    run.twin = twin;
    run.exit_code = child.exit_code;
    run.processor_seconds = child.processor_seconds;
    run.peak_bytes = child.peak_bytes;
    run.reason = last_line(log);
    try {
      read_costs(run_directory, study.target, is_first_to_end, run);
    } catch (const nlohmann::json::exception&) {
      run.counts = false;
      run.reason = "run.json is not valid";
    }
    if (twin.configuration == 0 && run.counts && baseline.loop == 0)
      baseline = {study.cases[twin.of_case].is_checkpoint ? 0 : run.before_loop, run.seconds};
    tell(progress, run);
    all.runs.push_back(std::move(run));
    if (all.stopped_by) break;
    if (is_decided(all.runs, twin))
      order.erase(std::remove_if(order.begin() + static_cast<std::ptrdiff_t>(next) + 1, order.end(),
                                 [&](const AbTwin& t) { return is_of(t, twin); }),
                  order.end());
  }
  return all;
}

}  // namespace weir
