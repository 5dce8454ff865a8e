// The files and the table of paired A/B runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "miniapps/study/ab/ab_summary.hpp"
#include "postproc/run/csv.hpp"

namespace weir {
namespace {

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string(); }

bool is_baseline(const AbStudy& study, const AbRow& row) { return row.configuration == study.configurations[0].name; }
bool is_control(const AbStudy& study, const AbRow& row) { return row.configuration == study.configurations[1].name; }

std::string verdict_word(const AbRow& row) {
  if (row.with_baseline.pairs == 0) return "not comparable";
  return row.verdict == Verdict::too_few_systems ? "too few pairs" : to_string(row.verdict);
}

std::string verdict_words(const AbStudy& study, const AbRow& row) {
  if (is_control(study, row)) return "A/A control";
  return row.verdict == Verdict::undecided ? verdict_text(row.verdict, row.noise) : verdict_word(row);
}

std::string number(double value, int width, int digits) {
  return std::isfinite(value) ? fmt::format("{:>{}.{}f}", value, width, digits) : std::string(width, ' ');
}

// A lower bound if runs were stopped.
std::string more_than(const AbRow& row, double value, int width, int digits) {
  if (row.stopped == 0 || !std::isfinite(value)) return number(value, width, digits);
  return fmt::format("{:>{}}", fmt::format(">{:.{}f}", value, digits), width);
}

std::string row_text(const AbStudy& study, const AbRow& row, std::size_t width) {
  std::string text =
      fmt::format("  {:<{}} {} {} {} {} {}", row.configuration, width, more_than(row, row.total_seconds, 9, 3),
                  number(row.steps, 7, 0), number(row.iterations_a_step, 9, 1), number(row.ms_an_iteration, 8, 3),
                  number(row.other_ms_a_step, 9, 2));
  const PairedComparison& c = row.with_baseline;
  if (!is_baseline(study, row) && c.pairs > 0)
    text += fmt::format("  {}  {:>6.3f} .. {:<6}  {}  {:>2} of {:<2}  {}", more_than(row, c.of_sums, 7, 3),
                        c.of_sums_interval.low, row.stopped ? "more" : fmt::format("{:.3f}", c.of_sums_interval.high),
                        more_than(row, c.ratio, 6, 3), c.wins, c.pairs, verdict_words(study, row));
  if (row.failed_seconds > 0)
    text += fmt::format(", {:.3g} s spent in solves that did not converge", row.failed_seconds);
  if (row.stopped > 0 && c.pairs > 0)
    text +=
        fmt::format(", at least {:.3g} times the baseline: {} of {} runs stopped", c.of_sums, row.stopped, row.runs);
  if (row.failures) text += fmt::format(", {} of {} runs excluded", row.failures, row.runs);
  return text + "\n";
}

std::string quantities_text(const AbSummary& summary, const std::string& of_case) {
  constexpr int most = 6;  // lines per configuration; the file has all
  std::string text, configuration;
  int shown = 0;
  for (const AbQuantity& q : summary.quantities) {
    const double difference = q.value - q.baseline;
    const double small = 1e-6 * std::max(std::abs(q.value), std::abs(q.baseline));
    if (q.of_case != of_case || std::abs(difference) <= std::max(q.spread, small)) continue;
    if (q.configuration != configuration) shown = 0;
    configuration = q.configuration;
    if (++shown == most + 1) text += fmt::format("    {}: ... (ab_quantities.csv)\n", q.configuration);
    if (shown > most) continue;
    text += fmt::format("    {}: {} = {:.8g} (baseline {:.8g}, difference {:+.2g})\n", q.configuration, q.name, q.value,
                        q.baseline, difference);
  }
  return text.empty() ? "  results: no difference larger than the baseline's own spread and 1e-6\n"
                      : "  results that differ by more than the baseline's own spread:\n" + text;
}

std::string failures_text(const AbStudy& study, const std::vector<AbRun>& runs) {
  std::string text;
  for (const AbRun& r : runs)
    if (!r.has_cost())
      text += fmt::format("  excluded: {}, {}, repeat {}: exit code {}, {}\n", study.cases[r.twin.of_case].name,
                          study.configurations[r.twin.configuration].name, r.twin.repeat + 1, r.exit_code, r.reason);
  return text;
}

// Compares the final states of the baseline's runs and of the control.
std::string repetition_text(const AbStudy& study, const std::vector<AbRun>& runs, const std::string& of_case) {
  std::map<std::string, int> hashes;
  int count = 0;
  for (const AbRun& r : runs) {
    if (study.cases[r.twin.of_case].name != of_case || r.twin.configuration > 1 || !r.counts || r.state_hash.empty())
      continue;
    ++hashes[r.state_hash];
    ++count;
  }
  if (count < 2) return "";
  if (hashes.size() == 1)
    return fmt::format("  all {} runs of the baseline on {} ended with identical bits\n", count, of_case);
  return fmt::format(
      "  the baseline is not reproducible: {} runs on {} ended in {} different states (state_hash in ab.csv)\n", count,
      of_case, hashes.size());
}

}  // namespace

std::string ab_csv(const AbStudy& study, const std::vector<AbRun>& runs) {
  std::set<std::string> names;
  for (const AbRun& r : runs)
    for (const auto& [name, value] : r.quantities) names.insert(name);
  std::string text =
      "case,configuration,repeat,place,exit_code,status,counts,steps,time,total_s,solves,iterations,setup_s,solve_s,"
      "other_s,processor_s,peak_bytes,state_hash,reason";
  for (const auto& name : names) text += "," + name;
  text += ",p95_solve_ms,failed_solves,failed_s,stopped\n";
  for (const AbRun& r : runs) {
    text += fmt::format("{},{},{},{},{},{},{},", study.cases[r.twin.of_case].name,
                        study.configurations[r.twin.configuration].name, r.twin.repeat + 1, r.twin.place + 1,
                        r.exit_code, r.status, r.counts ? 1 : 0);
    text += r.has_cost() ? fmt::format("{},{:.9g},{:.6f},{},{},{:.6f},{:.6f},{:.6f},", r.steps, r.time, r.seconds,
                                       r.solves, r.iterations, r.setup_seconds, r.solve_seconds, r.other_seconds())
                         : ",,,,,,,,";
    text += fmt::format("{:.3f},{},{},", r.processor_seconds, r.peak_bytes, r.state_hash);
    text += csv_quoted(r.reason);
    for (const auto& name : names) {
      const auto found = r.quantities.find(name);
      text += found == r.quantities.end() ? "," : fmt::format(",{:.10g}", found->second);
    }
    text += r.has_cost() ? fmt::format(",{},{},{:.6f},{}\n", cell(1e3 * r.p95_solve_seconds), r.failed_solves,
                                       r.failed_seconds, r.is_stopped ? 1 : 0)
                         : ",,,,\n";
  }
  return text;
}

std::string ab_summary_csv(const AbSummary& summary) {
  std::string text =
      "case,configuration,runs,failures,total_s,steps,iterations_a_step,ms_an_iteration,other_ms_a_step,pairs,ratio,"
      "low,high,won,sign_test_p,verdict,sums_ratio,sums_low,sums_high,noise,p95_solve_ms,setup_s,failed_s,stopped,"
      "statement\n";
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const AbRow& r = summary.rows[i];
    const PairedComparison& c = r.with_baseline;
    const bool first = i == 0 || summary.rows[i - 1].of_case != r.of_case;
    const bool second = i > 0 && (i == 1 || summary.rows[i - 2].of_case != r.of_case) && !first;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},", r.of_case, r.configuration, r.runs, r.failures,
                        cell(r.total_seconds), cell(r.steps), cell(r.iterations_a_step), cell(r.ms_an_iteration),
                        cell(r.other_ms_a_step), c.pairs);
    text += first || c.pairs == 0 ? ",,,,,"
                                  : fmt::format("{:.5g},{:.5g},{:.5g},{},{:.3g},", c.ratio, c.interval.low,
                                                c.interval.high, c.wins, c.sign_test_p);
    text += (first ? "baseline" : second ? "control" : verdict_word(r)) + ",";
    text += first || c.pairs == 0 ? ",,,,"
                                  : fmt::format("{:.5g},{:.5g},{:.5g},{:.5g},", c.of_sums, c.of_sums_interval.low,
                                                c.of_sums_interval.high, std::exp(r.noise));
    text += cell(r.p95_solve_ms) + "," + cell(r.setup_seconds) + "," + cell(r.failed_seconds) +
            fmt::format(",{},{}\n", r.stopped,
                        first || second ? ""
                                        : csv_quoted(statement(Evidence::whole_runs, r.configuration, verdict_word(r),
                                                               c.pairs > 0 ? c.of_sums : NAN, c.of_sums_interval)));
  }
  return text;
}

std::string ab_quantities_csv(const AbSummary& summary) {
  std::string text = "case,configuration,quantity,value,baseline,difference,spread_of_baseline\n";
  for (const AbQuantity& q : summary.quantities)
    text += fmt::format("{},{},{},{:.10g},{:.10g},{:.6g},{:.6g}\n", q.of_case, q.configuration, q.name, q.value,
                        q.baseline, q.value - q.baseline, q.spread);
  return text;
}

std::string ab_text(const AbStudy& study, const AbSummary& summary, const std::vector<AbRun>& runs) {
  std::size_t width = 13;
  for (const AbConfiguration& c : study.configurations) width = std::max(width, c.name.size());
  std::string text = study.title.empty() ? "" : study.title + "\n";
  const std::string stopped =
      study.budget
          ? fmt::format("; a run is stopped after {} and then counts as slower than that", study.budget.describe())
          : "";
  text += fmt::format("{} whole runs in random order (seed {}), {} repeats, compared {}{}\n", runs.size(), study.seed,
                      study.repeats, study.target.describe(), stopped);
  std::string of_case;
  for (const AbRow& row : summary.rows) {
    if (row.of_case != of_case) {
      if (!of_case.empty()) text += quantities_text(summary, of_case) + repetition_text(study, runs, of_case);
      of_case = row.of_case;
      text += fmt::format(
          "\n{}\n  {:<{}}   total s = steps x (iterations x   ms  + other ms)  / {:<10} 95 % interval   median  won\n",
          of_case, "configuration", width, study.configurations[0].name + "'s");
    }
    text += row_text(study, row, width);
  }
  if (of_case != "all cases") text += quantities_text(summary, of_case) + repetition_text(study, runs, of_case);
  return text + failures_text(study, runs);
}

}  // namespace weir
