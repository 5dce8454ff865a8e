#include "miniapps/study/relay/branches.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inputs/case.hpp"
#include "miniapps/study/relay/held_state.hpp"
#include "miniapps/study/select/auto_candidates.hpp"
#include "miniapps/study/shadow/reference_solver.hpp"
#include "miniapps/study/shadow/shadow.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {
namespace {

// What the flow code records while this lives goes to `to`.
class Diversion {
 public:
  Diversion(Run& run, Diverted& to) : run_(run) { run_.divert(&to); }
  ~Diversion() { run_.divert(nullptr); }
  Diversion(const Diversion&) = delete;
  Diversion& operator=(const Diversion&) = delete;

 private:
  Run& run_;
};

// On the processor, so many seconds more.
void wait(const CostClock& clock, double& seconds, double more) {
  const CostTimer timer(clock, seconds);
  for (const double end = clock.now() + more; clock.now() < end;) continue;
}

void fails(Lead& lead, const std::string& why) {
  lead.end = LeadEnd::failed;
  lead.why = why;
}

// What a solver can bring about by itself: numbers, a matrix that it cannot take, more memory than there is. Disks, devices and
// faults of the program are the run's affair.
bool is_of_a_solver(Exit code) {
  return code == Exit::solver_failed || code == Exit::not_finite || code == Exit::usage || code == Exit::out_of_memory;
}

void refuse_other_libraries(const Table& options) {
  if (is_peer(options.get<std::string>("method", "")))
    options.fail("method", "a solver of another library cannot lead a branch; compare it in [shadow]");
}

template <class Space>
LinearSolver<Space> solver_of(const StudiedSystem<Space>& s, const Table& options, const KrylovOptions& with,
                              const Communicator& ranks) {
  LinearSolver<Space> solver(options, s.default_method, s.default_preconditioner, with);
  if (ranks.size() > 1) {
    solver.refresh_policy().require_always(options);
    solver.spread_like(*s.leader);
  }
  return solver;
}

template <class Space>
LinearSolver<Space> as_leader(const StudiedSystem<Space>& s, const Communicator& ranks) {
  return solver_of(s, s.options, KrylovOptions{s.default_tolerance}, ranks);
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

Table Candidates::candidate(const std::string& name) const {
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
    const Table options = candidate(name);
    if (options.get<bool>("like_leader", false)) continue;
    refuse_other_libraries(options);
    s.refuse_unfit(options);
    LinearSolver<Space>(options, s.method, s.preconditioner, KrylovOptions{});
  }
}

template <class Space>
std::string Candidates::why_left_out(const std::string& name, const StudiedSystem<Space>& s) const {
  for (const AutoCandidate& c : auto_candidates())
    if (name == c.name && !(c.matrices & s.matrix)) return "not tried on such matrices";
  const Table options = candidate(name);
  try {
    weir::refuse_unfit(options, s.default_method, s.default_preconditioner, s.matrix, s.is_symmetric);
    const LinearSolver<Space> solver(options, s.default_method, s.default_preconditioner);
    return solver.name() == s.leader->name() ? "is the default" : "";
  } catch (const Error& error) {
    return error.what();
  }
}

template <class Space>
Crew<Space> Candidates::like_leader(const std::string& name, const Communicator& ranks, BranchEye<Space>* eye) const {
  return {name, system_, 0, seen_by(eye, [&ranks](const StudiedSystem<Space>& s) { return as_leader(s, ranks); })};
}

template <class Space>
Crew<Space> Candidates::crew(const std::string& name, const Communicator& ranks, BranchEye<Space>* eye) const {
  const Table options = candidate(name);
  const auto slowed_by = options.get<double>("slowed_by", 0.0);
  const bool is_like_leader = options.get<bool>("like_leader", false);
  if (!is_like_leader) refuse_other_libraries(options);
  const auto make = [=, system = system_, &ranks](const StudiedSystem<Space>& s) {
    if (is_like_leader || s.name != system) return as_leader(s, ranks);
    return solver_of(s, options, stopping_test_of(s.options, KrylovOptions{s.default_tolerance}), ranks);
  };
  return {name, system_, slowed_by, seen_by<Space>(eye, make)};
}

// Of a system in several parts the eye sees the first.
template <class Space>
typename Crew<Space>::Make Candidates::seen_by(BranchEye<Space>* eye, typename Crew<Space>::Make make) const {
  if (!eye) return make;
  return [eye, system = system_, make = std::move(make)](const StudiedSystem<Space>& s) {
    LinearSolver<Space> solver = make(s);
    if (s.name == system && s.part == 0) eye->hang_on(solver, *s.leader);
    return solver;
  };
}

template <class Space>
void Branches<Space>::open(Run& run) {
  run_ = &run;
  clock_ = CostClock(ranks_);
  if (eye_) eye_->time_by(clock_);
  for (Crew<Space>& crew : crews_) crew.stop_when([this] { return must_stop(); });
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

// Asked by solvers in every iteration, on all ranks.
template <class Space>
bool Branches<Space>::must_stop() {
  constexpr int calls_a_message = 16;
  if (is_interrupted_ || run_->must_abandon_step()) return is_interrupted_ = true;
  if (ranks_.size() > 1 && ++asked_ % calls_a_message != 0) return false;
  return ranks_.any(clock_.now() > cut_at_);
}

template <class Space>
void Branches<Space>::put_back(int who, const FlowBranch& flow) {
  Crew<Space>& replica = crews_[static_cast<std::size_t>(who)];
  replica.begin();
  const InPlace in_place(replica);
  flow.load(state_);
}

template <class Space>
Lead Branches<Space>::lead(int who, int steps, const FlowBranch& flow, double limit) {
  Crew<Space>& crew = crews_[static_cast<std::size_t>(who)];
  Lead lead;
  lead.crew = who;
  crew.begin();
  const InPlace in_place(crew);
  const Diversion diversion(*run_, records_);
  try {
    flow.load(state_);
    take_steps(crew, steps, flow, limit, lead);
  } catch (const std::exception& error) {
    // The other ranks wait for one that has met an error alone.
    const bool all_have = ranks_.size() == 1 || dynamic_cast<const AgreedError*>(&error);
    const MetError met = met_now();
    if (!all_have || !is_of_a_solver(met.code)) throw;
    fails(lead, met.words);
  }
  cut_at_ = never;
  return lead;
}

template <class Space>
void Branches<Space>::take_steps(const Crew<Space>& crew, int steps, const FlowBranch& flow, double limit, Lead& lead) {
  double level = flow.level();
  for (int step = 0; step < steps; ++step) {
    if (lead.seconds() > limit) {
      lead.end = LeadEnd::cut;
      return;
    }
    records_ = {};
    if (eye_) eye_->look_at_next();
    ranks_.barrier();
    cut_at_ = clock_.now() + limit - lead.seconds();
    double seconds = 0;
    const BranchEnd end = [&] {
      const CostTimer timer(clock_, seconds);
      return flow.step();
    }();
    double looking = 0;
    const Look look = eye_ ? eye_->take(looking) : Look{};
    seconds = std::max(0.0, seconds - looking);
    if (crew.slowed_by() > 0) wait(clock_, seconds, crew.slowed_by() * seconds);
    seconds = ranks_.max(seconds);
    if (end == BranchEnd::failed || end == BranchEnd::interrupted) {
      lead.rest = seconds;
      lead.end = LeadEnd::cut;
      if (end == BranchEnd::failed) fails(lead, "a step failed");
      return;
    }
    const double progress = flow.level() - level;
    level += progress;
    lead.steps.push_back(
        {seconds, progress, records_.solves, records_.iterations, records_.unconverged, records_.rejected, look});
    if (!std::isfinite(progress)) {
      lead.steps.back().progress = 0;
      return fails(lead, "the residual is not finite");
    }
    if (end == BranchEnd::reached) {
      lead.end = LeadEnd::reached;
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
template Crew<Host> Candidates::crew(const std::string&, const Communicator&, BranchEye<Host>*) const;
template Crew<Device> Candidates::crew(const std::string&, const Communicator&, BranchEye<Device>*) const;
template Crew<Host> Candidates::like_leader(const std::string&, const Communicator&, BranchEye<Host>*) const;
template Crew<Device> Candidates::like_leader(const std::string&, const Communicator&, BranchEye<Device>*) const;

}  // namespace weir
