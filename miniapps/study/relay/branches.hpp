// Branches of a run: candidates run the same few steps from one state in memory while the flow code's own solvers stay
// untouched; then the state is restored and the run continues unchanged. The time of the whole step counts, flow work
// included; over ranks it is that of the slowest rank, so that all ranks agree. cost_clock.hpp describes the clock.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/driver/flow_branch.hpp"
#include "miniapps/study/relay/candidates.hpp"
#include "miniapps/study/relay/cost_clock.hpp"
#include "miniapps/study/relay/relay_series.hpp"
#include "postproc/run/run.hpp"
#include "solvers/parallel/agree.hpp"

namespace weir {

// Diverts the records of the flow code to `to`.
class Diversion {
 public:
  Diversion(Run& run, Diverted& to) : run_(run) { run_.divert(&to); }
  ~Diversion() { run_.divert(nullptr); }
  Diversion(const Diversion&) = delete;
  Diversion& operator=(const Diversion&) = delete;

 private:
  Run& run_;
};

template <class Space>
class Branches {
 public:
  explicit Branches(const Communicator& ranks) : ranks_(ranks) {}
  Branches(const Branches&) = delete;  // the solvers keep a pointer to it
  Branches& operator=(const Branches&) = delete;

  void add(CandidateSolvers<Space> candidate) { candidates_.push_back(std::move(candidate)); }
  std::vector<CandidateSolvers<Space>>& candidates() { return candidates_; }
  void open(Run& run) {
    run_ = &run;
    clock_ = CostClock(ranks_);
    if (observer_) observer_->time_by(clock_);
    for (CandidateSolvers<Space>& candidate : candidates_) candidate.stop_when([this] { return must_stop(); });
  }
  double now() const { return clock_.now(); }
  void observe_by(BranchObserver<Space>* observer) { observer_ = observer; }

  // Sets the initial state of the following branches.
  void hold(const FlowBranch& flow) { state_ = held(ranks_, flow.state()); }
  std::int64_t state_bytes() const {
    std::size_t values = 0;
    for (const auto& [name, array] : state_.arrays) values += array.size();
    return static_cast<std::int64_t>(values * sizeof(double));
  }
  const CostClock& clock() const { return clock_; }
  // The candidate runs `steps` steps; it is stopped after `limit` seconds. Failures of a solver are in the result;
  // other errors, and those of one rank alone, are thrown.
  BranchRun run(int index, int steps, const FlowBranch& flow, double limit = never) {
    CandidateSolvers<Space>& candidate = candidates_[static_cast<std::size_t>(index)];
    BranchRun run;
    run.candidate = index;
    candidate.reset();
    const ScopedSwap swap(candidate);
    const Diversion diversion(*run_, records_);
    try {
      flow.load(state_);
      take_steps(candidate, steps, flow, limit, run);
    } catch (const std::exception& error) {
      // After an error on one rank alone the other ranks would wait for it.
      const bool is_on_all = ranks_.size() == 1 || dynamic_cast<const AgreedError*>(&error);
      const MetError met = met_now();
      if (!is_on_all || !is_of_a_solver(met.code)) throw;
      fails(run, met.words);
    }
    cut_at_ = never;
    return run;
  }
  // Restores the state. The solver data in it go to the candidate, not to the flow code's own solvers.
  void restore(int index, const FlowBranch& flow) {
    CandidateSolvers<Space>& replica = candidates_[static_cast<std::size_t>(index)];
    replica.reset();
    const ScopedSwap swap(replica);
    flow.load(state_);
  }
  // The run is about to stop; all ranks call.
  bool is_interrupted() { return is_interrupted_ = run_->should_stop() || is_interrupted_; }

  static constexpr double never = std::numeric_limits<double>::infinity();

 private:
  // Polled by the solvers in every iteration, on all ranks.
  bool must_stop() {
    constexpr int polls_per_message = 16;
    if (is_interrupted_ || run_->must_abandon_step()) return is_interrupted_ = true;
    if (ranks_.size() > 1 && ++polls_ % polls_per_message != 0) return false;
    return ranks_.any(clock_.now() > cut_at_);
  }
  void take_steps(const CandidateSolvers<Space>& candidate, int steps, const FlowBranch& flow, double limit,
                  BranchRun& run) {
    double level = flow.level();
    for (int step = 0; step < steps; ++step) {
      if (run.seconds() > limit) {
        run.end = BranchRunEnd::cut;
        return;
      }
      records_ = {};
      if (observer_) observer_->observe_next();
      ranks_.barrier();
      cut_at_ = clock_.now() + limit - run.seconds();
      double seconds = 0;
      const BranchEnd end = [&] {
        const CostTimer timer(clock_, seconds);
        return flow.step();
      }();
      double observing = 0;
      const Observation observation = observer_ ? observer_->take(observing) : Observation{};
      seconds = std::max(0.0, seconds - observing);
      if (candidate.slowed_by() > 0) keep_busy(clock_, seconds, candidate.slowed_by() * seconds);
      seconds = ranks_.max(seconds);
      if (end == BranchEnd::failed || end == BranchEnd::interrupted) {
        run.rest = seconds;
        run.end = BranchRunEnd::cut;
        if (end == BranchEnd::failed) fails(run, "a step failed");
        return;
      }
      const double progress = flow.level() - level;
      level += progress;
      run.steps.push_back({seconds, progress, records_.solves, records_.iterations, records_.unconverged,
                           records_.rejected, observation});
      if (!std::isfinite(progress)) {
        run.steps.back().progress = 0;
        return fails(run, "the residual is not finite");
      }
      if (end == BranchEnd::reached) {
        run.end = BranchRunEnd::reached;
        return;
      }
    }
  }

  // Broadcasts in messages below 2^31 bytes.
  static void share(const Communicator& ranks, std::vector<double>& values) {
    constexpr std::int64_t most = std::int64_t{1} << 27;
    auto size = static_cast<std::int64_t>(values.size());
    ranks.broadcast(&size, sizeof size, 0);
    values.resize(static_cast<std::size_t>(size));
    for (std::int64_t at = 0; at < size; at += most)
      ranks.broadcast(values.data() + at, std::min(most, size - at) * static_cast<std::int64_t>(sizeof(double)), 0);
  }
  // The state of a branch: a checkpoint in memory, with the values of rank 0 on all ranks, and each rank's own part of
  // the arrays that are spread.
  static Checkpoint held(const Communicator& ranks, const CheckpointState& state) {
    Checkpoint c;
    c.path = "the state of a branch";
    c.header.step = state.step;
    c.header.time = state.time;
    for (const auto& [name, values, spread] : state.doubles) {
      std::vector<double> all(values.begin(), values.end());
      if (spread)
        c.parts.insert(name);
      else if (ranks.size() > 1)
        share(ranks, all);
      c.arrays.emplace_back(name, std::move(all));
    }
    for (const auto& [name, value] : state.scalars) c.arrays.emplace_back(name, std::vector<double>{value});
    return c;
  }
  // Errors that a solver can cause; errors of disks, devices and of the program end the run.
  static bool is_of_a_solver(Exit code) {
    return code == Exit::solver_failed || code == Exit::not_finite || code == Exit::usage ||
           code == Exit::out_of_memory;
  }
  static void fails(BranchRun& run, const std::string& why) {
    run.end = BranchRunEnd::failed;
    run.why = why;
  }

  const Communicator& ranks_;
  Run* run_ = nullptr;
  BranchObserver<Space>* observer_ = nullptr;
  std::vector<CandidateSolvers<Space>> candidates_;
  Checkpoint state_;
  Diverted records_;  // of the current step
  CostClock clock_;
  double cut_at_ = never;        // by the clock
  bool is_interrupted_ = false;  // the run is about to stop
  int polls_ = 0;
};

}  // namespace weir
