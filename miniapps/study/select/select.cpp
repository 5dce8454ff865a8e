// [select]: the lab leads. At intervals the solvers race: each leads the same few steps on a branch of the run (race.hpp).
// Another one leads from then on where the races show that it is faster by a margin (race_scores.hpp). Races may cost a
// share of the run's own time; they come at intervals that grow while nobody is faster, and anew where the cost of a step
// has changed: other systems (race_pace.hpp).
// A solve in which a selected solver fails is made again at once by the default, that of [linear.SYSTEM], which leads
// from the next step on. One that comes to cost more than who led before it, since it meets the systems that it leaves
// itself and no longer the other's, gives the lead back.
// decisions.csv holds what was decided and why, races.csv what each has cost. A run that follows such a file
// ([select] decisions) runs no race and is bitwise the run that wrote it. Checkpoints hold who leads and the races.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "miniapps/study/relay/branches.hpp"
#include "miniapps/study/select/decisions.hpp"
#include "miniapps/study/select/race.hpp"
#include "miniapps/study/select/race_pace.hpp"
#include "miniapps/study/select/race_scores.hpp"
#include "postproc/run/machine.hpp"

namespace weir {

Options select_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "one of [linear.SYSTEM]"},
      {"solvers", Option::texts, "[]",
       "names: [select.NAME] says what each is; the default, [linear.SYSTEM], races too"},
      {"every", Option::integer, "20", "between two races where the cost of a step stays the same", "[1, inf)",
       "steps"},
      {"steps", Option::integer, "2", "that each solver leads in a race, at least; together they take 2 ms",
       "[2, inf)"},
      {"budget", Option::number, "0.03", "what races may cost: this share of the run's own time", "(0, inf)"},
      {"limit", Option::number, "2", "a solver is cut off in a race after so many times what the in-loop solver takes",
       "(1, inf)"},
      {"margin", Option::number, "0.02", "by which another solver must be faster to lead", "[0, 1)"},
      {"confidence", Option::number, "0.975", "with which it must be, by the races", "(0.5, 1)"},
      {"decisions", Option::text, "", "a decisions.csv: its decisions are followed and no race is run"},
      {"seed", Option::integer, "1", "of the orders in races"}};
  return keys;
}

namespace {

constexpr const char* race_columns =
    "step,system,race,name,solver,place,steps,seconds,progress,iterations,not_converged,end";
constexpr const char* default_name = "default";

// The one whose method is "auto"; empty: none.
std::string automatic_system(const LabCase& c) {
  std::string found;
  const Table linear = c.config.table("linear");
  for (const std::string& system : c.systems) {
    const Table t = linear.table(system);
    if (!t.has("method") || t.get<std::string>("method", "") != "auto" || system == found) continue;
    if (!found.empty()) t.fail("method", "one system can have \"auto\"; [linear." + found + "] has it");
    found = system;
  }
  return found;
}

template <class Space>
class Select : public Facility<Space> {
 public:
  explicit Select(const LabCase& c)
      : Facility<Space>(c.ranks),
        options_(c.config.table("select")),
        candidates_(options_, c.systems, automatic_system(c)),
        branches_(c.ranks) {
    const Table t = options_.described_by(select_options());
    every_ = t.get<std::int64_t>("every");
    limit_ = t.get<double>("limit");
    rules_ = {t.get<double>("margin"), t.get<double>("confidence")};
    decisions_file_ = t.get<std::string>("decisions");
    seed_ = static_cast<std::uint64_t>(t.get<std::int64_t>("seed"));
    if (!is_on() && !decisions_file_.empty())
      t.fail("decisions", "there is nobody to decide on: the case has neither [select] solvers nor method = \"auto\"");
    names_.emplace_back(default_name);
    for (const auto& name : candidates_.names()) {
      if (name == default_name) t.fail("solvers", "'default' is the solver of [linear.SYSTEM]");
      names_.push_back(name);
    }
    pace_ = RacePace(ranks_, static_cast<int>(names_.size()), t.get<int>("steps"), t.get<double>("budget"));
    left_out_.resize(names_.size());
    scores_ = RaceScores(static_cast<int>(names_.size()), rules_);
    if (is_on() && !decisions_file_.empty()) {
      decisions_ = read_decisions(decisions_file_, candidates_.system(), names_);
      is_following_ = true;
    }
  }

  void read(const SystemDefaults& s) override { candidates_.refuse_unfit<Space>(s); }

  void attach(const StudiedSystem<Space>& s) override {
    if (!is_on()) return;
    if (branches_.crews().empty()) {
      branches_.add(candidates_.like_leader<Space>(default_name, ranks_));
      for (const auto& name : candidates_.names()) branches_.add(candidates_.crew<Space>(name, ranks_));
    }
    for (Crew<Space>& crew : branches_.crews()) crew.join(s);
    if (candidates_.is_automatic() && s.name == candidates_.system() && s.part == 0)
      for (std::size_t i = 1; i < names_.size(); ++i) left_out_[i] = candidates_.why_left_out(names_[i], s);
  }

  // Before the flow code loads the checkpoint: who led then takes up what it holds.
  void resume(const Checkpoint& from) override {
    if (!is_on()) return;
    const std::vector<double>* leader = from.find("select_leader");
    const std::vector<double>* races = from.find("select_races");
    if (!leader || !races || leader->size() != 3 + RacePace::state_size || !scores_.load(*races)) return;
    const double who = (*leader)[0];
    if (!(who >= 0) || who >= static_cast<double>(names_.size())) return;
    saved_ = (*leader)[1];
    gain_ = (*leader)[2];
    pace_.load(leader->data() + 3);
    if (who > 0) lead(static_cast<int>(who));
  }
  void save(CheckpointState& state) const override {
    if (!is_on()) return;
    std::vector<double> leader{static_cast<double>(leading_), saved_, gain_};
    for (const double x : pace_.state()) leader.push_back(x);
    state.keep("select_leader", std::move(leader));
    state.keep("select_races", scores_.state());
  }

  void open(Run& run) override {
    run_ = &run;
    if (!is_on()) return;
    if (run.is_deterministic() && !is_following_)
      throw Error(
          Exit::usage,
          "--deterministic ([device] deterministic): [select] decides by times, which no two runs share; follow "
          "the decisions of a run instead: --set select.decisions=RUN/decisions.csv");
    branches_.open(run);
    for (const Decision& d : decisions_)
      if (const std::string& why = left_out_[at(number_of(d.to))]; !why.empty())
        throw Error(Exit::usage, decisions_file_ + ": '" + d.to + "' cannot lead: " + why);
    for (std::size_t i = 1; i < names_.size(); ++i)
      if (!left_out_[i].empty()) {
        pace_.warm(static_cast<int>(i));  // nothing is to be spent on it
        run.event("select", names_[i] + " is left out: " + left_out_[i]);
      }
    if (!ranks_.is_root()) return;
    decided_ = &run.record("decisions.csv", decision_columns);
    raced_ = &run.record("races.csv", race_columns);
  }

  void between_steps(std::int64_t next, const FlowBranch& flow) override {
    if (!is_on()) return;
    if (is_following_) return follow(next, flow);
    const bool has_failed = leading_ != 0 && crew(leading_).helped() > helped_;
    if (next < look_at_ && !has_failed) return;
    const double arrived = branches_.now();
    if (left_at_ >= 0) account(arrived - left_at_, next - left_step_);
    if (has_failed)
      give_back(next, 0, flow, fmt::format("{} failed in step {}", names_[at(leading_)], next - 1));
    else if (const double more = former_ >= 0 ? pace_.over_former() : 0; more > 0)
      give_back(
          next, former_, flow,
          fmt::format("{} has come to cost {:.3g} times what {} did", names_[at(leading_)], more, names_[at(former_)]));
    else
      go_on(next, flow);
    left_step_ = next;
    look_at_ = next + pace_.steps_a_look();
    left_at_ = branches_.now();
    pace_.spend(left_at_ - arrived);
  }

  void finish(Run& run) override {
    if (!is_on() || !ranks_.is_root()) return;
    nlohmann::ordered_json j;
    j["system"] = candidates_.system();
    j["leader"] = names_[at(leading_)];
    j["changes"] = changes_;
    j["races"] = races_;
    j["race_seconds"] = pace_.spent();
    j["saved_seconds"] = saved_;
    run.add_to_summary("select", j.dump());
    run.say_at_end(
        fmt::format("  [select] {}: {} leads at the end; {} changes; {} races took {}, changes saved about {}\n",
                    candidates_.system(), names_[at(leading_)], changes_, races_, duration_text(pace_.spent()),
                    duration_text(saved_)));
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::run_;

  static std::size_t at(int name) { return static_cast<std::size_t>(name); }
  int number_of(const std::string& name) const {
    return static_cast<int>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }
  bool is_on() const { return !candidates_.names().empty(); }
  double when(std::int64_t step) const { return static_cast<double>(step) / static_cast<double>(every_); }
  Crew<Space>& crew(int name) { return branches_.crews()[at(name)]; }

  // What the run's own steps have taken since, and what that saved against the default.
  void account(double since, std::int64_t steps) {
    pace_.add(since, steps);
    if (leading_ != 0) saved_ += since * (gain_ - 1);
  }
  // What the default costs over the in-loop solver's, as far as races show. It was cut off: at least its limit.
  void learn_gain(const std::vector<double>& costs) {
    if (leading_ == 0) return;
    if (std::isinf(costs[0]))
      gain_ = std::max(gain_, limit_);
    else if (const Duel d = scores_.duel(0, leading_); d.races > 0)
      gain_ = d.ratio;
  }

  void give_back(std::int64_t next, int to, const FlowBranch& flow, std::string why) {
    std::vector<double> costs(names_.size(), std::nan(""));
    costs[at(leading_)] = INFINITY;
    scores_.add(std::move(costs), to, when(next));
    change(flow, to, {next, "", "", std::move(why)});
  }

  void go_on(std::int64_t next, const FlowBranch& flow) {
    if (pace_.has_changed()) {
      scores_.forget(when(next));
      is_follow_up_ = false;
      next_race_ = next;
    }
    if (next >= next_race_) race_if_it_pays(next, flow);
  }

  // As many race as the budget takes: those first of whom little is known. Where a race has shown that one may be faster, the
  // next comes at once, for those alone.
  void race_if_it_pays(std::int64_t next, const FlowBranch& flow) {
    if (pace_.own_steps() < 2) return;
    std::vector<int> racers;
    for (int name = 0; name < static_cast<int>(names_.size()); ++name)
      if (name != leading_ && left_out_[at(name)].empty() && scores_.takes_part(name, when(next)) &&
          (!is_follow_up_ || may_be_faster(name)))
        racers.push_back(name);
    if (racers.empty()) {
      is_follow_up_ = false;
      next_race_ = next + every_;
      return;
    }
    std::stable_sort(racers.begin(), racers.end(),
                     [&](int a, int b) { return scores_.duel(a, leading_).races < scores_.duel(b, leading_).races; });
    constexpr double slower =
        1.25;  // than the in-loop solver: one that is so much slower is cut off before the budget is
    const double left = pace_.left(run_->share_done(), is_follow_up_);
    const Race<Space> race_here = race_on(flow, next);
    double least = pace_.least(leading_, race_here.warm_up(leading_));
    std::size_t fit = 0;
    for (; fit < racers.size(); ++fit) {
      least += slower * pace_.least(racers[fit], race_here.warm_up(racers[fit]));
      if (least > left) break;
    }
    if (fit == 0) {  // asking at each step would cost more than some steps
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
    const auto told = [this, next](int name, int place, const Lead& lead) { write_race(next, name, place, lead); };
    return {branches_, pace_, flow, leading_, limit_, told};
  }
  bool may_be_faster(int name) const { return name != leading_ && scores_.duel(name, leading_).is_faster > 0.5; }

  void race(std::int64_t next, const FlowBranch& flow, std::vector<int> racers, double left) {
    ScopedTimer timer(run_->timings().at("instrumentation", "select"));
    branches_.hold(flow);
    crew(0).help_leader(false);  // who needs help loses
    std::mt19937_64 random(seed_ + 1000003 * static_cast<std::uint64_t>(next));
    for (std::size_t i = racers.size(); i > 1; --i) std::swap(racers[i - 1], racers[random() % i]);
    ++races_;
    const std::vector<double> costs = race_on(flow, next).costs(racers, left);
    crew(0).help_leader(leading_ != 0);
    branches_.put_back(leading_, flow);
    if (branches_.is_interrupted()) return;           // the run stops
    if (!std::isfinite(costs[at(leading_)])) return;  // it has come to its end, or will fail as it did here
    scores_.add(costs, leading_, when(next));
    learn_gain(costs);
    pace_.raced();
    if (const int best = scores_.best_against(leading_); best >= 0) {
      const Duel d = scores_.duel(best, leading_);
      const int before = leading_;
      change(flow, best,
             {next, "", "", fmt::format("{} costs {:.3g} times as much in races", names_[at(best)], d.ratio),
              fmt::format("{:.6g},{:.6g},{:.6g},{}", d.ratio, d.interval.low, d.interval.high, d.races)});
      if (!flow.is_in_decades) former_ = before;  // steps for decades of a residual cost what they go for
    }
  }

  void follow(std::int64_t next, const FlowBranch& flow) {
    for (const Decision& d : decisions_) {
      if (d.step != next) continue;
      change(flow, number_of(d.to), d);
    }
  }

  // The new in-loop solver begins with the flow's state as after a restart, whoever has led, raced or waited before.
  void change(const FlowBranch& flow, int to, Decision d) {
    branches_.hold(flow);
    crew(0).help_leader(to != 0);
    crew(to).begin_anew();
    branches_.put_back(to, flow);
    d.from = names_[at(leading_)];
    d.to = names_[at(to)];
    if (to != 0 && !is_following_) gain_ = std::isfinite(default_cost(to)) ? default_cost(to) : limit_;
    lead_on(to);
    former_ = -1;
    ++changes_;
    run_->event("select", fmt::format("{} leads instead of {} from here on: {}", d.to, d.from, d.why));
    if (decided_)
      decided_->add(fmt::format("{},{},{},{},{},{}", d.step, candidates_.system(), d.from, d.to, d.why, d.evidence));
  }

  // At a restart: nothing is set up yet.
  void lead(int to) {
    crew(0).help_leader(to != 0);
    crew(to).begin_anew();
    lead_on(to);
  }
  void lead_on(int to) {
    pace_.another_leads();
    crew(to).take_lead();
    leading_ = to;
    helped_ = crew(to).helped();
  }

  // Over that of `to`, by the races; infinite: it failed or was cut off in the last ones.
  double default_cost(int to) const {
    const Duel d = scores_.duel(0, to);
    return d.races > 0 ? d.ratio : INFINITY;
  }

  void write_race(std::int64_t next, int name, int place, const Lead& lead) {
    if (!raced_) return;
    std::int64_t iterations = 0;
    for (const LedStep& s : lead.steps) iterations += s.iterations;
    raced_->add(fmt::format("{},{},{},{},{},{},{},{:.6g},{:.6g},{},{},{}", next, candidates_.system(), races_,
                            names_[at(name)], crew(name).solver(), place, lead.steps.size(), lead.seconds(),
                            lead.progress(), iterations, lead.unconverged(), to_string(lead.end)));
  }

  Table options_;
  Candidates candidates_;
  Branches<Space> branches_;  // a crew each name
  std::vector<std::string> names_;
  std::int64_t every_ = 20;
  double limit_ = 0;
  RaceRules rules_;
  std::string decisions_file_;
  std::uint64_t seed_ = 1;
  bool is_following_ = false;
  std::vector<Decision> decisions_;

  RacePace pace_;
  RaceScores scores_;
  std::vector<std::string> left_out_;  // why; empty: it is not
  int leading_ = 0, changes_ = 0;
  std::int64_t helped_ = 0, next_race_ = 0;
  std::int64_t races_ = 0;
  bool is_follow_up_ = false;  // the next race
  int former_ = -1;            // who led before, where races have shown that another one is faster
  double gain_ = 1;            // the default's cost over the in-loop solver's
  double left_at_ = -1;        // between_steps, by the branches' clock, when it last looked
  std::int64_t left_step_ = 0, look_at_ = 0;
  double saved_ = 0;  // seconds
  LineFile *decided_ = nullptr, *raced_ = nullptr;
};

}  // namespace

template <class Space>
std::unique_ptr<Facility<Space>> make_select(const LabCase& c) {
  return std::make_unique<Select<Space>>(c);
}
template std::unique_ptr<Facility<Host>> make_select<Host>(const LabCase&);
template std::unique_ptr<Facility<Device>> make_select<Device>(const LabCase&);

}  // namespace weir
