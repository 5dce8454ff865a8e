#include "miniapps/study/ab/ab_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "postproc/run/csv.hpp"

namespace weir {
namespace {

// The row of history.csv in which the target is reached; rows() where it is not.
std::size_t row_of_target(const Csv& history, const AbTarget& target) {
  constexpr double rounding = 1e-9;  // of times in the file
  double largest = 0;
  for (std::size_t i = 0; i < history.rows(); ++i) {
    if (target.kind == AbTarget::Kind::time && history.number(i, "time") >= target.value * (1 - rounding)) return i;
    if (target.kind != AbTarget::Kind::column) continue;
    const double value = std::abs(history.number(i, target.column));
    largest = std::max(largest, std::isfinite(value) ? value : 0);
    if (largest > 0 && value <= target.value * largest) return i;
  }
  return target.kind == AbTarget::Kind::end && history.rows() > 0 ? history.rows() - 1 : history.rows();
}

void add_up_solves(const Csv& solves, double last_step, AbRun& run) {
  for (std::size_t i = 0; i < solves.rows(); ++i) {
    if (solves.number(i, "step") > last_step) break;
    ++run.solves;
    run.iterations += static_cast<std::int64_t>(solves.or_zero(i, "iterations"));
    run.setup_seconds += 1e-3 * solves.or_zero(i, "setup_ms");
    run.solve_seconds += 1e-3 * solves.or_zero(i, "solve_ms");
  }
}

// Whether the run comes to its end or not: solves that stagnate are what the warnings are for.
void judge_warnings(const Csv& observatory, AbRun& run) {
  for (std::size_t i = 0; i < observatory.rows(); ++i)
    if (const double warned = observatory.number(i, "warning"); std::isfinite(warned))
      run.warnings.add(warned > 0, observatory.text(i, "reason") != "converged");
}

void read_summary(const nlohmann::json& j, AbRun& run) {
  run.status = j.value("status", "");
  run.reason = j.value("reason", "");
  if (j.contains("state_hash") && j["state_hash"].is_string()) run.state_hash = j["state_hash"];
  const nlohmann::json quantities = j.value("quantities", nlohmann::json::object());
  for (const auto& [name, value] : quantities.items())
    if (value.is_number()) run.quantities[name] = value;
}

}  // namespace

void read_costs(const std::string& directory, const AbTarget& target, AbRun& run) {
  std::ifstream file(directory + "/run.json");
  const nlohmann::json j = nlohmann::json::parse(file, nullptr, false);
  if (!j.is_object()) return;  // the reason is in the log
  read_summary(j, run);
  judge_warnings(Csv(directory + "/observatory.csv"), run);
  const bool ended = run.exit_code == 0 || run.exit_code == 5;  // 5: [check] did not hold
  const Csv history(directory + "/history.csv"), solves(directory + "/solves.csv");
  if (target.kind == AbTarget::Kind::column && !history.has(target.column)) {
    run.reason = "history.csv has no column '" + target.column + "'";
    return;
  }
  const std::size_t row = row_of_target(history, target);
  if (row == history.rows()) {
    if (ended) run.reason = "it ended before that: " + target.describe();
    return;
  }
  run.counts = ended || target.kind != AbTarget::Kind::end;
  const double loop_began = j.value("wall_seconds", 0.0) - j.value("loop_seconds", 0.0);
  run.steps = static_cast<std::int64_t>(row) + 1;
  run.time = history.number(row, "time");
  run.seconds = history.number(row, "wall") - loop_began;
  add_up_solves(solves, history.number(row, "step"), run);
}

}  // namespace weir
