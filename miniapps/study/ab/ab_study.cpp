#include "miniapps/study/ab/ab_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "miniapps/study/shadow/statistics.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

AbCase read_case_of(const Table& t, const fs::path& folder, const std::string& text) {
  AbCase c;
  const fs::path path = folder / text;
  if (!fs::exists(path)) t.fail("cases", path.lexically_normal().string() + ": no such file");
  c.path = path.lexically_normal().string();
  c.is_checkpoint = fs::is_directory(path) || path.extension() == ".h5";
  c.name = path.stem().string();
  return c;
}

constexpr Option until_keys[] = {
    {"time", Option::number, "depends: not by time", "flow time at which the costs of runs are compared", "", "time"},
    {"column", Option::text, Option::required, "column of history.csv that must decay"},
    {"falls_to", Option::number, Option::required,
     "fraction of the column's maximum at which the costs of runs are compared", "(0, inf)"}};

constexpr Option budget_keys[] = {
    {"seconds", Option::number, "0", "limit of a run's time loop; 0: none", "[0, inf)", "s"},
    {"factor", Option::number, "0",
     "limit of a run's time loop as a multiple of that of the baseline's first run; 0: none", "[0, inf)"}};
Options budget_options() { return budget_keys; }

constexpr Option study_keys[] = {
    {"title", Option::text, "", "title of the report"},
    {"cases", Option::texts, Option::required,
     "case files, relative to the study file; runs from a checkpoint or run directory continue it"},
    {"configurations", Option::texts, Option::required,
     "names of the configurations, defined by [configuration.NAME]; the first is the baseline and runs twice per "
     "repeat, as A/A control"},
    {"repeats", Option::integer, "6", "number of repeats of each run", "[1, inf)"},
    {"seed", Option::integer, "1", "seed of the random order of the runs"},
    {"steps", Option::integer, "0", "last step of each run (option --steps of weir run); 0: no limit", "[0, inf)",
     "steps"},
    {"wall_limit", Option::number, "0", "wall-clock limit of each run; 0: none", "[0, inf)", "s"},
    {"set", Option::texts, "[]", "keys overridden in every run, written as for --set"},
    {"unset", Option::texts, "[]", "keys removed in every run, written as for --unset"},
    {"until", Option::text, "end",
     "point at which the costs of runs are compared: end, { time = T } or { column = C, falls_to = F }", "end"},
    {"budget", Option::table, "none: each run to its end",
     "time limit of a run; a run stopped by it counts as slower than the limit", "", "", "", budget_options},
    {"report", Option::boolean, "true", "switch for writing report.html of the study"}};

constexpr Option configuration_keys[] = {
    {"set", Option::texts, "[]", "keys overridden in the configuration, written as for --set"},
    {"unset", Option::texts, "[]", "keys removed in the configuration, written as for --unset"}};

AbTarget read_target(const Table& t) {
  AbTarget target;
  if (!t.is_table("until")) {
    t.get<std::string>("until");
    return target;
  }
  const Table until = t.table("until").described_by(until_keys);
  if (until.has("time")) {
    target.kind = AbTarget::Kind::time;
    target.value = until.get<double>("time");
    return target;
  }
  target.kind = AbTarget::Kind::column;
  target.column = until.get<std::string>("column");
  target.value = until.get<double>("falls_to");
  return target;
}

AbBudget read_budget(const Table& t, const std::string& text) {
  const Table budget = t.table("budget").described_by(budget_keys);
  AbBudget b{budget.get<double>("seconds"), budget.get<double>("factor")};
  if (text.empty()) return b;
  char unit = 0;
  double value = 0;
  std::istringstream words(text);
  if (!(words >> value >> unit) || !(value > 0) || (unit != 'x' && unit != 's') || words.get() != EOF)
    throw Error(Exit::usage, "--budget " + text + ": expected 12x (times the baseline's time) or 60s");
  return unit == 's' ? AbBudget{value, 0} : AbBudget{0, value};
}

void refuse_twins(const Table& t, const char* key, const std::vector<std::string>& names) {
  if (names.empty()) t.fail(key, std::string("'") + key + "' is empty");
  std::set<std::string> seen;
  for (const auto& name : names)
    if (!seen.insert(name).second) t.fail(key, "'" + std::string(key) + "' has the name '" + name + "' twice");
}

}  // namespace

std::string AbTarget::describe() const {
  if (kind == Kind::time) return fmt::format("at time {:g}", value);
  if (kind == Kind::column) return fmt::format("when {} has fallen to {:g} of its maximum", column, value);
  return "at the end of each run";
}

std::string AbBudget::describe() const {
  const std::string of_baseline = factor > 0 ? fmt::format("{:g} times the baseline", factor) : "";
  const std::string fixed = seconds > 0 ? fmt::format("{:g} s", seconds) : "";
  return of_baseline + (factor > 0 && seconds > 0 ? ", " : "") + fixed;
}

std::vector<KeyTable> ab_keys() {
  return {{"study", "", study_keys},
          {"study.until", "as a table", until_keys},
          {"study.budget", "", budget_keys},
          {"configuration.NAME", "", configuration_keys}};
}

AbStudy read_ab_study(const std::string& path, const std::string& budget) {
  const Table file = read_case(path);
  AbStudy study = ab_study_of(file, path, budget);
  file.refuse_unknown();
  return study;
}

AbStudy ab_study_of(const Table& file, const std::string& path, const std::string& budget) {
  const Table t = file.table("study").described_by(study_keys);
  AbStudy s;
  s.path = path;
  s.title = t.get<std::string>("title");
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> names;
  for (const auto& text : t.get<std::vector<std::string>>("cases")) {
    s.cases.push_back(read_case_of(t, folder, text));
    names.push_back(s.cases.back().name);
  }
  refuse_twins(t, "cases", names);
  const auto configurations = t.get<std::vector<std::string>>("configurations");
  refuse_twins(t, "configurations", configurations);
  for (const auto& name : configurations) {
    if (!file.table("configuration").is_table(name))
      t.fail("configurations", "no table [configuration." + name + "] defines it");
    const Table configuration = file.table("configuration").table(name).described_by(configuration_keys);
    s.configurations.push_back({name, configuration.get<std::vector<std::string>>("set"),
                                configuration.get<std::vector<std::string>>("unset")});
    if (s.configurations.size() > 1) continue;
    s.configurations.push_back(s.configurations[0]);
    s.configurations[1].name += " again";
  }
  std::vector<std::string> all;  // with the name of the baseline's repeat
  for (const AbConfiguration& k : s.configurations) all.push_back(k.name);
  refuse_twins(t, "configurations", all);
  s.repeats = t.get<int>("repeats");
  s.seed = static_cast<std::uint64_t>(t.get<std::int64_t>("seed"));
  s.steps = t.get<std::int64_t>("steps");
  s.wall_limit = t.get<double>("wall_limit");
  s.set = t.get<std::vector<std::string>>("set");
  s.unset = t.get<std::vector<std::string>>("unset");
  s.target = read_target(t);
  s.budget = read_budget(t, budget);
  s.report = t.get<bool>("report");
  return s;
}

std::vector<AbTwin> draw_order(const AbStudy& study) {
  std::vector<AbTwin> all;
  for (int repeat = 0; repeat < study.repeats; ++repeat) {
    const std::size_t first = all.size();
    for (std::size_t c = 0; c < study.cases.size(); ++c)
      for (std::size_t k = 0; k < study.configurations.size(); ++k) all.push_back({c, k, repeat, 0});
    std::mt19937_64 random = draw(study.seed, repeat);
    shuffle(std::span(all).subspan(first), random);
    if (repeat > 0 || study.budget.factor == 0) continue;
    for (std::size_t c = 0; c < study.cases.size(); ++c) {
      const auto of_case = [&](const AbTwin& t) { return t.of_case == c; };
      const auto earliest = std::ranges::find_if(all, of_case);
      std::swap(*earliest, *std::find_if(earliest, all.end(),
                                         [&](const AbTwin& t) { return of_case(t) && t.configuration == 0; }));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].place = static_cast<int>(i);
  return all;
}

}  // namespace weir
