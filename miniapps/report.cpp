// report.html is made by postproc/report.py in a child process: matplotlib is optional, and a fault in it harms no run.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "miniapps/verbs.hpp"

extern char** environ;

namespace weir {
namespace {

namespace fs = std::filesystem;

// Runs a program found on PATH or by its path and waits for it; its exit status, or -1 where it could not run.
int run_child(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (auto& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  if (posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The system's own Python first: that is the one that distribution packages serve.
std::optional<std::string> find_python() {
  const std::string has_matplotlib = "import importlib.util as u, sys; sys.exit(u.find_spec('matplotlib') is None)";
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (run_child({python, "-c", has_matplotlib}) == 0) return python;
  return std::nullopt;
}

std::optional<std::string> find_script() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& candidate :
       {fs::path(WEIR_SOURCE_DIR) / "postproc/report.py", program.parent_path() / "../share/weir/postproc/report.py"})
    if (fs::exists(candidate, error)) return candidate.string();
  return std::nullopt;
}

}  // namespace

int write_report(const std::string& run_directory) {
  if (!fs::exists(fs::path(run_directory) / "run.json"))
    throw Error(Exit::usage, run_directory + ": is not a run directory (no run.json)");
  const auto script = find_script();
  if (!script) throw Error(Exit::internal, "postproc/report.py is missing");
  const auto python = find_python();
  if (!python) throw Error(Exit::internal, "no python3 with matplotlib: apt-get install python3-matplotlib");
  if (run_child({*python, *script, run_directory}) != 0)
    throw Error(Exit::internal, "the report of " + run_directory + " failed");
  return 0;
}

void write_report_of(const Run& run) {
  try {
    write_report(run.directory());
  } catch (const Error& e) {
    fmt::print("  no report: {}\n", e.what());
  }
}

}  // namespace weir
