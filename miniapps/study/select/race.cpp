#include "miniapps/study/select/race.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

// Decades a step in which the residual's course depends on what a linear tolerance of some percent leaves.
constexpr double unclear_progress = 0.02;
constexpr int more_own = 2;  // they are free: less noise; not where progress differs from step to step

}  // namespace

template <class Space>
int Race<Space>::warm_up(int name) const {
  constexpr int least = 4;
  return branches_.crews()[static_cast<std::size_t>(name)].remembers() ? std::max(least, pace_.race_steps()) : 0;
}

// The first step of each allocates, and meets memory that was never touched: not counted.
template <class Space>
Lead Race<Space>::lead(int name, const FlowBranch& flow, double& left, double most_seconds) const {
  Lead lead;
  if (!pace_.is_warm(name)) lead = branches_.lead(name, 1, flow, pace_.first_step(left));
  left -= lead.seconds();
  if (lead.end == LeadEnd::steps || lead.end == LeadEnd::reached) {
    pace_.warm(name);
    const int idle = warm_up(name);
    lead = branches_.lead(name, idle + steps_, flow, std::min(left, most_seconds * (idle + steps_)));
    left -= lead.seconds();
    lead.forget_first(idle);
  }
  lead.crew = name;
  return lead;
}

template <class Space>
void Race<Space>::begin(int leading, const std::vector<int>& racers, const FlowBranch& flow, double limit,
                        double left) {
  steps_ = pace_.race_steps();
  own_steps_ = flow.is_in_decades ? steps_ : more_own * steps_;
  own_ = {};
  own_.crew = leading;
  is_in_decades_ = flow.is_in_decades;
  racers_.clear();
  for (const int name : racers) {
    if (left <= 0 || branches_.is_interrupted()) break;
    Lead its = lead(name, flow, left, limit * pace_.step());
    const bool is_void = left <= 0 && its.end == LeadEnd::cut;
    if (is_void) pace_.was_too_short(name);
    racers_.push_back({std::move(its), is_void});
  }
}

template <class Space>
void Race<Space>::begin_own_step(const Run& run, const FlowBranch& flow) {
  level_ = flow.level();
  before_ = run.so_far();
  began_ = branches_.now();
}

template <class Space>
void Race<Space>::end_own_step(double others) {
  if (is_open()) seconds_ = branches_.now() - began_ - (others - others_);
  others_ = others;
}

template <class Space>
void Race<Space>::take_own_step(const Run& run, const FlowBranch& flow) {
  const Diverted& now = run.so_far();
  own_.steps.push_back({run.ranks().max(seconds_), flow.level() - level_, now.solves - before_.solves,
                        now.iterations - before_.iterations, now.unconverged - before_.unconverged,
                        now.rejected - before_.rejected});
}

// Where nobody can say how far the flow has come: time a step.
template <class Space>
double Race<Space>::cost_of(const Lead& lead) const {
  const double seconds = lead.seconds(), steps = steps_;
  if (lead.end == LeadEnd::failed || lead.end == LeadEnd::cut) return INFINITY;
  if (!(seconds > 0)) return std::nan("");
  const double unclear = is_in_decades_ ? unclear_progress * steps : 0;
  if (!(own_.progress() + unclear > 0)) return seconds / static_cast<double>(lead.steps.size());
  const double progress = lead.progress() + unclear;
  return progress > 0 ? seconds / progress : INFINITY;
}

template <class Space>
std::vector<double> Race<Space>::end(const std::function<void(int place, const Lead&)>& told) {
  std::vector<double> costs(branches_.crews().size(), std::nan(""));
  int place = 0;
  for (const auto& [its, is_void] : racers_) {
    const bool falls_back = its.crew != 0 && its.unconverged() > 0;
    if (!is_void) costs[static_cast<std::size_t>(its.crew)] = falls_back ? INFINITY : cost_of(its);
    told(++place, its);
  }
  costs[static_cast<std::size_t>(own_.crew)] = cost_of(own_);
  told(++place, own_);
  drop();
  return costs;
}

template <class Space>
double Race<Space>::iterations_a_step(int name) const {
  double sum = 0, steps = 0;
  for (const Racer& racer : racers_) {
    if (racer.lead.crew != name) continue;
    for (const LedStep& s : racer.lead.steps) sum += static_cast<double>(s.iterations);
    steps += static_cast<double>(racer.lead.steps.size());
  }
  return steps > 0 ? sum / steps : 0;
}

template class Race<Host>;
template class Race<Device>;

}  // namespace weir
