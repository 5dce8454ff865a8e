#include "miniapps/study/map/map_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "inputs/case.hpp"
#include "postproc/run/csv.hpp"

namespace weir {
namespace {

constexpr Option axis_keys[] = {
    {"key", Option::text, Option::required, "key of the case that varies along the axis, for example time.cfl"},
    {"values", Option::texts, Option::required, "values of the key, written as for --set: [\"0.5\", \"1\"]"}};
Options axis_options() { return axis_keys; }

constexpr Option map_options[] = {
    {"x", Option::table, Option::required, "key and values along the horizontal axis of the map", "", "", "",
     axis_options},
    {"y", Option::table, Option::required, "key and values along the vertical axis of the map", "", "", "",
     axis_options},
    {"relays", Option::boolean, "false",
     "switch for one run per grid point, in which the branches of [relay] decide instead of whole runs"}};

MapAxis read_axis(const Table& map, const char* name) {
  const Table t = map.table(name).described_by(axis_keys);
  MapAxis axis{t.get<std::string>("key"), t.get<std::vector<std::string>>("values")};
  if (axis.values.empty()) t.fail("values", "'values' is empty");
  return axis;
}

struct Ranked {
  std::string name;
  double ratio, low, high;
};

// The baseline and the configurations that have a time, fastest first.
std::vector<Ranked> ranking_of(const AbSummary& cell) {
  std::vector<Ranked> ranked;
  for (std::size_t k = 0; k < cell.rows.size(); ++k) {
    const AbRow& row = cell.rows[k];
    const PairedComparison& c = row.with_baseline;
    if (k == 1 || c.pairs == 0) continue;  // the A/A control
    if (k == 0)
      ranked.push_back({row.configuration, 1, 1, 1});
    else
      ranked.push_back(
          {row.configuration, c.of_sums, c.of_sums_interval.low, row.stopped ? INFINITY : c.of_sums_interval.high});
  }
  std::ranges::stable_sort(ranked, [](const Ranked& a, const Ranked& b) { return a.ratio < b.ratio; });
  return ranked;
}

std::string place_text(const MapStudy& map, const MapCell& cell) {
  return csv_quoted(map.x.values[cell.x]) + "," + csv_quoted(map.y.values[cell.y]);
}

// JSON has no infinity.
double number(const nlohmann::json& j) { return j.is_number() ? j.get<double>() : INFINITY; }

AbRow row_of(const nlohmann::json& relay, std::size_t k) {
  const nlohmann::json& s = relay["solvers"][k];
  const std::string verdict = s["verdict"];
  AbRow row;
  row.configuration = k == 0 ? "reference" : s["name"].get<std::string>();
  row.runs = s["branches"];
  row.failures = s["failures"];
  row.stopped = s["cut"];
  row.total_seconds = NAN;
  row.noise = std::log(number(relay["noise"]));
  row.verdict = verdict == "faster"          ? Verdict::faster
                : verdict == "slower"        ? Verdict::slower
                : verdict == "no difference" ? Verdict::no_difference
                                             : Verdict::undecided;
  row.with_baseline.pairs = verdict == "fails" ? 0 : row.runs;
  row.with_baseline.of_sums = number(s["closed"]);
  row.with_baseline.of_sums_interval = {number(s["closed_interval"][0]), number(s["closed_interval"][1])};
  const bool is_known = verdict != "not settled" && verdict != "too few branches" && relay["clear_progress"] == true;
  if (k > 1 && !is_known) row.with_baseline.of_sums_interval = {0, INFINITY};
  return row;
}

}  // namespace

std::vector<KeyTable> map_keys() { return {{"map", "", map_options}}; }

MapStudy read_map_study(const std::string& path, const std::string& budget) {
  const Table file = read_case(path);
  MapStudy map;
  map.runs = ab_study_of(file, path, budget);
  const Table t = file.table("map").described_by(map_options);
  map.x = read_axis(t, "x");
  map.y = read_axis(t, "y");
  if (map.x.key == map.y.key) t.fail("y", "'" + map.y.key + "' is already the key of x");
  if (map.runs.cases.size() != 1) file.table("study").fail("cases", "a map needs exactly one case");
  map.by_relays = t.get<bool>("relays");
  if (map.by_relays) {
    if (map.runs.configurations.size() != 2)
      t.fail("relays", "with relays = true the study needs exactly one configuration");
    map.runs.configurations.pop_back();  // the A/A control
    map.runs.repeats = 1;
  }
  file.refuse_unknown();
  return map;
}

AbStudy study_of_cell(const MapStudy& map, std::size_t x, std::size_t y) {
  AbStudy study = map.runs;
  study.set.push_back(map.x.key + "=" + map.x.values[x]);
  study.set.push_back(map.y.key + "=" + map.y.values[y]);
  return study;
}

AbSummary summary_of_relays(const AbRuns& runs) {
  AbSummary cell;
  if (runs.runs.empty() || runs.runs[0].relay.empty()) return cell;
  const nlohmann::json relay = nlohmann::json::parse(runs.runs[0].relay);
  for (std::size_t k = 0; k < relay["solvers"].size(); ++k) cell.rows.push_back(row_of(relay, k));
  return cell;
}

MapWinner winner_of(const AbSummary& cell) {
  const std::vector<Ranked> ranked = ranking_of(cell);
  MapWinner w;
  if (ranked.empty()) return w;
  const Ranked& best = ranked.front();
  w.configuration = best.name;
  if (ranked.size() < 2) {  // all others failed
    w.is_decided = true;
    return w;
  }
  w.second = ranked[1].name;
  w.margin = ranked[1].ratio / best.ratio;
  const double noise = std::exp(cell.rows[0].noise);
  w.is_decided =
      std::all_of(ranked.begin() + 1, ranked.end(), [&](const Ranked& t) { return t.low > best.high * noise; });
  for (std::size_t k = 2; k < cell.rows.size(); ++k)
    if (cell.rows[k].verdict == Verdict::too_few_systems && cell.rows[k].with_baseline.pairs > 0) w.is_decided = false;
  return w;
}

std::string map_csv(const MapStudy& map, const std::vector<MapCell>& cells) {
  std::string text = "x,y,configuration,runs,failures,stopped,pairs,ratio,low,high,noise,verdict,total_s\n";
  for (const MapCell& cell : cells)
    for (std::size_t k = 0; k < cell.summary.rows.size(); ++k) {
      const AbRow& r = cell.summary.rows[k];
      const PairedComparison& c = r.with_baseline;
      text += fmt::format("{},{},{},{},{},{},", place_text(map, cell), r.configuration, r.runs, r.failures, r.stopped,
                          c.pairs);
      text += k == 0 || c.pairs == 0 ? ",,,,"
                                     : fmt::format("{:.5g},{:.5g},{:.5g},{:.5g},", c.of_sums, c.of_sums_interval.low,
                                                   c.of_sums_interval.high, std::exp(r.noise));
      text += (k == 0 ? "baseline" : k == 1 ? "control" : c.pairs == 0 ? "not comparable" : to_string(r.verdict));
      text += std::isfinite(r.total_seconds) ? fmt::format(",{:.6g}\n", r.total_seconds) : ",\n";
    }
  return text;
}

std::string map_cells_csv(const MapStudy& map, const std::vector<MapCell>& cells) {
  std::string text = "x,y,winner,decided,second,margin\n";
  for (const MapCell& cell : cells) {
    const MapWinner w = winner_of(cell.summary);
    text += fmt::format("{},{},{},{},{}\n", place_text(map, cell), w.configuration, w.is_decided ? 1 : 0, w.second,
                        w.second.empty() ? "" : fmt::format("{:.5g}", w.margin));
  }
  return text;
}

std::string map_text(const MapStudy& map, const std::vector<MapCell>& cells) {
  std::string text =
      fmt::format("\nFastest solver over {} (x) and {} (y), from {}\n", map.x.key, map.y.key, map.evidence());
  for (const MapCell& cell : cells) {
    const MapWinner w = winner_of(cell.summary);
    text += fmt::format("  {:<16} {:<16} ", map.x.values[cell.x], map.y.values[cell.y]);
    if (w.configuration.empty())
      text += "no solver finished\n";
    else if (!w.is_decided)
      text += fmt::format("undecided: best {}; {} costs {:.2f} times as much\n", w.configuration, w.second, w.margin);
    else if (w.second.empty())
      text += w.configuration + "; all others failed\n";
    else
      text += fmt::format("{}; {} costs {:.2f} times as much\n", w.configuration, w.second, w.margin);
  }
  return text;
}

}  // namespace weir
