// report.html is written by postproc/report/report.py, report_ab.py or report_map.py in a child process.

#include <filesystem>
#include <string>
#include <vector>

#include "base/print.hpp"
#include "miniapps/cli/verbs.hpp"
#include "postproc/report/python.hpp"

namespace weir {

int write_report(const std::string& directory, bool with_png) {
  const auto has = [&](const char* file) { return std::filesystem::exists(std::filesystem::path(directory) / file); };
  const bool is_study = has("ab_summary.csv"), is_map = has("map_cells.csv");
  if (!is_study && !is_map && !has("run.json"))
    throw Error(
        Exit::usage,
        directory +
            " is neither a run directory (no run.json) nor the folder of a study (no ab_summary.csv or map_cells.csv)");
  const std::string name = is_map ? "report_map.py" : is_study ? "report_ab.py" : "report.py";
  const auto script = find_script(name);
  if (!script) throw Error(Exit::internal, "postproc/report/" + name + " is missing");
  const std::string package = with_png ? "matplotlib" : "numpy";
  const auto python = find_python(package);
  if (!python) throw Error(Exit::internal, "no python3 with " + package + ": apt-get install python3-" + package);
  std::vector<std::string> command = {*python, *script, directory};
  if (with_png) command.push_back("--png");
  const int code = run_child(command);
  if (code > 128) return code;
  if (code != 0)
    throw Error(code == static_cast<int>(Exit::file_io) ? Exit::file_io : Exit::internal,
                "the report of " + directory + " failed");
  return 0;
}

int try_report(const std::string& directory, int code) {
  try {
    const int signal = write_report(directory);
    return signal > 128 ? signal : code;
  } catch (const Error& e) {
    say("  report not written: {}\n", e.what());
    return code == 0 && e.code() == Exit::file_io ? static_cast<int>(e.code()) : code;
  }
}

}  // namespace weir
