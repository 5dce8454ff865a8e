// [relay]: comparison of solvers on branches of the run (closed loop). At chosen steps each candidate, and the
// reference solver twice as A/A control, runs the same few steps from one state in memory; then the state is restored
// and the run continues unchanged. So a candidate solves the systems that result from its own solutions. [relay.NAME]
// is as [shadow.NAME], without solvers of other libraries. A candidate has solvers of its own for all systems
// (candidate_solvers.hpp). The time of the whole step counts; over ranks that of the slowest, so that all ranks take
// the same decisions. relay.csv has one row per step of a branch, the block "relay" of run.json the results
// (relay_series.hpp).
#include <fmt/format.h>

#include <random>
#include <utility>

#include "miniapps/study/relay/branches.hpp"
#include "miniapps/study/shadow/shadow.hpp"
#include "postproc/run/machine.hpp"

namespace weir {

static Options relay_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "name of the studied system, one of [linear.SYSTEM]"},
      {"solvers", Option::texts, "[]", "names of the candidates, defined by [relay.NAME]"},
      {"every", Option::integer, "10", "number of steps between two branches; 0: no branches", "[0, inf)", "steps"},
      {"randomised", Option::boolean, "true",
       "switch for branches at a random step of each interval instead of at its end"},
      {"repeats", Option::integer, "1",
       "number of branches per candidate from the same state, which average out disturbances of the times", "[1, inf)"},
      {"steps", Option::integer, "8", "initial length of a branch", "[2, inf)"},
      {"most_steps", Option::integer, "64",
       "maximum length of a branch; the length doubles while the two halves of a branch differ in cost", "[2, inf)"},
      {"limit", Option::number, "5",
       "time limit of a branch, as a multiple of the time of the reference solver's branch", "[1, inf)"},
      {"budget", Option::number, "50", "limit on the total time of all branches, as a multiple of the run's own time",
       "(0, inf)"},
      {"seed", Option::integer, "1", "seed of the random steps and orders"}};
  return keys;
}

namespace {

constexpr const char* relay_columns =
    "step,length,name,solver,place,replica,led,seconds,progress,solves,iterations,not_converged,rejected,end,"
    "long_waves,left";

template <class Space>
class Relay : public Facility<Space> {
 public:
  explicit Relay(const LabCase& c)
      : Facility<Space>(c.ranks),
        options_(c.config.table("relay")),
        candidates_(options_, c.systems),
        branches_(c.ranks),
        observer_(c.ranks) {
    const Table t = options_.described_by(relay_options());
    every_ = t.get<std::int64_t>("every");
    is_randomised_ = t.get<bool>("randomised");
    repeats_ = t.get<int>("repeats");
    length_ = {t.get<int>("steps"), t.get<int>("most_steps")};
    if (length_.most < length_.first) t.fail("most_steps", "'most_steps' is less than 'steps'");
    limit_ = t.get<double>("limit");
    budget_ = t.get<double>("budget");
    seed_ = static_cast<std::uint64_t>(t.get<std::int64_t>("seed"));
  }

  void read(const SystemDefaults& s) override { candidates_.refuse_unfit(s); }

  void attach(const StudiedSystem<Space>& s) override {
    if (candidates_.names().empty()) return;
    if (branches_.candidates().empty()) {
      for (const char* name : {"leader", control_name}) branches_.add(candidates_.reference(name, ranks_, &observer_));
      for (const auto& name : candidates_.names()) branches_.add(candidates_.solvers(name, ranks_, &observer_));
      branches_.observe_by(&observer_);
    }
    for (CandidateSolvers<Space>& candidate : branches_.candidates()) candidate.add_system(s);
  }

  void open(Run& run) override {
    run_ = &run;
    if (!is_on()) return;
    branches_.open(run);
    std::vector<std::string> names, solvers;
    for (const CandidateSolvers<Space>& candidate : branches_.candidates()) {
      names.push_back(candidate.name());
      solvers.push_back(candidate.solver());
    }
    series_ = RelaySeries(std::move(names), std::move(solvers), length_);
    if (ranks_.is_root()) rows_ = &run.record("relay.csv", relay_columns);
  }

  void between_steps(std::int64_t next, const FlowBranch& flow) override {
    if (!is_on() || !is_due(next)) return;
    double& spent = run_->timings().at("instrumentation", "relay");
    if (ranks_.any(spent > budget_ * (run_->loop_seconds() - spent))) return;
    ScopedTimer timer(spent);
    is_in_decades_ = flow.is_in_decades;
    branches_.hold(flow);
    renew_solvers(next, flow);
    for (int repeat = 0; repeat < repeats_ && !branches_.is_interrupted(); ++repeat) {
      Branch branch = branch_from(next, repeat, flow);
      if (!branches_.is_interrupted()) keep(std::move(branch));  // else the run stops
    }
    branches_.restore(0, flow);
  }

  void finish(Run& run) override {
    if (series_.branches() == 0 || !ranks_.is_root()) return;
    const RelayComparison comparison = series_.compare(seed_);
    const RelaySubject of{candidates_.system(), is_in_decades_ ? "decades of the residual" : "physical time",
                          branches_.clock().name()};
    run.add_to_summary("relay", relay_json(comparison, of));
    std::int64_t bytes = 0;
    for (const CandidateSolvers<Space>& candidate : branches_.candidates()) bytes += candidate.bytes();
    run.say_at_end(relay_table(comparison, of) +
                   fmt::format("  {} branches took {}; memory: {} for the state, {} for the solvers\n",
                               series_.branches(), duration_text(run.timings().at("instrumentation", "relay")),
                               bytes_text(branches_.state_bytes()), bytes_text(bytes)));
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::run_;

  bool is_on() { return !branches_.candidates().empty() && every_ > 0; }

  // One step of each interval of `every_`, independent of earlier steps.
  bool is_due(std::int64_t step) const {
    const std::int64_t period = (step - 1) / every_, place = (step - 1) % every_;
    if (!is_randomised_) return place == every_ - 1;
    std::mt19937_64 random(seed_ + 7919 * static_cast<std::uint64_t>(period));
    return static_cast<std::uint64_t>(place) == random() % static_cast<std::uint64_t>(every_);
  }

  void keep(Branch branch) {
    const int before = series_.steps();
    write(branch);
    series_.add(std::move(branch));
    if (series_.steps() > before)
      run_->event("relay", fmt::format("branch length increased to {} steps: the cost per step of {} is still changing",
                                       series_.steps(), series_.growing()));
  }

  // The location of its arrays changes the speed of a solver by up to 3 %, so all solvers are made again, in random
  // order, before each set of branches. The first step of each, which allocates, does not count.
  void renew_solvers(std::int64_t next, const FlowBranch& flow) {
    std::vector<int> order;
    for (int index = 0; index < static_cast<int>(branches_.candidates().size()); ++index)
      if (!series_.is_hopeless(index)) order.push_back(index);
    if (replicas_steps_ == 0) run_branch(0, 1, flow);  // for the limit of the others
    for (CandidateSolvers<Space>& candidate : branches_.candidates()) candidate.renew();
    std::mt19937_64 random(seed_ + 32452843 * static_cast<std::uint64_t>(next));
    shuffle(std::span(order), random);
    for (const int index : order)
      if (!branches_.is_interrupted()) run_branch(index, 1, flow);
  }

  // All candidates, in random order.
  Branch branch_from(std::int64_t next, int repeat, const FlowBranch& flow) {
    std::vector<int> order;
    for (int index = 0; index < static_cast<int>(branches_.candidates().size()); ++index)
      if (!series_.is_hopeless(index)) order.push_back(index);
    std::mt19937_64 random = draw(seed_, next, 15485863 * std::int64_t{repeat});
    shuffle(std::span(order), random);
    const bool is_swapped = random() % 2 == 1;  // the second replica counts as the reference
    Branch branch{next, series_.steps(), {}};
    branch.by_name.resize(branches_.candidates().size());
    for (int place = 0; place < static_cast<int>(order.size()) && !branches_.is_interrupted(); ++place) {
      const int index = order[static_cast<std::size_t>(place)];
      BranchRun run = run_branch(index, branch.steps, flow);
      run.place = place + 1;
      branch.by_name[static_cast<std::size_t>(index < 2 && is_swapped ? 1 - index : index)] = std::move(run);
    }
    return branch;
  }

  // The limit of the candidates follows from the times of the replicas.
  BranchRun run_branch(int index, int steps, const FlowBranch& flow) {
    if (index >= 2) return branches_.run(index, steps, flow, limit_ * steps * replicas_seconds_ / replicas_steps_);
    BranchRun run = branches_.run(index, steps, flow);
    replicas_seconds_ += run.seconds();
    replicas_steps_ += static_cast<double>(run.steps.size());
    return run;
  }

  void write(const Branch& branch) {
    for (std::size_t name = 0; name < branch.by_name.size(); ++name) {
      if (!branch.by_name[name]) continue;
      const BranchRun& run = *branch.by_name[name];
      if (run.end == BranchRunEnd::failed)
        run_->event("relay", fmt::format("{}: the branch that started at step {} failed: {}",
                                         branches_.candidates()[name].name(), branch.step, run.why));
      run_->on_root([&] { write_rows(branch, name, run); });
    }
  }

  // A last row without `led` belongs to a step that was not completed.
  void write_rows(const Branch& branch, std::size_t name, const BranchRun& run) {
    const std::string index =
        fmt::format("{},{},{},{},{},{}", branch.step, branch.steps, branches_.candidates()[name].name(),
                    branches_.candidates()[name].solver(), run.place,
                    run.candidate < 2 ? fmt::format("{}", run.candidate + 1) : std::string());
    const std::size_t steps_run = run.steps.size();
    for (std::size_t k = 0; k < steps_run; ++k) {
      const BranchStep& s = run.steps[k];
      const bool is_last = k + 1 == steps_run && run.rest == 0;
      const auto if_known = [](double value) { return value >= 0 ? fmt::format("{:.4g}", value) : std::string(); };
      rows_->add(fmt::format("{},{},{:.6g},{:.6g},{},{},{},{},{},{},{}", index, k + 1, s.seconds, s.progress, s.solves,
                             s.iterations, s.unconverged, s.rejected, is_last ? to_string(run.end) : "",
                             if_known(s.observation.long_waves), if_known(s.observation.left)));
    }
    if (steps_run == 0 || run.rest > 0)
      rows_->add(fmt::format("{},,{:.6g},,,,,,{},,", index, run.rest, to_string(run.end)));
  }

  Table options_;
  Candidates<Space> candidates_;
  Branches<Space> branches_;  // two replicas of the reference solver, then the candidates
  BranchObserver<Space> observer_;
  std::int64_t every_ = 0;
  int repeats_ = 1;
  bool is_randomised_ = true, is_in_decades_ = false;
  BranchLength length_;
  double limit_ = 0, budget_ = 0;
  std::uint64_t seed_ = 1;

  RelaySeries series_;
  double replicas_seconds_ = 0, replicas_steps_ = 0;
  LineFile* rows_ = nullptr;  // of the run
};

}  // namespace

const FacilityKind relay_facility = facility_kind<Relay>("relay", relay_options, true);

}  // namespace weir
