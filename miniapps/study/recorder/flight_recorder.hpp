// [recorder]: keeps the last steps of a run in a ring buffer. If the run fails, a verdict with its evidence and the key
// to change goes to the end of the log and to flight_recorder.json, with these steps and a thinned history of the whole
// run. Over ranks a record costs a gather and a broadcast; after a failure rank 0 writes. An error on one rank alone
// has no verdict.
#pragma once
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "miniapps/study/facility.hpp"
#include "miniapps/study/recorder/flight_text.hpp"
#include "miniapps/study/recorder/flight_verdict.hpp"
#include "solvers/diagnosis/failed_solve.hpp"
#include "solvers/distributed/whole_system.hpp"

namespace weir {

Options recorder_options();

// Minimum and maximum over all ranks, in place, in one exchange.
void over_ranks(const Communicator& ranks, std::span<ValueRange> ranges);
// The first bad value of all ranks: earliest step, then first of `variables`, then lowest rank, which is added to its
// location. `cells` is the number of cells of this rank; in the result `count` and `cells` are sums over all ranks.
void first_of_ranks(const Communicator& ranks, const std::vector<std::string>& variables, std::int64_t cells,
                    std::optional<BadValue>& bad);

template <class Space>
class FlightRecorder : public Facility<Space> {
 public:
  FlightRecorder(const Table& config, const Communicator& ranks) : Facility<Space>(ranks) {
    const Table options = config.table("recorder").described_by(recorder_options());
    const auto steps = options.get<std::int64_t>("steps");
    every_ = options.get<std::int64_t>("every");
    ring_.resize(static_cast<std::size_t>(steps));
  }

  void attach(const StudiedSystem<Space>& system) override {
    if (ring_.empty()) return;
    watches_.push_back(std::make_unique<Watch>(*this, static_cast<int>(watches_.size()), system));
    system.reference->watch(watches_.back().get());
  }
  void open(Run& run) override {
    run_ = &run;
    if (facts_.watched.size() > most_watched) facts_.watched.resize(most_watched);
  }
  void begin_step(std::int64_t step) override {
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
  void failed(Run& run, const Outcome& outcome) override {
    const bool of_the_flow = outcome.exit == Exit::solver_failed || outcome.exit == Exit::not_finite;
    if (ring_.empty() || concluded_ || !of_the_flow)
      return;  // errors of other kinds, such as a full disk, have no verdict
    concluded_ = true;
    const Finding f = verdict(outcome, run.restart() != nullptr);
    if (ranks_.is_root()) tell(run, outcome, f);
    ranks_.barrier();  // no rank may end the job before the files are written
  }
  // Removes the file of an earlier failed run in the directory.
  void finish(Run& run) override {
    if (ring_.empty() || !ranks_.is_root()) return;
    run.timings().at("instrumentation", "failure diagnostics") += seconds_;
    std::error_code ignored;
    std::filesystem::remove(run.path(flight_file), ignored);
  }

  // The verdict that failed() writes. Over ranks all call; rank 0 has the result.
  Finding verdict(const Outcome& outcome, bool restarted) {
    FlightEvidence e;
    if (begun_ > 0 && !not_finite_ && !unphysical_) search(now().step);
    gather_bad_values();
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
  double seconds() const { return seconds_; }  // spent by the recorder so far

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_;
  // Watches one system. The data of the last solve stay valid until the next step of the flow code, so pointers
  // suffice.
  class Watch : public SolveWatch<Space> {
   public:
    Watch(FlightRecorder& recorder, int number, const StudiedSystem<Space>& system)
        : recorder_(recorder), number_(number), system_(system) {}

    const StudiedSystem<Space>& system() const { return system_; }
    bool solve_failed() const { return refused_ || (A_ && !result_.converged()); }

    void prepared(const Matrix<Space>& A, bool, const SetupInfo& info) override {
      if (recorder_.concluded_) return;  // a trial solve of the verdict
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
      recorder_.note(number_, result, system_.reference->refresh_policy().age(), setup_seconds_);
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
      if (!refused_) f.M = &system_.reference->preconditioner();
      f.refusal = refusal_;
      f.age = system_.reference->refresh_policy().age();
      if (facts.row_name)
        f.name_of_row = [name = facts.row_name, s = system_.name, part = system_.part](int row) {
          return name(s, part, row);
        };
      return f;
    }

    // Over ranks rank 0 examines the gathered system; no result on other ranks and for matrix-free operators.
    std::optional<Finding> examine_whole(const Communicator& ranks, const FlowFacts<Space>& facts) const {
      if (!facts.numbers || !WholeSystem<Space>::has_entries(*A_)) return {};
      const WholeSystem<Space> whole(ranks, facts.numbers(system_.name, system_.part), A_->block());
      const std::unique_ptr<Matrix<Space>> A = whole.matrix(*A_);
      const auto vector = [&](View<const double> mine) {
        return refused_ ? std::vector<double>() : whole.vector(mine);
      };
      const Array<double, Space> b(vector(b_)), x(vector(x_));
      if (!A) return {};
      FailedSolve<Space> f = failure(facts);
      f.A = A.get();
      f.prepared_from = nullptr;
      f.M = nullptr;
      f.b = b;
      f.x = x;
      Finding finding = examine(f);
      finding.measured("examined", "on one rank (solved on " + std::to_string(ranks.size()) + " ranks)");
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
  FlightStep& now() { return ring_[static_cast<std::size_t>(begun_ - 1) % ring_.size()]; }
  void look(FlightStep& step) {
    ScopedTimer timer(seconds_);
    for (std::size_t v = 0; v < facts_.watched.size(); ++v) {
      step.range[v] = facts_.watched[v].range();
      const bool bad = !step.range[v].all_finite || (facts_.watched[v].positive && !(step.range[v].least > 0));
      if (bad && !not_finite_ && !unphysical_) search(step.step);
    }
    over_ranks(ranks_, std::span(step.range).first(facts_.watched.size()));
    look_at_cfl(step);
  }
  // With explicit terms the CFL number costs a pass over the field: it is computed again only if dt changes, or the
  // range of a variable other than p changes by more than 20 %.
  void look_at_cfl(FlightStep& step) {
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
  // After the first bad range: finds cell and variable on this rank. Copies the state once.
  void search(std::int64_t step) {
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
  void gather_bad_values() {
    if (ranks_.size() == 1 || !ranks_.any(not_finite_ || unphysical_)) return;
    std::vector<std::string> variables;
    for (const WatchedVariable& v : facts_.watched) variables.push_back(v.name);
    const auto cells = static_cast<std::int64_t>(facts_.watched.front().values().size());
    for (auto* bad : {&not_finite_, &unphysical_}) first_of_ranks(ranks_, variables, cells, *bad);
  }
  double cfl() const { return ranks_.max(facts_.cfl()); }
  void note(int system, const SolveResult& r, int age, double setup_seconds) {
    if (begun_ == 0) return;  // solves of the initial state
    FlightStep& step = now();
    step.solve[static_cast<std::size_t>(step.solves++) % most_solves] = {
        system, r.iterations, age, r.reason, r.residual0, r.true_residual, setup_seconds, r.solve_seconds};
    step.failed_solves += !r.converged();
  }
  std::optional<Finding> examine_last_solve() {
    if (!last_ || !last_->solve_failed()) return {};
    return ranks_.size() > 1 ? last_->examine_whole(ranks_, facts_) : examine(last_->failure(facts_));
  }
  void tell(Run& run, const Outcome& outcome, const Finding& f) {
    std::vector<std::string> variables, systems;
    for (const WatchedVariable& v : facts_.watched) variables.push_back(v.name);
    for (const auto& w : watches_) systems.push_back(w->system().name);
    write_flight(run.path(flight_file), f, outcome.reason, steps(), history_.kept(), variables, systems);
    run.say_at_end(flight_text(f));
    run.event("diagnosis", std::string(to_string(f.cause)) + ": " + f.what);
  }
  // Oldest first.
  std::vector<FlightStep> steps() const {
    const auto size = static_cast<std::int64_t>(ring_.size());
    std::vector<FlightStep> kept;
    for (std::int64_t k = std::max<std::int64_t>(0, begun_ - size); k < begun_; ++k) kept.push_back(ring_[k % size]);
    return kept;
  }
  // The thinned history and the last steps.
  std::vector<FlightMoment> moments() const {
    const std::vector<FlightStep> last = steps();
    std::vector<FlightMoment> all = history_.kept();
    std::erase_if(all, [&](const FlightMoment& m) { return m.step >= last.front().step; });
    all.insert(all.end(), last.begin(), last.end());
    return all;
  }

  std::int64_t every_ = 1, begun_ = 0;
  std::vector<FlightStep> ring_;
  FlightHistory history_;
  FlightStep first_, cfl_from_;  // first step of this process; step of the last computed CFL number
  std::vector<std::unique_ptr<Watch>> watches_;
  Watch* last_ = nullptr;  // of the last solved system
  std::optional<BadValue> not_finite_, unphysical_;
  bool concluded_ = false;
  double seconds_ = 0;
};

}  // namespace weir
