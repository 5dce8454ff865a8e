// report.html is made by postproc/report/report.py in a child process.
#include <fmt/format.h>

#include <filesystem>

#include "miniapps/cli/ab.hpp"
#include "miniapps/cli/verbs.hpp"
#include "postproc/report/python.hpp"

namespace weir {

namespace fs = std::filesystem;

int write_report(const std::string& run_directory) {
  if (write_ab_report(run_directory)) return 0;
  if (!fs::exists(fs::path(run_directory) / "run.json"))
    throw Error(Exit::usage, run_directory + ": is not a run directory (no run.json)");
  const auto script = find_script("report.py");
  if (!script) throw Error(Exit::internal, "postproc/report/report.py is missing");
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
    fmt::print("  report not written: {}\n", e.what());
  }
}

}  // namespace weir
