#include "miniapps/study/relay/branches.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inputs/case.hpp"
#include "miniapps/study/select/auto_candidates.hpp"
#include "miniapps/study/shadow/reference_solver.hpp"
#include "miniapps/study/shadow/shadow.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {
namespace {

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

// Keeps the processor busy for `more` seconds.
void wait(const CostClock& clock, double& seconds, double more) {
  const CostTimer timer(clock, seconds);
  for (const double end = clock.now() + more; clock.now() < end;) continue;
}

void fails(BranchRun& run, const std::string& why) {
  run.end = BranchRunEnd::failed;
  run.why = why;
}

// Errors that a solver can cause; errors of disks, devices and of the program end the run.
bool is_of_a_solver(Exit code) {
  return code == Exit::solver_failed || code == Exit::not_finite || code == Exit::usage || code == Exit::out_of_memory;
}

void refuse_other_libraries(const Table& options) {
  if (is_peer(options.get<std::string>("method", "")))
    options.fail("method", "a solver of another library cannot run a branch; compare it in [shadow]");
}

template <class Space>
LinearSolver<Space> solver_of(const StudiedSystem<Space>& s, const Table& options, const KrylovOptions& with,
                              const Communicator& ranks) {
  LinearSolver<Space> solver(options, s.default_method, s.default_preconditioner, with);
  if (ranks.size() > 1) {
    solver.lifetime().require_always(options);
    solver.spread_like(*s.reference);
  }
  return solver;
}

template <class Space>
LinearSolver<Space> reference_solver(const StudiedSystem<Space>& s, const Communicator& ranks) {
  return solver_of(s, s.options, KrylovOptions{s.default_tolerance}, ranks);
}

// Broadcasts in messages below 2^31 bytes.
void share(const Communicator& ranks, std::vector<double>& values) {
  constexpr std::int64_t most = std::int64_t{1} << 27;
  auto size = static_cast<std::int64_t>(values.size());
  ranks.broadcast(&size, sizeof size, 0);
  values.resize(static_cast<std::size_t>(size));
  for (std::int64_t at = 0; at < size; at += most)
    ranks.broadcast(values.data() + at, std::min(most, size - at) * static_cast<std::int64_t>(sizeof(double)), 0);
}

// The state of a branch: a checkpoint in memory, with the values of rank 0 on all ranks.
Checkpoint held(const Communicator& ranks, const CheckpointState& state) {
  Checkpoint c;
  c.path = "the state of a branch";
  c.header.step = state.step;
  c.header.time = state.time;
  for (const auto& [name, values] : state.doubles) {
    std::vector<double> all(values.begin(), values.end());
    if (ranks.size() > 1) share(ranks, all);
    c.arrays.emplace_back(name, std::move(all));
  }
  for (const auto& [name, value] : state.scalars) c.arrays.emplace_back(name, std::vector<double>{value});
  return c;
}

std::int64_t bytes_of(const Checkpoint& state) {
  std::size_t values = 0;
  for (const auto& [name, array] : state.arrays) values += array.size();
  return static_cast<std::int64_t>(values * sizeof(double));
}

}  // namespace

Candidates::Candidates(const Table& table, const std::vector<std::string>& systems, const std::string& automatic)
    : table_(table), names_(table.get<std::vector<std::string>>("solvers", {})) {
  for (const auto& name : names_)
    if (!table_.is_table(name)) table_.fail("solvers", "no table of the name '" + name + "' defines it");
  is_automatic_ = names_.empty() && !automatic.empty();
  if (is_automatic_)
    for (const AutoCandidate& c : auto_candidates()) names_.emplace_back(c.name);
  if (names_.empty()) {
    table_.get<std::string>("system", "");
    return;
  }
  system_ = automatic.empty() || table_.has("system") ? read_system(table_, systems) : automatic;
  if (!automatic.empty() && system_ != automatic)
    table_.fail("system", "[linear." + automatic + "] method = \"auto\" asks for that system");
}

Table Candidates::options_of(const std::string& name) const {
  for (const AutoCandidate& c : auto_candidates())
    if (is_automatic_ && name == c.name) return read_case_text(c.options, "method = \"auto\"");
  const Table options = table_.table(name);
  options.described_by(candidate_options()).get<double>("slowed_by");
  return options;
}

template <class Space>
void Candidates::refuse_unfit(const SystemDefaults& s) const {
  if (s.name != system_ || is_automatic_) return;
  for (const auto& name : names_) {
    const Table options = options_of(name);
    if (options.get<bool>("like_leader", false)) continue;
    refuse_other_libraries(options);
    s.refuse_unfit(options);
    LinearSolver<Space>(options, s.method, s.preconditioner, KrylovOptions{});
  }
}

template <class Space>
std::string Candidates::why_left_out(const std::string& name, const StudiedSystem<Space>& s) const {
  for (const AutoCandidate& c : auto_candidates())
    if (name == c.name && !(c.matrices & s.matrix)) return "not a candidate for this kind of matrix";
  const Table options = options_of(name);
  try {
    weir::refuse_unfit(options, s.default_method, s.default_preconditioner, s.matrix, s.is_symmetric);
    const LinearSolver<Space> solver(options, s.default_method, s.default_preconditioner);
    return solver.name() == s.reference->name() ? "same as the default" : "";
  } catch (const Error& error) {
    return error.what();
  }
}

template <class Space>
CandidateSolvers<Space> Candidates::reference(const std::string& name, const Communicator& ranks,
                                              BranchObserver<Space>* observer) const {
  return {name, system_, 0,
          observed_by(observer, [&ranks](const StudiedSystem<Space>& s) { return reference_solver(s, ranks); })};
}

template <class Space>
CandidateSolvers<Space> Candidates::solvers(const std::string& name, const Communicator& ranks,
                                            BranchObserver<Space>* observer) const {
  const Table options = options_of(name);
  const auto slowed_by = options.get<double>("slowed_by", 0.0);
  const bool is_reference = options.get<bool>("like_leader", false);
  if (!is_reference) refuse_other_libraries(options);
  const auto make = [=, system = system_, &ranks](const StudiedSystem<Space>& s) {
    if (is_reference || s.name != system) return reference_solver(s, ranks);
    return solver_of(s, options, stopping_test_of(s.options, KrylovOptions{s.default_tolerance}), ranks);
  };
  return {name, system_, slowed_by, observed_by<Space>(observer, make)};
}

// Of a system in several parts the first is observed.
template <class Space>
typename CandidateSolvers<Space>::Make Candidates::observed_by(BranchObserver<Space>* observer,
                                                               typename CandidateSolvers<Space>::Make make) const {
  if (!observer) return make;
  return [observer, system = system_, make = std::move(make)](const StudiedSystem<Space>& s) {
    LinearSolver<Space> solver = make(s);
    if (s.name == system && s.part == 0) observer->watch(solver, *s.reference);
    return solver;
  };
}

template <class Space>
void Branches<Space>::open(Run& run) {
  run_ = &run;
  clock_ = CostClock(ranks_);
  if (observer_) observer_->time_by(clock_);
  for (CandidateSolvers<Space>& candidate : candidates_) candidate.stop_when([this] { return must_stop(); });
}

template <class Space>
void Branches<Space>::hold(const FlowBranch& flow) {
  state_ = held(ranks_, flow.state());
}

template <class Space>
std::int64_t Branches<Space>::state_bytes() const {
  return bytes_of(state_);
}

template <class Space>
bool Branches<Space>::is_interrupted() {
  return is_interrupted_ = run_->should_stop() || is_interrupted_;
}

// Polled by the solvers in every iteration, on all ranks.
template <class Space>
bool Branches<Space>::must_stop() {
  constexpr int polls_per_message = 16;
  if (is_interrupted_ || run_->must_abandon_step()) return is_interrupted_ = true;
  if (ranks_.size() > 1 && ++polls_ % polls_per_message != 0) return false;
  return ranks_.any(clock_.now() > cut_at_);
}

template <class Space>
void Branches<Space>::restore(int index, const FlowBranch& flow) {
  CandidateSolvers<Space>& replica = candidates_[static_cast<std::size_t>(index)];
  replica.reset();
  const ScopedSwap swap(replica);
  flow.load(state_);
}

template <class Space>
BranchRun Branches<Space>::run(int index, int steps, const FlowBranch& flow, double limit) {
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

template <class Space>
void Branches<Space>::take_steps(const CandidateSolvers<Space>& candidate, int steps, const FlowBranch& flow,
                                 double limit, BranchRun& run) {
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
    if (candidate.slowed_by() > 0) wait(clock_, seconds, candidate.slowed_by() * seconds);
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

template class Branches<Host>;
template class Branches<Device>;
template void Candidates::refuse_unfit<Host>(const SystemDefaults&) const;
template void Candidates::refuse_unfit<Device>(const SystemDefaults&) const;
template std::string Candidates::why_left_out(const std::string&, const StudiedSystem<Host>&) const;
template std::string Candidates::why_left_out(const std::string&, const StudiedSystem<Device>&) const;
template CandidateSolvers<Host> Candidates::solvers(const std::string&, const Communicator&,
                                                    BranchObserver<Host>*) const;
template CandidateSolvers<Device> Candidates::solvers(const std::string&, const Communicator&,
                                                      BranchObserver<Device>*) const;
template CandidateSolvers<Host> Candidates::reference(const std::string&, const Communicator&,
                                                      BranchObserver<Host>*) const;
template CandidateSolvers<Device> Candidates::reference(const std::string&, const Communicator&,
                                                        BranchObserver<Device>*) const;

}  // namespace weir
