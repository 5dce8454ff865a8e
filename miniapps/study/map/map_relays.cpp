#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "miniapps/study/map/map_study.hpp"

namespace weir {
namespace {

// What JSON cannot hold is infinite.
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

AbSummary summary_of_relays(const AbRuns& runs) {
  AbSummary cell;
  if (runs.runs.empty() || runs.runs[0].relay.empty()) return cell;
  const nlohmann::json relay = nlohmann::json::parse(runs.runs[0].relay);
  for (std::size_t k = 0; k < relay["solvers"].size(); ++k) cell.rows.push_back(row_of(relay, k));
  return cell;
}

}  // namespace weir
