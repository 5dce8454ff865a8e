#include "miniapps/study/recorder/flight_recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>

#include "base/timer.hpp"
#include "miniapps/study/recorder/flight_text.hpp"
#include "solvers/distributed/whole_system.hpp"
#include "solvers/parallel/broadcast_text.hpp"

namespace weir {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double least(const Communicator& ranks, double value) { return -ranks.max(-value); }

// The least and the largest of all ranks, in place, in one exchange.
void over_ranks(const Communicator& ranks, std::span<ValueRange> ranges) {
  if (ranks.size() == 1) return;
  const std::size_t n = ranges.size();
  std::vector<double> mine, all(ranks.is_root() ? 3 * n * static_cast<std::size_t>(ranks.size()) : 0);
  for (const ValueRange& r : ranges) mine.insert(mine.end(), {r.least, r.most, r.all_finite ? 1.0 : 0.0});
  const std::vector<int> counts(static_cast<std::size_t>(ranks.size()), static_cast<int>(3 * n));
  ranks.gather(mine, counts, all);
  for (std::size_t i = 0; i < all.size(); i += 3) {
    double* together = mine.data() + i % (3 * n);
    together[0] = std::min(together[0], all[i]);
    together[1] = std::max(together[1], all[i + 1]);
    together[2] = std::min(together[2], all[i + 2]);
  }
  ranks.broadcast(mine.data(), static_cast<std::int64_t>(mine.size() * sizeof(double)), 0);
  for (std::size_t v = 0; v < n; ++v) ranges[v] = {mine[3 * v], mine[3 * v + 1], mine[3 * v + 2] > 0};
}

// The one that was seen first: in the earliest step, of those in the first of `variables`, of those on the lowest rank, whose
// number its place then tells. Its count is that of all ranks; cells: of this rank.
void first_of_ranks(const Communicator& ranks, const std::vector<std::string>& variables, std::int64_t cells,
                    std::optional<BadValue>& bad) {
  if (ranks.size() == 1) return;
  double when = never;  // steps, and within one the variables
  if (bad) {
    const auto variable = std::find(variables.begin(), variables.end(), bad->variable) - variables.begin();
    when = static_cast<double>(bad->step * static_cast<std::int64_t>(most_watched) + variable);
  }
  const double first = least(ranks, when);
  if (first == never) return;
  const bool is_mine = when == first;
  const int who = static_cast<int>(least(ranks, is_mine ? ranks.rank() : ranks.size()));
  std::array<double, 2> counts = {is_mine ? static_cast<double>(bad->count) : 0, static_cast<double>(cells)};
  ranks.sum(counts);
  if (!bad) bad.emplace();
  broadcast_text(ranks, bad->variable, who);
  broadcast_text(ranks, bad->place, who);
  ranks.broadcast(&bad->value, sizeof bad->value, who);
  ranks.broadcast(&bad->step, sizeof bad->step, who);
  bad->place += " (rank " + std::to_string(who) + ")";
  bad->count = static_cast<std::int64_t>(counts[0]);
  bad->cells = static_cast<std::int64_t>(counts[1]);
}

}  // namespace

// Of one system: what the last solve was given stays where it is until the flow code's next step, so that pointers are
// enough.
template <class Space>
class FlightRecorder<Space>::Watch : public SolveWatch<Space> {
 public:
  Watch(FlightRecorder& recorder, int number, const StudiedSystem<Space>& system)
      : recorder_(recorder), number_(number), system_(system) {}

  const StudiedSystem<Space>& system() const { return system_; }
  bool solve_failed() const { return refused_ || (A_ && !result_.converged()); }

  void prepared(const Matrix<Space>& A, bool, const SetupInfo& info) override {
    if (recorder_.concluded_) return;  // a trial of the verdict's
    prepared_from_ = &A;
    setup_seconds_ += info.seconds;
  }
  void refused(const Matrix<Space>& A, Exit code, const std::string& message) override {
    prepared_from_ = A_ = &A;
    b_ = x_ = {};
    refused_ = true;
    refusal_ = message;
    recorder_.last_ = this;
    if (!recorder_.run_) return;
    Outcome outcome;
    outcome.exit = code == Exit::not_finite ? Exit::solver_failed : code;
    outcome.reason = message;
    recorder_.failed(*recorder_.run_, outcome);
  }
  void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override {
    if (recorder_.concluded_) return;
    A_ = &A;
    b_ = b;
    x_ = x;
    result_ = result;
    recorder_.last_ = this;
    recorder_.note(number_, result, system_.leader->refresh_policy().age(), setup_seconds_);
    setup_seconds_ = 0;
  }

  FailedSolve<Space> failure(const FlowFacts<Space>& facts) const {
    FailedSolve<Space> f;
    f.A = A_;
    f.prepared_from = prepared_from_;
    f.b = b_;
    f.x = x_;
    f.result = result_;
    KrylovOptions defaults;
    const bool is_adaptive = ForcingRule::is_given(system_.options) && result_.tolerance >= 0;
    defaults.tolerance = is_adaptive ? result_.tolerance : system_.default_tolerance;
    f.settings = read_solver_settings("linear." + system_.name, system_.options, system_.default_method,
                                      system_.default_preconditioner, defaults);
    if (!refused_) f.M = &system_.leader->preconditioner();
    f.refusal = refusal_;
    f.age = system_.leader->refresh_policy().age();
    if (facts.row_name)
      f.name_of_row = [name = facts.row_name, s = system_.name, part = system_.part](int row) {
        return name(s, part, row);
      };
    return f;
  }

  // Over ranks rank 0 examines the system as one rank would have it; nothing on the others, nor of an operator without entries.
  std::optional<Finding> examine_whole(const Communicator& ranks, const FlowFacts<Space>& facts) const {
    if (!facts.numbers || !WholeSystem<Space>::has_entries(*A_)) return {};
    const WholeSystem<Space> whole(ranks, facts.numbers(system_.name, system_.part), A_->block());
    const std::unique_ptr<Matrix<Space>> A = whole.matrix(*A_);
    const auto vector = [&](View<const double> mine) { return refused_ ? std::vector<double>() : whole.vector(mine); };
    const Array<double, Space> b(vector(b_)), x(vector(x_));
    if (!A) return {};
    FailedSolve<Space> f = failure(facts);
    f.A = A.get();
    f.prepared_from = nullptr;
    f.M = nullptr;
    f.b = b;
    f.x = x;
    Finding finding = examine(f);
    finding.measured("examined", "on one rank; it was solved on " + std::to_string(ranks.size()) + " ranks");
    return finding;
  }

 private:
  FlightRecorder& recorder_;
  int number_;
  StudiedSystem<Space> system_;
  const Matrix<Space>*A_ = nullptr, *prepared_from_ = nullptr;
  View<const double> b_, x_;
  SolveResult result_;
  double setup_seconds_ = 0;
  bool refused_ = false;
  std::string refusal_;
};

Options recorder_options() {
  static constexpr Option keys[] = {
      {"steps", Option::integer, "32", "that the failure diagnosis looks back on; 0: off", "[0, 100000]", "steps"},
      {"every", Option::integer, "1", "between two records of the variables' ranges", "[1, inf)", "steps"}};
  return keys;
}

template <class Space>
FlightRecorder<Space>::FlightRecorder(const Table& config, const Communicator& ranks) : Facility<Space>(ranks) {
  const Table options = config.table("recorder").described_by(recorder_options());
  const auto steps = options.get<std::int64_t>("steps");
  every_ = options.get<std::int64_t>("every");
  ring_.resize(static_cast<std::size_t>(steps));
}

template <class Space>
FlightRecorder<Space>::~FlightRecorder() = default;

template <class Space>
void FlightRecorder<Space>::attach(const StudiedSystem<Space>& system) {
  if (ring_.empty()) return;
  watches_.push_back(std::make_unique<Watch>(*this, static_cast<int>(watches_.size()), system));
  system.leader->watch(watches_.back().get());
}

template <class Space>
void FlightRecorder<Space>::open(Run& run) {
  run_ = &run;
  if (facts_.watched.size() > most_watched) facts_.watched.resize(most_watched);
}

template <class Space>
void FlightRecorder<Space>::look(FlightStep& step) {
  ScopedTimer timer(seconds_);
  for (std::size_t v = 0; v < facts_.watched.size(); ++v) {
    step.range[v] = facts_.watched[v].range();
    const bool bad = !step.range[v].all_finite || (facts_.watched[v].positive && !(step.range[v].least > 0));
    if (bad && !not_finite_ && !unphysical_) search(step.step);
  }
  over_ranks(ranks_, std::span(step.range).first(facts_.watched.size()));
  look_at_cfl(step);
}

// Where a scheme has explicit parts the number costs a pass: it is taken anew when the state or the step has changed by
// enough to matter.
template <class Space>
void FlightRecorder<Space>::look_at_cfl(FlightStep& step) {
  if (!facts_.cfl) return;
  const double dt = facts_.dt ? facts_.dt() : 0;
  bool same = facts_.courant_limit > 0 && cfl_from_.cfl >= 0 && dt == cfl_from_.dt;
  for (std::size_t v = 0; v < facts_.watched.size(); ++v) {
    const double before = cfl_from_.range[v].size(), now = step.range[v].size();
    same = same && (facts_.watched[v].name == "p" || (now <= 1.2 * before && before <= 1.2 * now));
  }
  step.cfl = same ? cfl_from_.cfl : cfl();
  if (same) return;
  cfl_from_ = step;
  cfl_from_.dt = dt;
}

// After the first bad look: which cell and variable, of this rank's. Costs copies of the state, once.
template <class Space>
void FlightRecorder<Space>::search(std::int64_t step) {
  for (const WatchedVariable& v : facts_.watched) {
    const std::vector<double> values = v.values();
    BadValue nan, low;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool finite = std::isfinite(values[i]);
      if (finite && !(v.positive && values[i] <= 0)) continue;
      BadValue& bad = finite ? low : nan;
      if (bad.count++ == 0) {
        bad.place = v.place(static_cast<std::int64_t>(i));
        bad.value = values[i];
      }
    }
    for (auto [bad, kept] : {std::pair{&nan, &not_finite_}, std::pair{&low, &unphysical_}}) {
      if (bad->count == 0 || *kept) continue;
      bad->variable = v.name;
      bad->cells = static_cast<std::int64_t>(values.size());
      bad->step = step;
      *kept = *bad;
    }
  }
}

template <class Space>
void FlightRecorder<Space>::bring_together_what_is_bad() {
  if (ranks_.size() == 1 || !ranks_.any(not_finite_ || unphysical_)) return;
  std::vector<std::string> variables;
  for (const WatchedVariable& v : facts_.watched) variables.push_back(v.name);
  const auto cells = static_cast<std::int64_t>(facts_.watched.front().values().size());
  for (auto* bad : {&not_finite_, &unphysical_}) first_of_ranks(ranks_, variables, cells, *bad);
}

template <class Space>
void FlightRecorder<Space>::begin_step(std::int64_t step) {
  if (ring_.empty()) return;
  if (begun_ > 0 && facts_.dt) now().dt = facts_.dt();
  if (begun_ > 0) history_.add(now());
  const FlightStep* before = begun_ > 0 ? &now() : nullptr;
  FlightStep fresh;
  fresh.step = step;
  fresh.time = facts_.time ? facts_.time() : 0;
  if (before && step % every_ != 0) {
    fresh.range = before->range;
    fresh.cfl = before->cfl;
  } else {
    look(fresh);
  }
  ++begun_;
  now() = fresh;
  if (begun_ == 1) first_ = fresh;
}

template <class Space>
void FlightRecorder<Space>::note(int system, const SolveResult& r, int age, double setup_seconds) {
  if (begun_ == 0) return;  // of the initial state
  FlightStep& step = now();
  step.solve[static_cast<std::size_t>(step.solves++) % most_solves] = {
      system, r.iterations, age, r.reason, r.residual0, r.true_residual, setup_seconds, r.solve_seconds};
  step.failed_solves += !r.converged();
}

template <class Space>
std::vector<FlightStep> FlightRecorder<Space>::steps() const {
  const auto size = static_cast<std::int64_t>(ring_.size());
  std::vector<FlightStep> kept;
  for (std::int64_t k = std::max<std::int64_t>(0, begun_ - size); k < begun_; ++k) kept.push_back(ring_[k % size]);
  return kept;
}

template <class Space>
std::vector<FlightMoment> FlightRecorder<Space>::moments() const {
  const std::vector<FlightStep> last = steps();
  std::vector<FlightMoment> all = history_.kept();
  std::erase_if(all, [&](const FlightMoment& m) { return m.step >= last.front().step; });
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

template <class Space>
std::optional<Finding> FlightRecorder<Space>::examine_last_solve() {
  if (!last_ || !last_->solve_failed()) return {};
  return ranks_.size() > 1 ? last_->examine_whole(ranks_, facts_) : examine(last_->failure(facts_));
}

template <class Space>
Finding FlightRecorder<Space>::verdict(const Outcome& outcome, bool restarted) {
  FlightEvidence e;
  if (begun_ > 0 && !not_finite_ && !unphysical_) search(now().step);
  bring_together_what_is_bad();
  for (const WatchedVariable& v : facts_.watched) {
    e.variables.push_back(v.name);
    e.positive.push_back(v.positive);
  }
  e.steps = steps();
  if (begun_ > 0) e.moments = moments();
  e.first = first_;
  e.restarted = restarted;
  e.not_finite = not_finite_;
  e.unphysical = unphysical_;
  e.limit = outcome.limit;
  e.courant_limit = facts_.courant_limit;
  if (facts_.cfl) e.last_cfl = cfl();
  e.step_key = facts_.step_key;
  e.start_key = facts_.start_key;
  e.ended_not_finite = outcome.exit == Exit::not_finite;
  e.solve = examine_last_solve();
  const bool ran_out = outcome.limit.find("max_steps") != std::string::npos;
  if (facts_.stalled && ran_out && !residual_falls(e.steps)) e.stall = facts_.stalled();
  return verdict_of_flight(e);
}

template <class Space>
void FlightRecorder<Space>::failed(Run& run, const Outcome& outcome) {
  const bool of_the_flow = outcome.exit == Exit::solver_failed || outcome.exit == Exit::not_finite;
  if (ring_.empty() || concluded_ || !of_the_flow) return;  // a full disk needs no verdict
  concluded_ = true;
  const Finding f = verdict(outcome, run.restart() != nullptr);
  if (ranks_.is_root()) tell(run, outcome, f);
  ranks_.barrier();  // an error may be on its way: no rank is to end the job before that is written
}

template <class Space>
void FlightRecorder<Space>::tell(Run& run, const Outcome& outcome, const Finding& f) {
  std::vector<std::string> variables, systems;
  for (const WatchedVariable& v : facts_.watched) variables.push_back(v.name);
  for (const auto& w : watches_) systems.push_back(w->system().name);
  write_flight(run.path(flight_file), f, outcome.reason, steps(), history_.kept(), variables, systems);
  run.say_at_end(flight_text(f));
  run.event("diagnosis", std::string(to_string(f.cause)) + ": " + f.what);
}

// What a run before this one left in the directory is over.
template <class Space>
void FlightRecorder<Space>::finish(Run& run) {
  if (ring_.empty() || !ranks_.is_root()) return;
  run.timings().at("instrumentation", "failure diagnostics") += seconds_;
  std::error_code ignored;
  std::filesystem::remove(run.path(flight_file), ignored);
}

template class FlightRecorder<Host>;
template class FlightRecorder<Device>;

}  // namespace weir
