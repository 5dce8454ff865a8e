// [select]: automatic choice of the solver of one system during the run. At intervals each candidate computes the same
// few steps from a copy of the state, which is then discarded (a race, race.hpp). A candidate whose cost in races is
// less than 1.1 times that of the current solver then solves some steps of the run itself (a trial, trial.hpp). It
// becomes the current solver if it is faster by `margin` with the probability `confidence` (race_scores.hpp). Races and
// trials take a limited fraction of the run's time, at intervals that grow while no candidate is faster
// (race_pace.hpp). A failed solve is repeated with the default, the solver of [linear.SYSTEM]. A candidate that fails
// in its trial, or becomes slower than its predecessor, is replaced by the predecessor. A current solver that fails
// outside a trial is replaced by the default. With another `rule` candidates are chosen by the times of the run's own
// steps (bandit.hpp). With [select] decisions = FILE a run repeats the switches in FILE, with bitwise equal results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "miniapps/study/relay/branches.hpp"
#include "miniapps/study/select/auto_candidates.hpp"
#include "miniapps/study/select/bandit.hpp"
#include "miniapps/study/select/decisions.hpp"
#include "miniapps/study/select/race.hpp"
#include "miniapps/study/select/race_pace.hpp"
#include "miniapps/study/select/race_scores.hpp"
#include "miniapps/study/select/saved_select.hpp"
#include "miniapps/study/select/select_options.hpp"
#include "miniapps/study/select/select_summary.hpp"
#include "miniapps/study/select/trial.hpp"

namespace weir {

namespace {

constexpr const char* default_name = "default";
constexpr const char *on_trial = "on trial", *trial_over = "the trial has ended", *by_rule = "by rule";

template <class Space>
class Select : public Facility<Space> {
 public:
  explicit Select(const LabCase& c)
      : Facility<Space>(c.ranks),
        options_(c.config.table("select")),
        candidates_(options_, c.systems, automatic_system(c)),
        branches_(c.ranks),
        trial_(c.ranks) {
    const Table t = options_.described_by(select_options());
    every_ = t.get<std::int64_t>("every");
    limit_ = t.get<double>("limit");
    rules_ = {t.get<double>("margin"), t.get<double>("confidence")};
    decisions_file_ = t.get<std::string>("decisions");
    seed_ = static_cast<std::uint64_t>(t.get<std::int64_t>("seed"));
    if (!is_on() && !decisions_file_.empty())
      t.fail("decisions", "'decisions' needs candidates: give [select] solvers or method = \"auto\"");
    names_.emplace_back(default_name);
    for (const auto& name : candidates_.names()) {
      if (name == default_name) t.fail("solvers", "the name 'default' is reserved for the solver of [linear.SYSTEM]");
      names_.push_back(name);
    }
    pace_ = RacePace(ranks_, static_cast<int>(names_.size()), t.get<int>("steps"), t.get<double>("budget"));
    left_out_.resize(names_.size());
    scores_ = RaceScores(static_cast<int>(names_.size()), rules_);
    bandit_ = Bandit(t.get<std::string>("rule"), static_cast<int>(names_.size()), seed_,
                     every_ / t.get<std::int64_t>("steps"));
    if (is_on() && !decisions_file_.empty()) {
      decisions_ = read_decisions(decisions_file_, candidates_.system(), names_);
      is_following_ = true;
    }
  }

  void read(const SystemDefaults& s) override { candidates_.refuse_unfit(s); }

  void attach(const StudiedSystem<Space>& s) override {
    if (!is_on()) return;
    if (branches_.candidates().empty()) {
      branches_.add(candidates_.reference(default_name, ranks_));
      for (const auto& name : candidates_.names()) branches_.add(candidates_.solvers(name, ranks_));
    }
    for (CandidateSolvers<Space>& candidate : branches_.candidates()) candidate.add_system(s);
    if (candidates_.is_automatic() && s.name == candidates_.system() && s.part == 0)
      for (std::size_t i = 1; i < names_.size(); ++i) left_out_[i] = candidates_.why_left_out(names_[i], s);
  }

  // Called before the flow code loads the checkpoint, so that the current solver receives its state.
  void resume(const Checkpoint& from) override {
    if (!is_on()) return;
    const std::vector<double>*values = from.find("select_leader"), *races = from.find("select_races");
    const std::optional<SavedSelect> saved = SavedSelect::of(values, names_.size());
    if (!saved || !races || !scores_.load(*races)) return;
    savings_ = saved->savings;
    pace_.load(saved->pace.data());
    if (const std::vector<double>* costs = from.find("select_bandit")) bandit_.load(*costs);
    if (saved->current > 0) resume_with(saved->current);
    if (saved->incumbent != saved->current) unfinished_ = saved->incumbent;
  }
  void save(CheckpointState& state) const override {
    if (!is_on()) return;
    state.keep("select_leader", SavedSelect{current_, incumbent(), savings_, pace_.state()}.values());
    state.keep("select_races", scores_.state());
    if (bandit_.is_on()) state.keep("select_bandit", bandit_.state());
  }

  void open(Run& run) override {
    run_ = &run;
    if (!is_on()) return;
    if (run.is_deterministic() && !is_following_)
      throw Error(Exit::usage,
                  "[select] decides by measured times, which --deterministic excludes; repeat the decisions of an "
                  "earlier run instead: --set select.decisions=RUN/decisions.csv");
    branches_.open(run);
    for (const Decision& d : decisions_)
      if (const std::string& why = left_out_[at(number_of(d.to))]; !why.empty())
        throw Error(Exit::usage, decisions_file_ + ": '" + d.to + "' cannot solve this system: " + why);
    std::vector<std::string> used, unused;
    for (std::size_t i = 1; i < names_.size(); ++i) {
      (left_out_[i].empty() ? used : unused).push_back(names_[i]);
      if (!left_out_[i].empty()) pace_.warm(static_cast<int>(i));  // never races, thus has no first step
    }
    if (!unused.empty())
      run.event("select", fmt::format("candidates: {}; unsuitable or equal to the default: {}", fmt::join(used, ", "),
                                      fmt::join(unused, ", ")));
    if (!ranks_.is_root()) return;
    decided_ = &run.record("decisions.csv", decision_columns);
    raced_ = &run.record("races.csv", race_columns);
  }

  void between_steps(std::int64_t next, const FlowBranch& flow) override {
    if (!is_on()) return;
    if (is_following_) return follow(next, flow);
    const bool has_failed = current_ != 0 && candidate(current_).fallbacks() > fallbacks_;
    if (next < next_decision_ && !has_failed) return;
    const double start = branches_.now();
    measure(next, start);
    decide(next, flow, has_failed);
    begin_interval(next);
    pace_.spend(interval_start_ - start);
  }

  void finish(Run& run) override {
    if (!is_on() || !ranks_.is_root()) return;
    const SelectSummary summary{candidates_.system(), names_[at(current_)], changes_, races_, trials_,
                                pace_.spent(),        savings_.seconds};
    summary.write(run, !bandit_.is_on());
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::run_;

  void measure(std::int64_t next, double now) {
    past_ = {};
    if (interval_start_ < 0) return;
    past_ = {now - interval_start_, next - first_step_, run_->iterations(candidates_.system()) - iterations_before_};
    pace_.add(past_.seconds, past_.steps, run_->share_done());
    if (current_ != 0) savings_.add(past_.seconds);
  }
  void begin_interval(std::int64_t next) {
    first_step_ = next;
    iterations_before_ = run_->iterations(candidates_.system());
    next_decision_ = next + (bandit_.is_on() ? pace_.race_steps() : pace_.steps_per_interval(is_idle_));
    interval_start_ = branches_.now();
  }
  void decide(std::int64_t next, const FlowBranch& flow, bool has_failed) {
    if (has_failed)
      return revert(next, current_ == incumbent() ? 0 : incumbent(), flow,
                    fmt::format("{} failed in step {}", names_[at(current_)], next - 1));
    if (unfinished_ >= 0) return change(flow, unfinished_, {next, "", "", trial_over});  // a restart ended the trial
    if (trial_.is_open()) return continue_trial(next, flow);
    if (const double ratio = former_ >= 0 ? pace_.over_former() : 0; ratio > 0)
      return revert(next, former_, flow,
                    fmt::format("a step with {} now takes {:.3g} times as long as one with {}", names_[at(current_)],
                                ratio, names_[at(former_)]));
    if (bandit_.is_on()) return draw_next(next, flow);
    start_trial_or_race(next, flow);
  }
  static std::size_t at(int name) { return static_cast<std::size_t>(name); }
  int number_of(const std::string& name) const {
    return static_cast<int>(std::ranges::find(names_, name) - names_.begin());
  }
  bool is_on() const { return !candidates_.names().empty(); }
  int incumbent() const { return trial_.is_open() ? trial_.incumbent() : unfinished_ >= 0 ? unfinished_ : current_; }
  double when(std::int64_t step) const { return static_cast<double>(step) / static_cast<double>(every_); }
  CandidateSolvers<Space>& candidate(int name) { return branches_.candidates()[at(name)]; }

  void revert(std::int64_t next, int to, const FlowBranch& flow, std::string why) {
    trial_.drop();
    std::vector<double> costs(names_.size(), std::nan(""));
    costs[at(current_)] = INFINITY;
    scores_.add(std::move(costs), to, when(next));
    if (std::exchange(is_drawn_, false)) bandit_.observe(INFINITY);
    change(flow, to, {next, "", "", std::move(why)});
  }

  // rule != "races": chooses the solver of the next period (pace_.race_steps() steps of the run) from the times of the
  // earlier periods (bandit.hpp). The first step contains set-ups; its time is no observation.
  void draw_next(std::int64_t next, const FlowBranch& flow) {
    if (pace_.own_steps() < 2) return;
    if (is_drawn_) bandit_.observe(past_.seconds / static_cast<double>(past_.steps));
    int name = bandit_.next();
    for (; !left_out_[at(name)].empty(); name = bandit_.next()) bandit_.observe(INFINITY);
    if (name != current_) change(flow, name, {next, "", "", by_rule});
    is_drawn_ = true;
  }

  void start_trial_or_race(std::int64_t next, const FlowBranch& flow) {
    if (pace_.has_changed()) {
      scores_.forget(when(next));
      is_follow_up_ = false;
      next_race_ = next;
    }
    if (next < next_race_) return;
    const int name = next_trial(next, flow);
    if (name < 0) return start_race(next, flow);
    ++trials_;
    is_idle_ = false;
    trial_.begin(name, current_, pace_.step());
    change(flow, name, {next, "", "", on_trial});
  }

  // The candidate for the next trial: the fastest one in the races; -1: none. Until 15 intervals with the current
  // solver have been timed (RacePace::recent()), its cost ratio must be below `clearly_faster`. Steady flows (progress
  // in decades of the residual) have no trials: a trial compares times per step, and their steps advance the residual
  // by different amounts.
  int next_trial(std::int64_t next, const FlowBranch& flow) const {
    constexpr double clearly_faster = 0.8;
    int best = -1;
    double least = pace_.recent() > 0 ? INFINITY : clearly_faster;
    for (int name = 0; name < static_cast<int>(names_.size()); ++name) {
      if (!may_run(name, next) || !awaits_trial(name, flow)) continue;
      if (const double ratio = scores_.duel(name, current_).ratio; ratio < least) {
        best = name;
        least = ratio;
      }
    }
    return pace_.can_afford_trial(run_->share_done()) ? best : -1;
  }
  bool may_run(int name, std::int64_t next) const {
    return name != current_ && left_out_[at(name)].empty() && scores_.takes_part(name, when(next));
  }

  void continue_trial(std::int64_t next, const FlowBranch& flow) {
    const int name = trial_.name(), incumbent = trial_.incumbent();
    const Trial::Next now = trial_.add(past_.seconds, past_.steps, past_.iterations);
    if (now == Trial::Next::go_on) return;
    pace_.spend_on_trial(trial_.take_extra());
    if (now == Trial::Next::revert) return change(flow, incumbent, {next, "", "", trial_over});
    std::vector<double> costs(names_.size(), std::nan(""));
    costs[at(name)] = trial_.cost();
    costs[at(incumbent)] = trial_.incumbent_cost();
    scores_.add(std::move(costs), incumbent, when(next), RaceScores::races_per_trial);
    if (const Duel d = scores_.duel(name, incumbent); d.is_faster >= rules_.confidence)
      switch_to(name, incumbent, d, next, flow);
    else if (current_ != incumbent)
      change(flow, incumbent, {next, "", "", trial_over});
    next_race_ = next + 1;
  }

  // Makes `name`, which is faster by races and trials, the current solver (after a trial it already is).
  void switch_to(int name, int before, const Duel& d, std::int64_t next, const FlowBranch& flow) {
    change(flow, name,
           {next, "", "", fmt::format("its cost is {:.3g} times that of {}", d.ratio, names_[at(before)]),
            fmt::format("{:.6g},{:.6g},{:.6g},{}", d.ratio, d.interval.low, d.interval.high, d.races)});
    if (!flow.is_in_decades) former_ = before;  // steps of steady flows are not comparable
  }

  // Races as many candidates as the budget allows, those with the fewest races first. If some may be faster, a
  // follow-up race with only these candidates comes a few steps later.
  void start_race(std::int64_t next, const FlowBranch& flow) {
    if (pace_.own_steps() < 2) return;
    std::vector<int> racers;
    for (int name = 0; name < static_cast<int>(names_.size()); ++name)
      if (may_run(name, next) && (!is_follow_up_ || may_be_faster(name)) && !awaits_trial(name, flow))
        racers.push_back(name);
    if (racers.empty()) {
      is_follow_up_ = false;
      next_race_ = next + every_;
      return;
    }
    std::ranges::stable_sort(
        racers, [&](int a, int b) { return scores_.duel(a, current_).races < scores_.duel(b, current_).races; });
    const double left = pace_.left(run_->share_done(), is_follow_up_);
    const std::size_t fit = race_on(flow, next).fit(racers, left);
    is_idle_ = fit == 0;
    if (is_idle_) {  // a check at every step would cost too much
      next_race_ = next + std::max<std::int64_t>(1, every_ / 4);
      return;
    }
    racers.resize(fit);
    race(next, flow, std::move(racers), left);
    is_follow_up_ = false;
    for (int name = 0; name < static_cast<int>(names_.size()); ++name) is_follow_up_ |= may_be_faster(name);
    next_race_ = next + (is_follow_up_ ? std::min<std::int64_t>(pace_.race_steps(), every_) : every_);
  }
  Race<Space> race_on(const FlowBranch& flow, std::int64_t next) {
    const auto report = [this, next](int name, int place, const BranchRun& run) {
      if (!raced_) return;
      raced_->add(fmt::format("{},{},{},{},{},{},{}", next, candidates_.system(), races_, names_[at(name)],
                              candidate(name).solver(), place, race_row(run)));
    };
    return {branches_, pace_, flow, current_, limit_, report};
  }
  bool awaits_trial(int name, const FlowBranch& flow) const {
    return !flow.is_in_decades && scores_.deserves_trial(name, current_);
  }
  bool may_be_faster(int name) const { return name != current_ && scores_.duel(name, current_).is_faster > 0.5; }

  void race(std::int64_t next, const FlowBranch& flow, std::vector<int> racers, double left) {
    ScopedTimer timer(run_->timings().at("instrumentation", "select"));
    branches_.hold(flow);
    candidate(0).set_fallback(false);  // a solver that needs the fallback loses
    std::mt19937_64 random = draw(seed_, next);
    shuffle(std::span(racers), random);
    ++races_;
    const std::vector<double> costs = race_on(flow, next).costs(racers, left);
    candidate(0).set_fallback(current_ != 0);
    branches_.restore(current_, flow);
    // The race does not count if it was interrupted or the current solver has no finite cost: the run ended in it, or
    // the current solver failed.
    if (branches_.is_interrupted() || !std::isfinite(costs[at(current_)])) return;
    scores_.add(costs, current_, when(next));
    if (current_ != 0) savings_.learn(costs[0], scores_.duel(0, current_), limit_);
    pace_.raced();
    if (const int best = scores_.best_against(current_); best >= 0 && !awaits_trial(best, flow))
      switch_to(best, current_, scores_.duel(best, current_), next, flow);
  }

  void follow(std::int64_t next, const FlowBranch& flow) {
    for (const Decision& d : decisions_)
      if (d.step == next) change(flow, number_of(d.to), d);
  }

  // The new solver starts from the flow's state as after a restart, independent of earlier solvers and races.
  void change(const FlowBranch& flow, int to, Decision d) {
    d.from = names_[at(current_)];
    d.to = names_[at(to)];
    if (to != current_) {
      branches_.hold(flow);
      candidate(0).set_fallback(to != 0);
      candidate(to).renew();
      branches_.restore(to, flow);
      use(to);
    }
    if (to != 0 && !is_following_) savings_.solver_changed(scores_.duel(0, to), limit_);
    former_ = unfinished_ = -1;
    if (decided_)
      decided_->add(fmt::format("{},{},{},{},{},{}", d.step, candidates_.system(), d.from, d.to, d.why, d.evidence));
    if (d.why == on_trial || d.why == trial_over) return;
    ++changes_;
    if (d.why != by_rule) run_->event("select", fmt::format("switching to {}: {}", d.to, d.why));
  }

  // At a restart, before any set-up.
  void resume_with(int to) {
    candidate(0).set_fallback(to != 0);
    candidate(to).renew();
    use(to);
  }
  void use(int to) {
    pace_.solver_changed();
    candidate(to).make_current();
    current_ = to;
    fallbacks_ = candidate(to).fallbacks();
  }

  Table options_;
  Candidates<Space> candidates_;
  Branches<Space> branches_;  // one candidate per name
  std::vector<std::string> names_;
  std::int64_t every_ = 20;  // steps between races
  double limit_ = 0;         // time limit of a candidate in a race, as a multiple of the current solver's time
  RaceRules rules_;
  std::string decisions_file_;
  std::uint64_t seed_ = 1;
  bool is_following_ = false;
  std::vector<Decision> decisions_;

  RacePace pace_;
  RaceScores scores_;
  Trial trial_;
  Bandit bandit_;                      // off if the rule is races
  bool is_drawn_ = false;              // bandit_ chose the solver of past_: the time of past_ is its observation
  std::vector<std::string> left_out_;  // by solver: why it is left out; empty: it takes part
  // Solvers by number (0: the default; -1: none). incumbent(): current_, or in a trial the solver before it.
  int current_ = 0;      // solves now
  int former_ = -1;      // before the last switch that races decided
  int unfinished_ = -1;  // incumbent of an open trial in the loaded checkpoint
  int changes_ = 0, trials_ = 0;
  std::int64_t fallbacks_ = 0, next_race_ = 0, races_ = 0;
  bool is_follow_up_ = false;  // the next race has only the candidates that may be faster (may_be_faster)
  bool is_idle_ = false;       // whether the budget allows no race
  Savings savings_;
  TimedSteps past_;
  double interval_start_ = -1;                                               // clock; -1: no interval yet
  std::int64_t first_step_ = 0, iterations_before_ = 0, next_decision_ = 0;  // of the interval
  LineFile *decided_ = nullptr, *raced_ = nullptr;
};

}  // namespace

const FacilityKind select_facility = facility_kind<Select>("select", select_options, true);

}  // namespace weir
