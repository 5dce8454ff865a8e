// weir ab, weir map: studies of whole runs. A map is a grid of such studies.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "base/print.hpp"
#include "inputs/case.hpp"
#include "miniapps/cli/verbs.hpp"
#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/ab/ab_summary.hpp"
#include "miniapps/study/map/map_study.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/records.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// The runs in one folder: all of weir ab, or one point of the grid of weir map.
struct Cell {
  std::string name, directory;  // name: "flow.viscosity=0.01"; empty for weir ab
  AbStudy study;
  std::size_t runs() const {
    return study.cases.size() * study.configurations.size() * static_cast<std::size_t>(study.repeats);
  }
};

// One line per run, with the time that is left at the pace of the runs which this call has made.
class Progress {
 public:
  void begin(std::size_t own, std::size_t to_come) {  // runs of the next cell and of those after it
    done_ = now_;
    to_come_ = to_come;
    all_ = done_ + own + to_come;
  }
  std::size_t done() const { return now_; }
  std::size_t all() const { return all_; }

  void tell(const Cell& cell, const AbProgress& progress, const AbRun& run) {
    now_ = done_ + static_cast<std::size_t>(progress.done);
    all_ = done_ + static_cast<std::size_t>(progress.all) + to_come_;
    made_ += !progress.was_there;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    const std::string cost = fmt::format("{}, {} steps", duration_text(run.seconds), run.steps);
    const std::string how = run.counts       ? cost
                            : run.is_stopped ? "stopped by the budget after " + cost
                                             : fmt::format("excluded: exit code {}, {}", run.exit_code, run.reason);
    const std::string left =
        made_ > 0 && now_ < all_
            ? "; about " + duration_text(spent.count() / made_ * static_cast<double>(all_ - now_)) + " left"
            : "";
    say("[{}/{}] {}, {}, repeat {}: {}{}{}\n", now_, all_,
        cell.name.empty() ? cell.study.cases[run.twin.of_case].name : cell.name,
        cell.study.configurations[run.twin.configuration].name, run.twin.repeat + 1, how,
        progress.was_there ? " (completed earlier)" : "", left);
    std::fflush(stdout);
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t done_ = 0, to_come_ = 0, now_ = 0, all_ = 0;
  int made_ = 0;
};

// A dry run of every configuration and case, before the first run.
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

// Creates the folder of a study if it is missing, and opens its lock. Error(usage) if it is another folder (those of
// studies have study.lock, or the files of an older Weir).
int open_study(const std::string& directory) {
  const fs::path folder = directory;
  const auto has = [&](const char* name) { return fs::exists(folder / name); };
  const bool is_study = fs::is_directory(folder) && (fs::is_empty(folder) || has("study.lock") ||
                                                     (has("study.toml") && (has("done") || has("cells"))));
  if (fs::exists(folder) && !is_study)
    throw Error(Exit::usage, directory + ": exists and is not the folder of a study; choose another folder (-o)");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(Exit::file_io, "cannot create " + directory + ": " + error.message());
  const std::string path = (folder / "study.lock").string();
  const int lock = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (lock < 0) fail_to_write(path, errno);
  return lock;
}

// Runs all cells; keep(cell, runs) writes the results so far and returns the exit code of the study.
int run_cells(const Program& program, const std::string& study_file, const std::string& directory,
              const std::vector<Cell>& cells, const std::function<int(std::size_t, const AbRuns&)>& keep) {
  for (const Cell& cell : cells) check_study(program, cell.study);
  const Descriptor lock(open_study(directory));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(Exit::usage, directory + ": another process runs a study in this folder; choose another folder (-o)");
  write_text_aside((fs::path(directory) / "study.toml").string(), read_text(study_file));
  Progress progress;
  int code = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const Cell& cell = cells[k];
    progress.begin(cell.runs(), (cells.size() - k - 1) * cell.runs());
    const AbRuns made =
        run_twins(cell.study, cell.directory, [&](const AbProgress& p, const AbRun& r) { progress.tell(cell, p, r); });
    if (made.stopped_by) {
      say("stopped by signal {}; {} of {} runs are complete and kept in {}. Repeat the command to continue.\n",
          made.stopped_by, progress.done(), progress.all(), directory);
      return 128 + made.stopped_by;
    }
    code = keep(k, made);
  }
  if (!cells.front().study.report) return code;
  code = try_report(directory, code);
  const std::string page = (fs::path(directory) / "report.html").string();
  if (fs::exists(page)) say("  report           {}\n", page);
  return code;
}

std::vector<Cell> cells_of(const MapStudy& map, const std::string& directory) {
  std::vector<Cell> cells;
  for (std::size_t y = 0; y < map.y.values.size(); ++y)
    for (std::size_t x = 0; x < map.x.values.size(); ++x)
      cells.push_back({map.x.key + "=" + map.x.values[x] + ", " + map.y.key + "=" + map.y.values[y],
                       (fs::path(directory) / fmt::format("cells/{}.{}", x + 1, y + 1)).string(),
                       study_of_cell(map, x, y)});
  return cells;
}

std::string listed(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace

int run_ab(const Program& program, const std::string& study_file, const std::string& directory,
           const std::string& budget) {
  const AbStudy study = read_ab_study(study_file, budget);
  return run_cells(program, study_file, directory, {{"", directory, study}}, [&](std::size_t, const AbRuns& made) {
    const AbSummary summary = summarise(study, made.runs);
    const std::string text = ab_text(study, summary, made.runs);
    for (const auto& [name, content] :
         {std::pair{"ab.csv", ab_csv(study, made.runs)}, std::pair{"ab_summary.csv", ab_summary_csv(summary)},
          std::pair{"ab_quantities.csv", ab_quantities_csv(summary)}, std::pair{"ab.txt", text}})
      write_text_aside((fs::path(directory) / name).string(), content);
    say("\n{}", text);
    const bool is_any = std::ranges::any_of(made.runs, [](const AbRun& r) { return r.counts; });
    return is_any ? 0 : static_cast<int>(Exit::solver_failed);
  });
}

int run_map(const Program& program, const std::string& study_file, const std::string& directory,
            const std::string& budget) {
  const MapStudy map = read_map_study(study_file, budget);
  const std::vector<Cell> cells = cells_of(map, directory);
  std::vector<MapCell> done;
  return run_cells(program, study_file, directory, cells, [&](std::size_t k, const AbRuns& made) {
    done.push_back({k % map.x.values.size(), k / map.x.values.size(),
                    map.by_relays ? summary_of_relays(made) : summarise(cells[k].study, made.runs)});
    const auto write = [&](const char* name, const std::string& text) {
      write_text_aside((fs::path(directory) / name).string(), text);
    };
    write("map.csv", map_csv(map, done));
    write("map_cells.csv", map_cells_csv(map, done));
    if (k + 1 < cells.size()) return 0;
    const std::string text = map_text(map, done);
    write("map.txt",
          fmt::format("{}\n{}\n{}\n{}", map.runs.title.empty() ? "Map" : map.runs.title, map.x.key, map.y.key, text));
    say("{}", text);
    return 0;
  });
}

bool is_study(const Table& file) { return file.has("study"); }

int show_study(const Program& program, const std::string& path) {
  const bool is_map = read_case(path).has("map");
  const MapStudy map = is_map ? read_map_study(path) : MapStudy{read_ab_study(path), {}, {}};
  const AbStudy& study = map.runs;
  const std::vector<Cell> cells = is_map ? cells_of(map, "") : std::vector<Cell>{{"", "", study}};
  for (const Cell& cell : cells) check_study(program, cell.study);
  std::vector<std::string> cases, configurations;
  for (const AbCase& c : study.cases) cases.push_back(c.name);
  for (const AbConfiguration& k : study.configurations) configurations.push_back(k.name);
  if (!study.title.empty()) say("study           {}\n", study.title);
  say("{:<15} {}\nconfigurations  {}\n", study.cases.size() == 1 ? "case" : "cases", listed(cases),
      listed(configurations));
  if (is_map)
    say("grid            {} = {}\n                {} = {}\nevidence        {}\n", map.x.key, listed(map.x.values),
        map.y.key, listed(map.y.values),
        map.by_relays ? "branches of one run per grid point ([relay])" : "whole runs at each grid point");
  say("runs            {}{}: {}\n", cells.size() * cells.front().runs(),
      study.repeats > 1 ? fmt::format(", {} repeats of each in random order", study.repeats) : "",
      study.steps > 0 ? fmt::format("{} steps each", study.steps) : study.target.describe());
  if (study.budget) say("budget          {}\n", study.budget.describe());
  say("to run it       weir {} {} -o DIR\n", is_map ? "map" : "ab", path);
  return 0;
}

}  // namespace weir
