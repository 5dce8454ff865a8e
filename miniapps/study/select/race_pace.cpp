#include "miniapps/study/select/race_pace.hpp"

#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t recent_steps = 15;
constexpr double other_cost = 1.3;
constexpr double least_race = 0.002, most_race_steps = 16;  // seconds: shorter races are not measurable
constexpr double default_first_step = 5,
                 first_step = 8;  // at most, in steps of the run: set-up, first use of memory
constexpr double least_interval = 0.001, least_idle_interval = 0.005, most_steps_per_interval = 10;  // seconds
constexpr std::int64_t first_observations = 20;  // at each of the first steps: what is found early pays longest
constexpr double early = 0.25;                   // share of the budget for races at the start
// Before this share of the run its total time is known only to a factor of two, because the first steps are unusual.
constexpr double known_from = 0.05, unsure = 0.5;
constexpr double mark_every = 1.1;  // ratio of the shares of the run between marks
constexpr double patience = 10;     // limit of a first step in steps of the run; more if the budget is large

}  // namespace

RacePace::RacePace(const Communicator& ranks, int names, int steps, double budget)
    : ranks_(&ranks), steps_(steps), budget_(budget), first_step_(static_cast<std::size_t>(names), weir::first_step) {
  first_step_[0] = default_first_step;
}

void RacePace::add(double seconds, std::int64_t steps, double share_done) {
  if (own_steps_ == 0) own_first_ = seconds / static_cast<double>(steps);
  own_steps_ += steps;
  own_ += seconds;
  recent_.push_back(seconds / static_cast<double>(steps));
  if (recent_.size() > recent_steps) recent_.pop_front();
  if (share_done > mark_every * marks_.back().share) marks_.push_back({share_done, own_});
  while (marks_.size() > 1 && marks_[1].share <= share_done / 2) marks_.pop_front();
}

std::int64_t RacePace::steps_per_interval(bool is_idle) const {
  if (own_steps_ < first_observations) return 1;
  const double fit = ranks_->max((is_idle ? least_idle_interval : least_interval) / step());
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(fit, most_steps_per_interval)));
}

double RacePace::recent() const {
  if (recent_.size() < recent_steps) return 0;
  std::vector<double> sorted(recent_.begin(), recent_.end());
  std::nth_element(sorted.begin(), sorted.begin() + recent_steps / 2, sorted.end());
  return ranks_->max(sorted[recent_steps / 2]);
}

double RacePace::step() const {
  if (const double now = recent(); now > 0) return now;
  return ranks_->max(recent_.empty() ? own_ / static_cast<double>(std::max<std::int64_t>(1, own_steps_))
                                     : *std::ranges::min_element(recent_));
}

bool RacePace::has_changed() {
  const double now = recent();
  const bool has = raced_at_ > 0 && now > 0 && (now > other_cost * raced_at_ || now * other_cost < raced_at_);
  if (has || raced_at_ == 0) raced_at_ = now;
  return has;
}

void RacePace::solver_changed() {
  before_ = recent();
  changed_at_ = own_steps_;
  recent_.clear();
  raced_at_ = 0;
}

double RacePace::over_former() const {
  constexpr double noise = 1.05;
  constexpr std::int64_t probation = 500;
  const double now = recent();
  const bool is_more = before_ > 0 && now > noise * before_ && own_steps_ <= changed_at_ + probation;
  return is_more ? now / before_ : 0;
}

int RacePace::race_steps() const {
  const double enough = ranks_->max(own_steps_ > 0 ? least_race / step() : 0);
  return std::max(steps_, static_cast<int>(std::min(enough, most_race_steps)));
}

double RacePace::whole_run(double share_done) const {
  const Mark& from = marks_.front();
  if (share_done <= from.share) return own_ / share_done;
  return own_ + (1 - share_done) * (own_ - from.own) / (share_done - from.share);
}

double RacePace::left(double share_done, bool may_show) const {
  const bool have_raced = std::ranges::all_of(first_step_, [](double s) { return s == 0; });
  const double due = have_raced && !may_show ? early + (1 - early) * share_done : 1;
  const double sure = share_done < known_from ? unsure : 1;
  return -ranks_->max(spent_ - budget_ * (share_done > 0 ? due * sure * whole_run(share_done) : own_));
}

void RacePace::spend_on_trial(double seconds) {
  spend(seconds);
  trial_ = std::max(seconds, trial_ / 2);
}

bool RacePace::can_afford_trial(double share_done) const {
  const double setups = 2 * weir::first_step * setup_share() * step();  // of the solver and again of the current one
  return left(share_done, true) >= ranks_->max(std::max(trial_, setups));
}

double RacePace::setup_share() const {
  if (own_first_ == 0 || own_steps_ < 2) return 1;
  return ranks_->max(std::clamp(own_first_ / step(), 1.0, weir::first_step)) / weir::first_step;
}

double RacePace::least(int name, int warm_up) const {
  return ranks_->max(step() * (race_steps() + warm_up + setup_share() * first_step_[static_cast<std::size_t>(name)]));
}

double RacePace::first_step(double left) const { return std::min(left, std::max(patience * step(), left / 4)); }

std::vector<double> RacePace::state() const { return {own_, static_cast<double>(own_steps_), spent_}; }

void RacePace::load(const double* state) {
  own_ = state[0];
  own_steps_ = static_cast<std::int64_t>(state[1]);
  spent_ = state[2];
}

}  // namespace weir
