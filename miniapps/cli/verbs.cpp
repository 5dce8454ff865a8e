#include "miniapps/cli/verbs.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>

#include "base/files.hpp"
#include "base/nearest.hpp"
#include "base/print.hpp"
#include "base/unknown_key.hpp"
#include "inputs/case.hpp"
#include "miniapps/cli/lists.hpp"
#include "miniapps/cli/schema.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

const Miniapp& miniapp_of(const Program& program, const Table& config) {
  if (is_study(config))
    throw Error(Exit::usage, fmt::format("this is a study, not a case: weir {} STUDY.toml -o DIR",
                                         config.has("map") ? "map" : "ab"));
  const Table c = config.table("case");
  const auto name = c.get<std::string>("miniapp");
  std::vector<std::string> known;
  for (const auto& m : program.miniapps) {
    if (m.name == name) return m;
    known.push_back(m.name);
  }
  c.fail("miniapp", "no miniapp '" + name + "'" + did_you_mean(name, known));
}

// An unknown table may belong to another miniapp.
std::string text_of(const UnknownKey& e, const Program& program, const Table& config) {
  const std::string text = Schema(program).whose_table(config, e.path());
  return text.empty() ? e.what() : text;
}

}  // namespace

int run_miniapp(const Program& program, RunOptions options, const Table& config) {
  const Miniapp& miniapp = miniapp_of(program, config);
  options.ranks = program.ranks;
  options.build = program.build;
  Run run(std::move(options), config);
  auto failed = [&run](Exit code, const std::string& reason) {
    const int number = run.fail(code, reason);
    if (run.ranks().size() > 1)
      run.ranks().abort(number, reason,
                        [&] { run.fail_alone(code, "rank " + std::to_string(run.ranks().rank()) + ": " + reason); });
    say(stderr, "weir: {}\n", reason);
    return number;
  };
  int code = 0;
  try {
    code = miniapp.run(run, config);
  } catch (const AgreedError& e) {  // raised on all ranks: each ends by itself
    code = run.fail(e.code(), e.what());
    say(stderr, "weir: {}\n", e.what());
  } catch (const UnknownKey& e) {
    code = failed(e.code(), text_of(e, program, config));
  } catch (const Error& e) {
    code = failed(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    code = failed(Exit::out_of_memory, "out of memory; `weir info` estimates what a case needs");
  } catch (const std::exception& e) {
    code = failed(Exit::internal, std::string("internal error: ") + e.what());
  }
  const bool was_interrupted = code > 128;
  if (run.has_begun() && run.ranks().is_root() && run.wants_report() && !was_interrupted &&
      code != static_cast<int>(Exit::file_io))
    return try_report(run.directory(), code);
  return code;
}

namespace {

// A checkpoint, or the newest complete one of a run directory.
Checkpoint find_checkpoint(const std::string& source) {
  constexpr std::int64_t in_memory = 65536;  // values; each rank reads its part of larger arrays
  if (!fs::is_directory(source)) return read_checkpoint(source, in_memory);
  const auto files = list_checkpoints((fs::path(source) / "checkpoints").string());
  if (files.empty()) throw Error(Exit::file_io, source + ": contains no checkpoint");
  for (auto file = files.rbegin(); file + 1 != files.rend(); ++file) {
    try {
      return read_checkpoint(file->second, in_memory);
    } catch (const Error& e) {
      say(stderr, "weir: {}; using the previous one\n", e.what());
    }
  }
  return read_checkpoint(files.front().second, in_memory);
}

std::string run_directory_of(const Checkpoint& checkpoint) {
  const fs::path directory = fs::path(checkpoint.path).parent_path().parent_path();
  if (!RunDirectory::is_run(directory.string()))
    throw Error(Exit::usage, checkpoint.path + ": is not in a run directory; give the new run directory (-o)");
  return directory.empty() ? "." : directory.string();
}

// Without log: errors go to standard error.
int run_quietly(const Program& program, RunOptions options, const Table& config) {
  const std::string directory = options.directory;
  if (!std::freopen("/dev/null", "w", stdout)) throw Error(Exit::internal, "cannot silence the log");
  const int code = run_miniapp(program, std::move(options), config);
  for (const ExitCode& e : exit_codes())
    if (e.code == code && ((code >= 3 && code <= 5) || code == 9))
      say(stderr, "weir: {}: {}/run.json\n", e.meaning, directory);
  return code;
}

int run_in(const Program& program, const RunArguments& a, const std::string& name, const std::string& directory,
           const Table& config, std::optional<Checkpoint> restart, std::vector<std::string> changed = {}) {
  RunOptions options;
  options.name = name;
  options.directory = a.directory.empty() ? directory : a.directory;
  options.overwrite = a.overwrite;
  options.steps = a.steps;
  options.wall_limit = a.wall_limit;
  options.command_line = a.command_line;
  options.restart = std::move(restart);
  options.changed = std::move(changed);
  return (a.quiet ? run_quietly : run_miniapp)(program, std::move(options), config);
}

void inform(const Program& program, const Table& config, std::ostream& out) {
  const Miniapp& miniapp = miniapp_of(program, config);
  const Run options_of_the_run({}, config);  // reads and checks the options only
  miniapp.info(config, program.ranks->size(), out);
  try {
    config.refuse_unknown();
  } catch (const UnknownKey& e) {
    throw Error(e.code(), text_of(e, program, config));
  }
}

}  // namespace

// The candidates that a run of the case compares or chooses from.
static void show_candidates(const Table& config, const char* name) {
  const Table t = config.table(name);
  const auto solvers = t.get<std::vector<std::string>>("solvers", {});
  const auto every = t.get<std::int64_t>("every", std::string_view(name) == "select" ? 20 : 10);
  if (solvers.empty() || every == 0) return;
  say("{:<10} {}, every {} steps: {}\n", name, t.get<std::string>("system", ""), every, fmt::join(solvers, ", "));
}

int run_case(const Program& program, const RunArguments& a) {
  const std::string name = fs::path(a.source).stem().string();
  if (const std::string why = why_no_file_name(name); !why.empty())
    throw Error(Exit::usage, a.source + ": the case's name '" + name + "': " + why);
  return run_in(program, a, name, "weir-runs/" + name, read_case(a.source, a.overrides, a.unset), {});
}

int restart_case(const Program& program, const RunArguments& a) {
  Checkpoint from = find_checkpoint(a.source);
  const Table config = read_case_text(from.header.config, from.path + ":config", a.overrides, a.unset);
  const std::string directory = a.directory.empty() ? run_directory_of(from) : a.directory;
  const std::vector<std::string> changed =
      config.changes(read_case_text(from.header.config, from.path + ":config", {}));
  const std::string name = from.header.name;  // kept by the checkpoint
  return run_in(program, a, name, directory, config, std::move(from), changed);
}

void check_run(const Program& program, const RunArguments& a, bool is_restart) {
  const auto read_checkpoints_case = [&] {
    const Checkpoint from = find_checkpoint(a.source);
    return read_case_text(from.header.config, from.path + ":config", a.overrides, a.unset);
  };
  std::ostringstream discarded;
  inform(program, is_restart ? read_checkpoints_case() : read_case(a.source, a.overrides, a.unset), discarded);
}

int show_info(const Program& program, const RunArguments& a) {
  const Table config = read_case(a.source, a.overrides, a.unset);
  if (is_study(config)) return show_study(program, a.source);
  inform(program, config, std::cout);
  for (const char* name : {"shadow", "relay", "select"}) show_candidates(config, name);
  return 0;
}

}  // namespace weir
