#include "miniapps/study/relay/relay_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace weir {
namespace {

constexpr int fewest_branches = 6;                                     // as fewest_pairs
constexpr int fewest_to_settle = 2;                                    // branches needed to measure a drift
constexpr int hopeless_branches = 3;                                   // failed or stopped branches in a row
constexpr double small_drift = 0.1, small_drift_of_iterations = 0.05;  // log of a cost ratio
constexpr double far_gain = 0.1;                                       // distance from 1 that is reported
constexpr double endless = std::numeric_limits<double>::infinity();

using Indices = std::vector<std::size_t>;

struct Sums {
  double seconds = 0, progress = 0, steps = 0;
  double first = 0;  // seconds of the first step, whose systems are those of the reference solver
  explicit Sums(const BranchRun& run)
      : seconds(run.seconds()),
        progress(run.progress()),
        steps(std::max(1.0, static_cast<double>(run.steps.size()))),
        first(run.steps.empty() ? run.rest : run.steps.front().seconds) {}
};

// For a candidate the reference is the mean of both replicas, which has less noise.
Sums sums_of_reference(const Branch& b, int name) {
  Sums of(*b.by_name[0]);
  if (name < 2 || !b.by_name[1]) return of;
  const Sums again(*b.by_name[1]);
  for (double Sums::*what : {&Sums::seconds, &Sums::progress, &Sums::steps, &Sums::first})
    of.*what = 0.5 * (of.*what + again.*what);
  return of;
}

// One branch, run by a candidate and by the reference solver.
struct Both {
  Sums mine, reference;
};

// No progress: infinite cost.
double cost_of(double seconds, double progress) { return progress > 0 ? seconds / progress : endless; }

double sum_of(const std::vector<Both>& all, const Indices& pick, Sums Both::*index, double Sums::*what) {
  double sum = 0;
  for (const std::size_t i : pick) sum += all[i].*index.*what;
  return sum;
}

double closed_ratio(const std::vector<Both>& all, const Indices& pick) {
  const auto sum = [&](Sums Both::*index, double Sums::*what) { return sum_of(all, pick, index, what); };
  const double mine = sum(&Both::mine, &Sums::seconds), reference = sum(&Both::reference, &Sums::seconds);
  const double cost = cost_of(mine, sum(&Both::mine, &Sums::progress)),
               of_reference = cost_of(reference, sum(&Both::reference, &Sums::progress));
  if (cost < endless || of_reference < endless) return cost / of_reference;
  return mine / sum(&Both::mine, &Sums::steps) / (reference / sum(&Both::reference, &Sums::steps));
}

double open_ratio(const std::vector<Both>& all, const Indices& pick) {
  return sum_of(all, pick, &Both::mine, &Sums::first) / sum_of(all, pick, &Both::reference, &Sums::first);
}

Indices all_indices(const std::vector<Both>& both) {
  Indices all(both.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

template <class F>
Interval interval_of(const std::vector<Both>& both, std::uint64_t seed, const F& ratio) {
  return bootstrap_95(both.size(), seed, [&](const Indices& pick) { return ratio(both, pick); });
}

double extent(const Interval& i) { return std::max(std::abs(std::log(i.low)), std::abs(std::log(i.high))); }

bool came_to_an_end(const BranchRun& run) { return run.end == BranchRunEnd::steps || run.end == BranchRunEnd::reached; }

// Time and iterations of the first and of the second half of the steps.
struct Halves {
  double seconds[2] = {}, iterations[2] = {};
  void add(const BranchRun& run) {
    const std::size_t n = run.steps.size(), half = n / 2;
    for (std::size_t k = 0; k < half; ++k)
      for (const std::size_t late : {std::size_t{0}, std::size_t{1}}) {
        const BranchStep& s = run.steps[late * (n - half) + k];
        seconds[late] += s.seconds;
        iterations[late] += static_cast<double>(s.iterations);
      }
  }
};

// Mean over the known observations; a solver of another library has no preconditioner to apply (left).
class MeanObservation {
 public:
  void add(const Observation& observation) {
    long_waves_.add(observation.long_waves);
    left_.add(observation.left);
  }
  Observation mean() const { return {long_waves_.mean(), left_.mean()}; }

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
    void add(double value) {
      if (value >= 0) sum += value, ++count;
    }
    double mean() const { return count > 0 ? sum / count : -1; }
  };
  Mean long_waves_, left_;
};

// Observations that explain a loop gain far from 1, as a sentence.
std::string why(const RelayRow& r, const RelayRow& reference, double noise) {
  const double low = std::log(r.gain_interval.low), high = std::log(r.gain_interval.high);
  const double least = std::max(noise, std::log1p(far_gain));
  if (r.branches < fewest_to_settle || !(low >= least || high <= -least)) return "";
  std::vector<std::string> seen;
  if (const double growth =
          r.later_iterations / r.first_iterations * reference.first_iterations / reference.later_iterations;
      std::abs(std::log(growth)) > std::log1p(far_gain))
    seen.push_back(
        fmt::format("its iterations per step change from {:.1f} to {:.1f} (reference solver: {:.1f} to {:.1f})",
                    r.first_iterations, r.later_iterations, reference.first_iterations, reference.later_iterations));
  if (!(std::abs(std::log(r.progress)) <= std::log1p(alike)))
    seen.push_back(fmt::format("its progress per step is {:.2f} times that of the reference solver", r.progress));
  const Observation &mine = r.later_observation, &its = reference.later_observation;
  if (std::min(mine.long_waves, its.long_waves) >= 0 && std::abs(mine.long_waves - its.long_waves) > far_gain)
    seen.push_back(
        fmt::format("the smooth part of the error that remains between steps is {:.2f} (reference solver: {:.2f})",
                    mine.long_waves, its.long_waves));
  if (its.left >= 0 && mine.left > (1 + far_gain) * its.left)
    seen.push_back(
        fmt::format("one application of its preconditioner leaves {:.2f} of the residual (reference solver: {:.2f})",
                    mine.left, its.left));
  if (r.unconverged > 0) seen.push_back(fmt::format("{} solves missed the tolerance", r.unconverged));
  if (seen.empty()) seen.push_back("no measured quantity explains it");
  return fmt::format("on branches {} costs {:.2f} times as much as on the reference solver's systems: {}", r.name,
                     r.gain, fmt::join(seen, "; "));
}

// Faster, slower: the interval excludes 1 and the ratio is outside of the noise band.
Verdict verdict_of(const RelayRow& r, const RelayComparison& c) {
  const double noise = c.noise;
  const double low = std::log(r.closed_interval.low), high = std::log(r.closed_interval.high);
  const bool is_faster = high < 0 && std::log(r.closed) < -noise;
  const bool is_slower = low > 0 && std::log(r.closed) > noise;
  if (r.failures > (is_faster ? 0 : r.branches / 2)) return Verdict::fails;
  if (r.branches >= hopeless_branches && r.cut == r.branches) return Verdict::slower;
  if (r.branches < fewest_branches) return Verdict::too_few_branches;
  if (!c.has_clear_progress) return Verdict::undecided;
  if (!is_faster && !is_slower)
    return std::max(extent(r.closed_interval), noise) <= std::log1p(alike) ? Verdict::no_difference
                                                                           : Verdict::undecided;
  // A growing cost can only make it slower.
  if (!r.has_settled && is_faster && r.drift > 1) return Verdict::not_settled;
  // A falling cost may make it faster: the second half alone must be slower.
  const double of_later_half = std::log(2 * r.drift / (1 + r.drift));
  const bool is_slower_later = low + of_later_half > 0 && std::log(r.closed) + of_later_half > noise;
  if (!r.has_settled && is_slower && !is_slower_later) return Verdict::not_settled;
  return is_faster ? Verdict::faster : Verdict::slower;
}

}  // namespace

const char* to_string(BranchRunEnd end) {
  constexpr const char* names[] = {"steps", "reached", "failed", "cut"};
  return names[static_cast<int>(end)];
}

void BranchRun::drop_first(int count) {
  if (end == BranchRunEnd::steps && unconverged() == 0) steps.erase(steps.begin(), steps.begin() + count);
}

double BranchRun::seconds(std::size_t from, std::size_t to) const {
  double sum = 0;
  for (std::size_t k = from; k < to; ++k) sum += steps[k].seconds;
  return sum;
}

double BranchRun::progress() const {
  double sum = 0;
  for (const BranchStep& s : steps) sum += s.progress;
  return sum;
}

RelaySeries::RelaySeries(std::vector<std::string> names, std::vector<std::string> solvers, BranchLength length)
    : names_(std::move(names)), solvers_(std::move(solvers)), length_(length), steps_(length.first) {}

RelaySeries::Those RelaySeries::branches_of(int name, int steps) const {
  Those those;
  for (const Branch& b : branches_)
    if (b.steps == steps && b.by_name[name] && b.by_name[0]) those.push_back(&b);
  return those;
}

RelaySeries::Drift RelaySeries::drift(int name, int steps) const {
  Halves mine, reference;
  int whole = 0;
  for (const Branch* b : branches_of(name, steps)) {
    const BranchRun &m = *b->by_name[name], &r = *b->by_name[0];
    if (!came_to_an_end(m) || !came_to_an_end(r) || m.steps.size() < 2 || r.steps.size() < 2) continue;
    mine.add(m);
    reference.add(r);
    ++whole;
  }
  if (whole < fewest_to_settle) return {NAN, NAN};
  const auto growth = [](const double* of) {
    return of[0] > 0 ? of[1] / of[0] : 1;
  };  // direct solvers have no iterations
  return {growth(mine.seconds) / growth(reference.seconds), growth(mine.iterations) / growth(reference.iterations)};
}

bool RelaySeries::has_settled(int name, int steps) const {
  const double control = drift(1, steps).time;
  const double noise = std::isfinite(control) ? 3 * std::abs(std::log(control)) : 0;
  const Drift d = drift(name, steps);
  return std::abs(std::log(d.time)) <= std::max(small_drift, noise) &&
         std::abs(std::log(d.iterations)) <= small_drift_of_iterations;
}

void RelaySeries::add(Branch branch) {
  branches_.push_back(std::move(branch));
  growing_.clear();
  if (steps_ >= length_.most) return;
  for (int name = 2; name < static_cast<int>(names_.size()); ++name)
    if (!std::isnan(drift(name, steps_).time) && !has_settled(name, steps_))
      growing_ += (growing_.empty() ? "" : ", ") + names_[name];
  if (!growing_.empty()) steps_ = std::min(2 * steps_, length_.most);
}

std::string RelaySeries::growing() const { return growing_; }

bool RelaySeries::is_hopeless(int name) const {
  int in_a_row = 0;
  for (auto b = branches_.rbegin(); b != branches_.rend(); ++b) {
    if (!b->by_name[name]) return true;  // left out since then
    if (came_to_an_end(*b->by_name[name])) return false;
    if (++in_a_row == hopeless_branches) return name > 1;
  }
  return false;
}

RelayRow RelaySeries::row(int name, int steps, std::uint64_t seed) const {
  RelayRow r;
  r.name = names_[name];
  r.solver = solvers_[name];
  std::vector<Both> both;
  double seconds = 0, steps_run = 0, first = 0, later = 0, iterations = 0;
  MeanObservation first_observations, later_observations;
  for (const Branch* b : branches_of(name, steps)) {
    const BranchRun& run = *b->by_name[name];
    both.push_back({Sums(run), sums_of_reference(*b, name)});
    r.failures += run.end == BranchRunEnd::failed;
    r.cut += run.end == BranchRunEnd::cut;
    for (const BranchStep& s : run.steps) r.unconverged += s.unconverged, r.rejected += s.rejected;
    if (run.steps.empty()) continue;
    seconds += run.seconds(0, run.steps.size());
    steps_run += static_cast<double>(run.steps.size());
    first += static_cast<double>(run.steps.front().iterations);
    first_observations.add(run.steps.front().observation);
    for (std::size_t k = run.steps.size() / 2; k < run.steps.size(); ++k, ++later) {
      iterations += static_cast<double>(run.steps[k].iterations);
      later_observations.add(run.steps[k].observation);
    }
  }
  r.branches = static_cast<int>(both.size());
  if (both.empty()) return r;
  r.milliseconds = 1e3 * seconds / std::max(1.0, steps_run);
  r.first_iterations = first / r.branches;
  r.later_iterations = iterations / std::max(1.0, later);
  r.first_observation = first_observations.mean();
  r.later_observation = later_observations.mean();
  if (name == 0) return r;
  const Indices all = all_indices(both);
  const auto gain = [](const std::vector<Both>& of, const Indices& pick) {
    return closed_ratio(of, pick) / open_ratio(of, pick);
  };
  r.closed = closed_ratio(both, all);
  r.open = open_ratio(both, all);
  r.gain = gain(both, all);
  const auto a_step = [&](Sums Both::*index) {
    return sum_of(both, all, index, &Sums::progress) / sum_of(both, all, index, &Sums::steps);
  };
  r.progress = a_step(&Both::mine) / a_step(&Both::reference);
  r.closed_interval = interval_of(both, seed, closed_ratio);
  r.open_interval = interval_of(both, seed, open_ratio);
  r.gain_interval = interval_of(both, seed, gain);
  const Drift d = drift(name, steps);
  r.drift = std::abs(std::log(d.iterations)) > std::abs(std::log(d.time)) ? d.iterations : d.time;
  r.has_settled = has_settled(name, steps);
  return r;
}

bool RelaySeries::has_clear_progress(int steps, std::uint64_t seed) const {
  const Those those = branches_of(0, steps);
  if (those.empty()) return true;
  const auto sum = [&](const Indices& pick) {
    double all = 0;
    for (const std::size_t i : pick) all += those[i]->by_name[0]->progress();
    return all;
  };
  return bootstrap_95(those.size(), seed, sum).low > 0;
}

Interval RelaySeries::replicas_against_each_other(int steps, std::uint64_t seed) const {
  std::vector<Both> both;
  for (const Branch* b : branches_of(1, steps)) {
    const Sums zero(*b->by_name[0]), one(*b->by_name[1]);
    both.push_back(b->by_name[0]->candidate == 0 ? Both{one, zero} : Both{zero, one});
  }
  return both.empty() ? Interval{1, 1} : interval_of(both, seed, closed_ratio);
}

RelayComparison RelaySeries::compare(std::uint64_t seed) const {
  RelayComparison c;
  for (int steps = steps_; steps >= length_.first && c.branches < fewest_branches; --steps) {
    const int n = static_cast<int>(branches_of(0, steps).size());
    if (n > 0 && (c.branches == 0 || n >= fewest_branches)) c.branches = n, c.steps = steps;
  }
  c.has_clear_progress = has_clear_progress(c.steps, seed);
  for (int name = 0; name < static_cast<int>(names_.size()); ++name) c.rows.push_back(row(name, c.steps, seed));
  if (c.rows[1].branches > 0)
    c.noise = std::max(extent(c.rows[1].closed_interval), extent(replicas_against_each_other(c.steps, seed)));
  for (RelayRow& r : c.rows) {
    r.verdict = verdict_of(r, c);
    if (&r > &c.rows[1] && c.has_clear_progress) r.why = why(r, c.rows[0], c.noise);
  }
  c.rows[0].verdict = Verdict::reference;
  c.rows[1].verdict = Verdict::control;
  return c;
}

}  // namespace weir
