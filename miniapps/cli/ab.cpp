#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/print.hpp"
#include "miniapps/cli/verbs.hpp"
#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/ab/ab_summary.hpp"
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
  say("[{}/{}] {}, {}, repeat {}: {}{}\n", progress.done, progress.all, study.cases[run.twin.of_case].name,
      study.configurations[run.twin.configuration].name, run.twin.repeat + 1, how,
      progress.was_there ? " (done before)" : "");
  std::fflush(stdout);
}

}  // namespace

int run_ab(const std::string& study_file, const std::string& directory) {
  const AbStudy study = read_ab_study(study_file);
  prepare(directory);
  const auto path = [&](const char* name) { return (fs::path(directory) / name).string(); };
  write_text_aside(path("study.toml"), read_text(study_file));
  const auto [runs, stopped_by] =
      run_twins(study, directory, [&](const AbProgress& p, const AbRun& r) { tell(study, p, r); });
  if (stopped_by) {
    say("stopped by signal {}, with the run in progress; {} of {} runs are complete and kept in {}: the same command "
        "continues from there\n",
        stopped_by, runs.size(), draw_order(study).size(), directory);
    return 128 + stopped_by;
  }
  const AbSummary summary = summarise(study, runs);
  const std::string text = ab_text(study, summary, runs);
  write_text_aside(path("ab.csv"), ab_csv(study, runs));
  write_text_aside(path("ab_summary.csv"), ab_summary_csv(summary));
  write_text_aside(path("ab_quantities.csv"), ab_quantities_csv(summary));
  write_text_aside(path("ab.txt"), text);
  say("\n{}", text);
  const bool is_any = std::any_of(runs.begin(), runs.end(), [](const AbRun& r) { return r.counts; });
  const int code =
      is_any ? 0 : static_cast<int>(Exit::solver_failed);  // not one run came to where it could be compared
  if (!study.report) return code;
  const int ended = try_report(directory, code);
  if (fs::exists(path("report.html"))) say("  report           {}\n", path("report.html"));
  return ended;
}

}  // namespace weir
