// [relay]: the closed loop. At chosen steps of the run the flow is branched: each candidate, and the reference solver
// twice as A/A control, leads the same few steps from one state in memory; then the state is put back and the reference
// goes on as if nothing had been. A candidate so meets the systems that it has itself shaped.
// A candidate, [relay.NAME], is as in [shadow]; a solver of another library cannot lead. Who leads gets solvers of its own
// for all systems (crew.hpp), so that the run's own solvers stay untouched. Timed is the whole step, flow work included;
// over ranks the slowest rank's time, and all decisions are taken from such times, so that ranks agree.
// relay.csv holds a row a step led, the block "relay" of run.json what the branches say (relay_series.hpp).
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "miniapps/study/relay/branch_eye.hpp"
#include "miniapps/study/relay/crew.hpp"
#include "miniapps/study/relay/held_state.hpp"
#include "miniapps/study/relay/relay_series.hpp"
#include "miniapps/study/shadow/reference_solver.hpp"
#include "miniapps/study/shadow/shadow.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {

Options relay_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "one of [linear.SYSTEM]"},
      {"solvers", Option::texts, "[]", "names: [relay.NAME] says what each is"},
      {"every", Option::integer, "10", "between two branches; 0: off", "[0, inf)", "steps"},
      {"randomised", Option::boolean, "true", "a branch at any one of these steps"},
      {"steps", Option::integer, "8", "that each solver leads at first", "[2, inf)"},
      {"most_steps", Option::integer, "64",
       "that they come to lead: twice as many while the later half of a branch costs other than the earlier one",
       "[2, inf)"},
      {"limit", Option::number, "5", "a branch is cut off after so many times what the reference takes for one",
       "[1, inf)"},
      {"budget", Option::number, "50", "no branch while they have taken more than so many times the run's own time",
       "(0, inf)"},
      {"seed", Option::integer, "1", "of steps and orders"}};
  return keys;
}

namespace {

constexpr const char* relay_columns =
    "step,length,name,solver,place,replica,led,seconds,progress,solves,iterations,not_converged,rejected,end,long_"
    "waves,"
    "left";

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

template <class Space>
class Relay : public Facility<Space> {
 public:
  explicit Relay(const LabCase& c) : Facility<Space>(c.ranks), options_(c.config.table("relay")), eye_(c.ranks) {
    const Table t = options_.described_by(relay_options());
    candidates_ = t.get<std::vector<std::string>>("solvers");
    every_ = t.get<std::int64_t>("every");
    is_randomised_ = t.get<bool>("randomised");
    length_ = {t.get<int>("steps"), t.get<int>("most_steps")};
    if (length_.most < length_.first) t.fail("most_steps", "'most_steps' is less than 'steps'");
    limit_ = t.get<double>("limit");
    budget_ = t.get<double>("budget");
    seed_ = static_cast<std::uint64_t>(t.get<std::int64_t>("seed"));
    for (const auto& name : candidates_)
      if (!options_.is_table(name)) options_.fail("solvers", "no table [relay." + name + "] defines it");
    if (!candidates_.empty())
      system_ = read_system(options_, c.systems);
    else
      t.get<std::string>("system");
  }

  void read(const SystemDefaults& s) override {
    if (s.name != system_) return;
    for (const auto& name : candidates_) {
      const Table options = candidate(name);
      if (options.get<bool>("like_leader", false)) continue;
      refuse_other_libraries(options);
      s.refuse_unfit(options);
      LinearSolver<Space>(options, s.method, s.preconditioner, KrylovOptions{});
    }
  }

  void attach(const StudiedSystem<Space>& s) override {
    if (candidates_.empty()) return;
    if (crews_.empty()) gather_crews();
    for (Crew<Space>& crew : crews_) crew.join(s);
  }

  void open(Run& run) override {
    run_ = &run;
    if (!is_on()) return;
    std::vector<std::string> names, solvers;
    for (Crew<Space>& crew : crews_) {
      crew.stop_when([this] { return must_stop(); });
      names.push_back(crew.name());
      solvers.push_back(crew.solver());
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
    const Checkpoint state = held(ranks_, flow.state());
    state_bytes_ = bytes_of(state);
    Branch branch = branch_from(next, state, flow);
    put_back(state, flow);
    if (is_interrupted_) return;  // the run stops
    const int before = series_.steps();
    write(branch);
    series_.add(std::move(branch));
    if (series_.steps() > before)
      run_->event("relay", fmt::format("branches have {} steps from here on: the cost of {} has not settled",
                                       series_.steps(), series_.growing()));
  }

  void finish(Run& run) override {
    if (series_.branches() == 0 || !ranks_.is_root()) return;
    const RelayComparison comparison = series_.compare(seed_);
    const char* what = is_in_decades_ ? "decades of the residual" : "physical time";
    run.add_to_summary("relay", relay_json(comparison, system_, what));
    std::int64_t bytes = 0;
    for (const Crew<Space>& crew : crews_) bytes += crew.bytes();
    run.say_at_end(relay_table(comparison, system_, what) +
                   fmt::format("  {} branches took {}; {} for the state, {} for the solvers that wait\n",
                               series_.branches(), duration_text(run.timings().at("instrumentation", "relay")),
                               bytes_text(state_bytes_), bytes_text(bytes)));
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::run_;

  bool is_on() const { return !crews_.empty() && every_ > 0; }

  // One of `every_` steps, the same whatever has been before.
  bool is_due(std::int64_t step) const {
    const std::int64_t period = (step - 1) / every_, place = (step - 1) % every_;
    if (!is_randomised_) return place == every_ - 1;
    std::mt19937_64 random(seed_ + 7919 * static_cast<std::uint64_t>(period));
    return static_cast<std::uint64_t>(place) == random() % static_cast<std::uint64_t>(every_);
  }

  Table candidate(const std::string& name) const {
    const Table options = options_.table(name);
    options.described_by(candidate_options()).get<double>("slowed_by");
    return options;
  }
  static void refuse_other_libraries(const Table& options) {
    if (is_peer(options.get<std::string>("method", "")))
      options.fail("method", "a solver of another library cannot lead a branch; compare it in [shadow]");
  }

  LinearSolver<Space> solver_of(const StudiedSystem<Space>& s, const Table& options, const KrylovOptions& with) {
    LinearSolver<Space> solver(options, s.default_method, s.default_preconditioner, with);
    if (s.name == system_ && s.part == 0) eye_.hang_on(solver, *s.leader);
    if (ranks_.size() > 1) {
      solver.lifetime().require_always(options);
      solver.spread_like(*s.leader);
    }
    return solver;
  }
  LinearSolver<Space> like_leader(const StudiedSystem<Space>& s) {
    return solver_of(s, s.options, KrylovOptions{s.default_tolerance});
  }

  void gather_crews() {
    const auto as_leader = [this](const StudiedSystem<Space>& s) { return like_leader(s); };
    for (const char* name : {"leader", leader_again}) crews_.emplace_back(name, system_, 0, as_leader);
    for (const auto& name : candidates_) {
      const Table options = candidate(name);
      const auto slowed_by = options.get<double>("slowed_by", 0.0);
      if (options.get<bool>("like_leader", false)) {
        crews_.emplace_back(name, system_, slowed_by, as_leader);
        continue;
      }
      refuse_other_libraries(options);
      crews_.emplace_back(name, system_, slowed_by, [this, options](const StudiedSystem<Space>& s) {
        if (s.name != system_) return like_leader(s);
        return solver_of(s, options, stopping_test_of(s.options, KrylovOptions{s.default_tolerance}));
      });
    }
  }

  // Asked by solvers in every iteration, on all ranks.
  bool must_stop() {
    constexpr int calls_a_message = 16;
    if (is_interrupted_ || run_->must_abandon_step()) return is_interrupted_ = true;
    if (ranks_.size() > 1 && ++asked_ % calls_a_message != 0) return false;
    return ranks_.any(seconds_now() > cut_at_);
  }

  // All crews, in random order.
  Branch branch_from(std::int64_t next, const Checkpoint& state, const FlowBranch& flow) {
    std::vector<int> order;
    for (int who = 0; who < static_cast<int>(crews_.size()); ++who) {
      // The first step of each allocates, and meets memory that was never touched: not counted.
      if (series_.branches() == 0) lead_by(who, 1, state, flow);
      if (!series_.is_hopeless(who)) order.push_back(who);
    }
    std::mt19937_64 random(seed_ + 1000003 * static_cast<std::uint64_t>(next));
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
    const bool is_swapped = random() % 2 == 1;  // the second replica stands for the reference
    Branch branch{next, series_.steps(), {}};
    branch.by_name.resize(crews_.size());
    for (int place = 0; place < static_cast<int>(order.size()); ++place) {
      is_interrupted_ = run_->should_stop() || is_interrupted_;
      if (is_interrupted_) break;
      const int who = order[static_cast<std::size_t>(place)];
      Lead lead = lead_by(who, branch.steps, state, flow);
      lead.place = place + 1;
      branch.by_name[static_cast<std::size_t>(who < 2 && is_swapped ? 1 - who : who)] = std::move(lead);
    }
    return branch;
  }

  // With a replica in place: it takes what the state holds of the reference, which itself stays out of it.
  void put_back(const Checkpoint& state, const FlowBranch& flow) {
    crews_[0].begin();
    const InPlace replica(crews_[0]);
    flow.load(state);
  }

  Lead lead_by(int who, int steps, const Checkpoint& state, const FlowBranch& flow) {
    Crew<Space>& crew = crews_[static_cast<std::size_t>(who)];
    Lead lead;
    lead.crew = who;
    crew.begin();
    const InPlace in_place(crew);
    const Diversion diversion(*run_, records_);
    try {
      flow.load(state);
      take_steps(crew, steps, flow, lead);
    } catch (const AgreedError& error) {
      fails(lead, error.what());
    } catch (...) {  // on one rank of many, or no failure of a solver: none of a candidate's
      const MetError met = met_now();
      if (ranks_.size() > 1 || met.code == Exit::internal) throw;
      fails(lead, met.words);
    }
    if (who < 2) {
      replicas_seconds_ += lead.seconds();
      replicas_steps_ += static_cast<double>(lead.steps.size());
    }
    return lead;
  }

  static void fails(Lead& lead, const std::string& why) {
    lead.end = LeadEnd::failed;
    lead.why = why;
  }

  void take_steps(const Crew<Space>& crew, int steps, const FlowBranch& flow, Lead& lead) {
    const bool is_replica = lead.crew < 2;  // its times are what the limit is made of
    const double limit = is_replica ? never_ : limit_ * steps * replicas_seconds_ / replicas_steps_;
    double level = flow.level();
    for (int step = 0; step < steps; ++step) {
      if (lead.seconds() > limit) {
        lead.end = LeadEnd::cut;
        return;
      }
      records_ = {};
      eye_.look_at_next();
      ranks_.barrier();
      cut_at_ = seconds_now() + limit - lead.seconds();
      double seconds = 0;
      const BranchEnd end = timed(seconds, flow.step);
      double looking = 0;
      const Look look = eye_.take(looking);
      seconds = std::max(0.0, seconds - looking);
      if (crew.slowed_by() > 0) wait(seconds, crew.slowed_by() * seconds);
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

  // On the processor, so many seconds more.
  static void wait(double& seconds, double more) {
    ScopedTimer timer(seconds);
    for (const double end = seconds_now() + more; seconds_now() < end;) continue;
  }

  void write(const Branch& branch) {
    for (std::size_t name = 0; name < branch.by_name.size(); ++name) {
      if (!branch.by_name[name]) continue;
      const Lead& lead = *branch.by_name[name];
      if (lead.end == LeadEnd::failed)
        run_->event("relay", fmt::format("{} fails when it leads from step {} on: {}", crews_[name].name(), branch.step,
                                         lead.why));
      run_->on_root([&] { write_rows(branch, name, lead); });
    }
  }

  // A last row without `led` is of a step that was not ended.
  void write_rows(const Branch& branch, std::size_t name, const Lead& lead) {
    const std::string who =
        fmt::format("{},{},{},{},{},{}", branch.step, branch.steps, crews_[name].name(), crews_[name].solver(),
                    lead.place, lead.crew < 2 ? fmt::format("{}", lead.crew + 1) : std::string());
    const std::size_t led = lead.steps.size();
    for (std::size_t k = 0; k < led; ++k) {
      const LedStep& s = lead.steps[k];
      const bool is_last = k + 1 == led && lead.rest == 0;
      const auto if_known = [](double value) { return value >= 0 ? fmt::format("{:.4g}", value) : std::string(); };
      rows_->add(fmt::format("{},{},{:.6g},{:.6g},{},{},{},{},{},{},{}", who, k + 1, s.seconds, s.progress, s.solves,
                             s.iterations, s.unconverged, s.rejected, is_last ? to_string(lead.end) : "",
                             if_known(s.look.long_waves), if_known(s.look.left)));
    }
    if (led == 0 || lead.rest > 0) rows_->add(fmt::format("{},,{:.6g},,,,,,{},,", who, lead.rest, to_string(lead.end)));
  }

  static constexpr double never_ = std::numeric_limits<double>::infinity();

  Table options_;
  std::string system_;
  std::vector<std::string> candidates_;
  std::int64_t every_ = 0;
  bool is_randomised_ = true, is_in_decades_ = false;
  BranchLength length_;
  double limit_ = 0, budget_ = 0;
  std::uint64_t seed_ = 1;

  std::vector<Crew<Space>> crews_;  // two replicas of the reference, then the candidates
  BranchEye<Space> eye_;
  RelaySeries series_;
  Diverted records_;             // of the step that is led
  double cut_at_ = never_;       // seconds_now
  bool is_interrupted_ = false;  // the run stops
  int asked_ = 0;
  double replicas_seconds_ = 0, replicas_steps_ = 0;
  std::int64_t state_bytes_ = 0;
  LineFile* rows_ = nullptr;  // of the run
};

}  // namespace

template <class Space>
std::unique_ptr<Facility<Space>> make_relay(const LabCase& c) {
  return std::make_unique<Relay<Space>>(c);
}
template std::unique_ptr<Facility<Host>> make_relay<Host>(const LabCase&);
template std::unique_ptr<Facility<Device>> make_relay<Device>(const LabCase&);

}  // namespace weir
