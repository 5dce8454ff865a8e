// Results of paired A/B runs: each configuration against the baseline, for each case and over all cases. The baseline's
// second set of runs (A/A control) measures chance. A pair is the two runs of one repeat of one case.
#pragma once
#include <string>
#include <vector>

#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/shadow/statistics.hpp"

namespace weir {

// Medians over the runs that count or were stopped. For each run,
// total = steps * (iterations_a_step * ms_an_iteration + other_ms_a_step).
struct AbRow {
  std::string of_case;  // "all cases": the pairs of all cases, without medians
  std::string configuration;
  int runs = 0, failures = 0, stopped = 0;  // stopped: by the budget; its times and ratios are lower bounds
  double total_seconds = 0, steps = 0, iterations_a_step = 0, ms_an_iteration = 0, other_ms_a_step = 0;
  double p95_solve_ms = 0;                       // 95 % of the solves, with set-up, take less
  double setup_seconds = 0, failed_seconds = 0;  // failed: solves that did not converge
  PairedComparison with_baseline;                // over all cases: each has the same weight
  double noise = 0;                              // half-width of the noise band of log ratios
  Verdict verdict = Verdict::too_few_systems;
};

struct AbQuantity {
  std::string of_case, configuration, name;
  double value = 0, baseline = 0;  // medians
  double spread = 0;               // largest difference between two runs of the baseline or the control
};

struct AbSummary {
  std::vector<AbRow> rows;
  std::vector<AbQuantity> quantities;
};
AbSummary summarise(const AbStudy& study, const std::vector<AbRun>& runs);

std::string ab_csv(const AbStudy& study, const std::vector<AbRun>& runs);  // one row per run
std::string ab_summary_csv(const AbSummary& summary);
std::string ab_quantities_csv(const AbSummary& summary);
std::string ab_text(const AbStudy& study, const AbSummary& summary, const std::vector<AbRun>& runs);

}  // namespace weir
