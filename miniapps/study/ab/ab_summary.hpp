// What paired A/B runs show: for each case, and over all of them, each configuration against the baseline, with the baseline's
// double as the measure of chance. A pair is the two runs of one repeat of one case.
#pragma once
#include <string>
#include <vector>

#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/shadow/statistics.hpp"

namespace weir {

// Medians over the runs that count or were stopped, of these up to there. total = steps (iterations_a_step ms_an_iteration + other_ms_a_step), of each run.
struct AbRow {
  std::string of_case;  // "all cases": pairs of all of them, and no medians
  std::string configuration;
  int runs = 0, failures = 0, stopped = 0;  // stopped by the budget: its times and ratios are "more than"
  double total_seconds = 0, steps = 0, iterations_a_step = 0, ms_an_iteration = 0, other_ms_a_step = 0;
  double p95_solve_ms = 0;                       // 95 % of the solves, set-up in them, take less
  double setup_seconds = 0, failed_seconds = 0;  // set-ups; solves that did not converge
  PairedComparison with_baseline;                // of all cases: each weighs the same
  double noise = 0;                              // of log ratios
  Verdict verdict = Verdict::too_few_systems;
};

struct AbQuantity {
  std::string of_case, configuration, name;
  double value = 0, baseline = 0;  // medians
  double spread = 0;               // largest difference between two runs of the baseline or its double
};

struct AbSummary {
  std::vector<AbRow> rows;
  std::vector<AbQuantity> quantities;
};
AbSummary summarise(const AbStudy& study, const std::vector<AbRun>& runs);

std::string ab_csv(const AbStudy& study, const std::vector<AbRun>& runs);  // a row a run
std::string ab_summary_csv(const AbSummary& summary);
std::string ab_quantities_csv(const AbSummary& summary);
std::string ab_text(const AbStudy& study, const AbSummary& summary, const std::vector<AbRun>& runs);

}  // namespace weir
