#include "miniapps/study/ab/ab_summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace weir {
namespace {

using Chosen = std::vector<const AbRun*>;

Chosen runs_of(const std::vector<AbRun>& runs, std::size_t of_case, std::size_t configuration) {
  Chosen chosen;
  for (const AbRun& r : runs)
    if (r.twin.of_case == of_case && r.twin.configuration == configuration) chosen.push_back(&r);
  std::ranges::sort(chosen, [](auto a, auto b) { return a->twin.repeat < b->twin.repeat; });
  return chosen;
}

double median_of(const Chosen& runs, const std::function<double(const AbRun&)>& value) {
  std::vector<double> values;
  for (const AbRun* r : runs)
    if (r->has_cost()) values.push_back(value(*r));
  return median(std::move(values));
}

// Over the runs that reached the point of comparison.
double median_of_ended(const Chosen& runs, const std::function<double(const AbRun&)>& value) {
  Chosen ended;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(ended), [](const AbRun* r) { return r->counts; });
  return median_of(ended, value);
}

double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

struct Pairs {
  std::vector<double> candidate, baseline;
  int stopped_wins = 0;  // runs that were stopped before they had taken as long as the baseline: unknown
  // unit: divides both times. The time of a stopped run is a lower bound.
  void add(const Chosen& a, const Chosen& b, double unit = 1) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (!a[i]->has_cost() || !b[i]->counts || !(a[i]->seconds > 0 && b[i]->seconds > 0)) continue;
      stopped_wins += a[i]->is_stopped && a[i]->seconds < b[i]->seconds;
      candidate.push_back(a[i]->seconds / unit);
      baseline.push_back(b[i]->seconds / unit);
    }
  }
};

PairedComparison compared(const Pairs& pairs, std::uint64_t seed) {
  PairedComparison c = compare_pairs(pairs.candidate, pairs.baseline, seed);
  c.wins -= pairs.stopped_wins;
  return c;
}

AbRow row_of(const AbStudy& study, const std::vector<AbRun>& runs, std::size_t c, std::size_t k, Pairs& all) {
  const Chosen own = runs_of(runs, c, k), base = runs_of(runs, c, 0);
  AbRow row;
  row.of_case = study.cases[c].name;
  row.configuration = study.configurations[k].name;
  row.runs = static_cast<int>(own.size());
  for (const AbRun* r : own) {
    row.failures += !r->has_cost();
    row.stopped += r->is_stopped;
  }
  row.total_seconds = median_of(own, [](const AbRun& r) { return r.seconds; });
  row.steps = median_of_ended(own, [](const AbRun& r) { return static_cast<double>(r.steps); });
  row.iterations_a_step = median_of(
      own, [](const AbRun& r) { return ratio(static_cast<double>(r.iterations), static_cast<double>(r.steps)); });
  row.ms_an_iteration = median_of(own, [](const AbRun& r) {
    return 1e3 * ratio(r.setup_seconds + r.solve_seconds, static_cast<double>(r.iterations));
  });
  row.other_ms_a_step =
      median_of(own, [](const AbRun& r) { return 1e3 * ratio(r.other_seconds(), static_cast<double>(r.steps)); });
  row.p95_solve_ms = median_of(own, [](const AbRun& r) { return 1e3 * r.p95_solve_seconds; });
  row.setup_seconds = median_of(own, [](const AbRun& r) { return r.setup_seconds; });
  row.failed_seconds = median_of(own, [](const AbRun& r) { return r.failed_seconds; });
  Pairs pairs;
  pairs.add(own, base);
  all.add(own, base, median_of_ended(base, [](const AbRun& r) { return r.seconds; }));
  row.with_baseline = compared(pairs, study.seed);
  return row;
}

// rows[0] is the baseline, rows[1] the A/A control.
void judge(AbRow* rows, std::size_t count) {
  const double floor = noise_floor_of(rows[1].with_baseline);
  for (std::size_t k = 0; k < count; ++k) {
    rows[k].noise = floor;
    rows[k].verdict = verdict_of(rows[k].with_baseline, floor);
    const bool is_more = rows[k].verdict == Verdict::slower || rows[k].verdict == Verdict::too_few_systems;
    if (rows[k].stopped > 0 && !is_more) rows[k].verdict = Verdict::undecided;  // its full cost is unknown
  }
}

void add_quantities(const AbStudy& study, const std::vector<AbRun>& runs, std::size_t c, AbSummary& summary) {
  Chosen base = runs_of(runs, c, 0);
  const Chosen again = runs_of(runs, c, 1);
  std::set<std::string> names;
  for (const AbRun* r : base)
    if (r->counts)
      for (const auto& [name, value] : r->quantities) names.insert(name);
  const auto value_of = [](const std::string& name) {
    return [name](const AbRun& r) {
      const auto found = r.quantities.find(name);
      return found == r.quantities.end() ? NAN : found->second;
    };
  };
  Chosen both = base;
  both.insert(both.end(), again.begin(), again.end());
  for (std::size_t k = 2; k < study.configurations.size(); ++k)
    for (const std::string& name : names) {
      double low = INFINITY, high = -INFINITY;
      for (const AbRun* r : both)
        if (const double v = value_of(name)(*r); r->counts && std::isfinite(v)) {
          low = std::min(low, v);
          high = std::max(high, v);
        }
      const double value = median_of_ended(runs_of(runs, c, k), value_of(name));
      if (!std::isfinite(value)) continue;
      summary.quantities.push_back({study.cases[c].name, study.configurations[k].name, name, value,
                                    median_of_ended(base, value_of(name)), std::max(0.0, high - low)});
    }
}

}  // namespace

AbSummary summarise(const AbStudy& study, const std::vector<AbRun>& runs) {
  const std::size_t count = study.configurations.size();
  AbSummary summary;
  std::vector<Pairs> all(count);
  for (std::size_t c = 0; c < study.cases.size(); ++c) {
    const std::size_t first = summary.rows.size();
    for (std::size_t k = 0; k < count; ++k) summary.rows.push_back(row_of(study, runs, c, k, all[k]));
    judge(&summary.rows[first], count);
    add_quantities(study, runs, c, summary);
  }
  if (study.cases.size() < 2) return summary;
  const std::size_t first = summary.rows.size();
  for (std::size_t k = 0; k < count; ++k) {
    AbRow row;
    row.of_case = "all cases";
    row.configuration = study.configurations[k].name;
    for (std::size_t c = 0; c < study.cases.size(); ++c) {
      row.runs += summary.rows[c * count + k].runs;
      row.failures += summary.rows[c * count + k].failures;
      row.stopped += summary.rows[c * count + k].stopped;
    }
    row.total_seconds = row.steps = row.iterations_a_step = row.ms_an_iteration = row.other_ms_a_step = NAN;
    row.p95_solve_ms = row.setup_seconds = row.failed_seconds = NAN;
    row.with_baseline = compared(all[k], study.seed);
    summary.rows.push_back(row);
  }
  judge(&summary.rows[first], count);
  return summary;
}

}  // namespace weir
