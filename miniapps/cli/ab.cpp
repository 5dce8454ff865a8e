#include "miniapps/cli/ab.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/ab/ab_summary.hpp"
#include "postproc/report/python.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/records.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// A folder that is none of a study's is left alone.
void prepare(const std::string& directory) {
  const fs::path folder = directory;
  if (fs::exists(folder) && !(fs::is_directory(folder) && (fs::is_empty(folder) || fs::exists(folder / "study.toml"))))
    throw Error(Exit::usage, directory + ": exists and is not the folder of a study; choose another (-o)");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(Exit::file_io, "cannot make " + directory + ": " + error.message());
}

void tell(const AbStudy& study, const AbProgress& progress, const AbRun& run) {
  const std::string how = run.counts ? fmt::format("{}, {} steps", duration_text(run.seconds), run.steps)
                                     : fmt::format("excluded: exit code {}, {}", run.exit_code, run.reason);
  fmt::print("[{}/{}] {}, {}, repeat {}: {}{}\n", progress.done, progress.all, study.cases[run.twin.of_case].name,
             study.configurations[run.twin.configuration].name, run.twin.repeat + 1, how,
             progress.was_there ? " (done before)" : "");
  std::fflush(stdout);
}

void draw(const std::string& directory) {
  try {
    write_ab_report(directory);
    fmt::print("  report           {}\n", (fs::path(directory) / "report.html").string());
  } catch (const Error& e) {
    fmt::print("  report not written: {}\n", e.what());
  }
}

}  // namespace

bool write_ab_report(const std::string& directory) {
  if (!fs::exists(fs::path(directory) / "ab_summary.csv")) return false;
  const auto script = find_script("report_ab.py");
  if (!script) throw Error(Exit::internal, "postproc/report/report_ab.py is missing");
  const auto python = find_python();
  if (!python) throw Error(Exit::internal, "no python3 with matplotlib: apt-get install python3-matplotlib");
  if (run_child({*python, *script, directory}) != 0)
    throw Error(Exit::internal, "the report of " + directory + " failed");
  return true;
}

int run_ab(const AbArguments& arguments) {
  const AbStudy study = read_ab_study(arguments.study);
  prepare(arguments.directory);
  const auto path = [&](const char* name) { return (fs::path(arguments.directory) / name).string(); };
  write_text_aside(path("study.toml"), read_text(arguments.study));
  const auto [runs, stopped_by] =
      run_twins(study, arguments.directory, [&](const AbProgress& p, const AbRun& r) { tell(study, p, r); });
  if (stopped_by) {
    fmt::print(
        "stopped by signal {}, with the run in progress; {} of {} runs are complete and kept in {}: the same command "
        "continues from there\n",
        stopped_by, runs.size(), draw_order(study).size(), arguments.directory);
    return 128 + stopped_by;
  }
  const AbSummary summary = summarise(study, runs);
  const std::string text = ab_text(study, summary, runs);
  write_text_aside(path("ab.csv"), ab_csv(study, runs));
  write_text_aside(path("ab_summary.csv"), ab_summary_csv(summary));
  write_text_aside(path("ab_quantities.csv"), ab_quantities_csv(summary));
  write_text_aside(path("ab.txt"), text);
  fmt::print("\n{}", text);
  if (study.report) draw(arguments.directory);
  for (const AbRun& r : runs)
    if (r.counts) return 0;
  return static_cast<int>(Exit::solver_failed);  // not one run came to where it could be compared
}

}  // namespace weir
