#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/print.hpp"
#include "miniapps/cli/verbs.hpp"
#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/map/map_study.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/records.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// A line a run, with the time left at the pace of those that were made by this call.
class Pace {
 public:
  Pace(const MapStudy& map)
      : all_(map.cells() * map.runs.configurations.size() * static_cast<std::size_t>(map.runs.repeats)) {}

  void tell(const std::string& cell, const AbProgress& progress, const AbRun& run, const AbStudy& study) {
    ++done_;
    made_ += !progress.was_there;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    const double left = made_ > 0 ? spent.count() / made_ * static_cast<double>(all_ - done_) : 0;
    const std::string how = run.counts       ? duration_text(run.seconds)
                            : run.is_stopped ? "more than " + duration_text(run.seconds)
                                             : fmt::format("excluded: exit code {}, {}", run.exit_code, run.reason);
    say("[{}/{}] {}: {}, repeat {}: {}{}{}\n", done_, all_, cell, study.configurations[run.twin.configuration].name,
        run.twin.repeat + 1, how, progress.was_there ? " (done before)" : "",
        made_ > 0 ? "; about " + duration_text(left) + " left" : "");
    std::fflush(stdout);
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t all_, done_ = 0;
  int made_ = 0;
};

}  // namespace

int run_map(const Program& program, const std::string& study_file, const std::string& directory,
            const std::string& budget) {
  const MapStudy map = read_map_study(study_file, budget);
  for (std::size_t y = 0; y < map.y.values.size(); ++y)
    for (std::size_t x = 0; x < map.x.values.size(); ++x) check_study(program, study_of_cell(map, x, y));
  const StudyFolder folder(directory);
  const auto path = [&](const std::string& name) { return (fs::path(directory) / name).string(); };
  write_text_aside(path("study.toml"), read_text(study_file));
  std::vector<MapCell> cells;
  Pace pace(map);
  for (std::size_t y = 0; y < map.y.values.size(); ++y)
    for (std::size_t x = 0; x < map.x.values.size(); ++x) {
      const AbStudy study = study_of_cell(map, x, y);
      const std::string name = map.x.values[x] + ", " + map.y.values[y];
      const AbRuns made = run_twins(study, path(fmt::format("cells/{}.{}", x + 1, y + 1)),
                                    [&](const AbProgress& p, const AbRun& r) { pace.tell(name, p, r, study); });
      if (const int stopped_by = made.stopped_by) {
        say("stopped by signal {}; what is complete is kept in {}: the same command continues from there\n", stopped_by,
            directory);
        return 128 + stopped_by;
      }
      cells.push_back({x, y, map.by_relays ? summary_of_relays(made) : summarise(study, made.runs)});
      write_text_aside(path("map.csv"), map_csv(map, cells));  // what is known so far
      write_text_aside(path("map_cells.csv"), map_cells_csv(map, cells));
    }
  const std::string text = map_text(map, cells);
  write_text_aside(path("map.txt"), fmt::format("{}\n{}\n{}\n{}", map.runs.title.empty() ? "Map" : map.runs.title,
                                                map.x.key, map.y.key, text));
  say("{}", text);
  if (!map.runs.report) return 0;
  const int ended = try_report(directory, 0);
  if (fs::exists(path("report.html"))) say("  report           {}\n", path("report.html"));
  return ended;
}

}  // namespace weir
