#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

void tell(const AbStudy& study, const AbProgress& progress, const AbRun& run) {
  const std::string cost = fmt::format("{}, {} steps", duration_text(run.seconds), run.steps);
  const std::string how = run.counts       ? cost
                          : run.is_stopped ? "more than " + cost + ": stopped by the budget"
                                           : fmt::format("excluded: exit code {}, {}", run.exit_code, run.reason);
  say("[{}/{}] {}, {}, repeat {}: {}{}\n", progress.done, progress.all, study.cases[run.twin.of_case].name,
      study.configurations[run.twin.configuration].name, run.twin.repeat + 1, how,
      progress.was_there ? " (done before)" : "");
  std::fflush(stdout);
}

}  // namespace

StudyFolder::StudyFolder(const std::string& directory) {
  const fs::path folder = directory;
  const auto has = [&](const char* name) { return fs::exists(folder / name); };
  const bool is_study = fs::is_directory(folder) && (fs::is_empty(folder) || has("study.lock") ||
                                                     (has("study.toml") && (has("done") || has("cells"))));
  if (fs::exists(folder) && !is_study)
    throw Error(Exit::usage, directory + ": exists and is not the folder of a study; choose another (-o)");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(Exit::file_io, "cannot make " + directory + ": " + error.message());
  const std::string path = (folder / "study.lock").string();
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (lock_ < 0) fail_to_write(path, errno);
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(Exit::usage, directory + ": another process makes a study there: wait for its end");
}

StudyFolder::~StudyFolder() {
  if (lock_ >= 0) close(lock_);
}

// All that a dry run can find, before the first run of any.
void check_study(const Program& program, const AbStudy& study) {
  for (const AbCase& c : study.cases)
    for (const AbConfiguration& k : study.configurations) {
      RunArguments a;
      a.source = c.path;
      for (const auto& [to, lists] : {std::pair{&a.overrides, std::pair{&study.set, &k.set}},
                                      std::pair{&a.unset, std::pair{&study.unset, &k.unset}}})
        for (const auto* list : {lists.first, lists.second}) to->insert(to->end(), list->begin(), list->end());
      try {
        check_run(program, a, c.is_checkpoint);
      } catch (const Error& error) {
        throw Error(Exit::usage, fmt::format("configuration '{}', case '{}': {}", k.name, c.name, error.what()));
      }
    }
}

int run_ab(const Program& program, const std::string& study_file, const std::string& directory,
           const std::string& budget) {
  const AbStudy study = read_ab_study(study_file, budget);
  check_study(program, study);
  const StudyFolder folder(directory);
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
