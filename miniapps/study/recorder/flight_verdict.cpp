#include "miniapps/study/recorder/flight_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir {
namespace {

constexpr double large_growth = 100;  // of a variable

std::string told(const BadValue& bad) { return fmt::format("{} of {}", bad.variable, bad.place); }

void add_first_bad(const FlightEvidence& e, Finding& f) {
  if (!e.not_finite) return;
  f.measured("first NaN or Inf", fmt::format("{} at step {}", told(*e.not_finite), e.not_finite->step));
  f.measured("cells with NaN or Inf then", fmt::format("{} of {} cells", e.not_finite->count, e.not_finite->cells));
}

// The growth of a variable since the end of the longest period in which its running maximum did not double. A flow that
// starts from rest also grows at first.
struct Growth {
  std::size_t variable = 0;
  double from = 0, to = 0;
  std::size_t onset = 0;  // index of the last moment of that period
  double factor() const { return from > 0 ? to / from : 0; }
};

Growth growth_of(const std::vector<FlightMoment>& moments, std::size_t variable) {
  Growth g{.variable = variable};
  std::vector<double> most;  // running maximum
  std::int64_t longest = -1;
  for (std::size_t begin = 0, k = 0; k < moments.size(); ++k) {
    const ValueRange& r = moments[k].range[variable];
    if (!r.all_finite) break;
    g.to = r.size();
    most.push_back(std::max(g.to, k > 0 ? most.back() : 0));
    while (most[begin] == 0 && begin < k) ++begin;  // started from rest
    while (2 * most[begin] < most[k]) ++begin;
    const std::int64_t steps = moments[k].step - moments[begin].step;
    if (most[begin] == 0 || steps <= longest) continue;
    longest = steps;
    g.from = most[begin];
    g.onset = k;
  }
  return g;
}

Growth largest_growth(const FlightEvidence& e) {
  Growth g;
  for (std::size_t v = 0; v < e.variables.size(); ++v) {
    if (e.variables[v] == "p" && !e.positive[v]) continue;  // incompressible pressure jumps when boundaries move
    const Growth of_this = growth_of(e.moments, v);
    if (of_this.factor() > g.factor()) g = of_this;
  }
  return g;
}

std::optional<Finding> bad_start(const FlightEvidence& e) {
  const bool is_first = !e.steps.empty() && e.steps.back().step == e.first.step;
  const BadValue* bad = e.unphysical ? &*e.unphysical : e.not_finite ? &*e.not_finite : nullptr;
  if (!is_first || !bad || bad->step != e.first.step) return {};
  const std::string from = e.restarted ? "the checkpoint" : "the initial state";
  Finding f;
  if (e.unphysical) {
    f = Finding(Cause::unphysical_state,
                fmt::format("unphysical {3}: {0} is {1:.3g} in {2}", bad->variable, bad->value, bad->place, from));
    f.measured("cells with a non-positive value", fmt::format("{} of {}", bad->count, bad->cells));
  } else {
    f = Finding(Cause::first_not_finite,
                fmt::format("NaN or Inf in {1}: {0}, first in {2}", bad->variable, from, bad->place));
    add_first_bad(e, f);
  }
  f.key = e.start_key;
  f.change = e.restarted ? "restart from an earlier checkpoint" : "a state whose values are finite and physical";
  return f;
}

// The CFL number grows with the state, so the number before the growth counts. If it is unknown (first state of a run),
// it is scaled back from the next one.
double cfl_before(const FlightEvidence& e, const Growth& g) {
  for (std::size_t k = g.onset + 1; k-- > 0;)
    if (e.moments[k].cfl > 0) return e.moments[k].cfl;
  if (g.onset + 1 >= e.moments.size()) return e.moments[g.onset].cfl;
  const FlightMoment& next = e.moments[g.onset + 1];
  const double grown = next.range[g.variable].size() / std::max(e.moments[g.onset].range[g.variable].size(), 1e-300);
  return grown > 1 ? next.cfl / grown : next.cfl;
}

std::optional<Finding> growth(const FlightEvidence& e) {
  const Growth g = largest_growth(e);
  if (g.factor() < large_growth) return {};
  const FlightMoment &onset = e.moments[g.onset], &last = e.moments.back();
  const double cfl = cfl_before(e, g);
  const bool too_large = e.courant_limit > 0 && cfl > e.courant_limit;
  Finding f(too_large ? Cause::time_step : Cause::growing_state,
            too_large
                ? "the time step is too large for the explicit part of the scheme: the flow grows from step to step"
                : "the flow grows from step to step although its CFL number was within the limit at onset");
  f.measured(fmt::format("largest |{}|", e.variables[g.variable]),
             fmt::format("{:.3g} until step {}, {:.3g} before step {}", g.from, onset.step, g.to, last.step));
  f.measured("growth from step", fmt::format("{}, at time {:.6g}", onset.step, onset.time));
  if (cfl >= 0)
    f.measured("CFL number before",
               fmt::format("{:.3g}", cfl) + (e.courant_limit > 0 ? fmt::format(" (limit about {:.3g})", e.courant_limit)
                                                                 : " (no limit by the scheme)"));
  add_first_bad(e, f);
  if (!e.not_finite && e.solve && e.solve->cause == Cause::right_hand_side_not_finite)
    f.measured("first NaN or Inf", e.solve->what);
  f.key = e.step_key;
  if (!too_large)
    f.change = "a smaller value; if that does not help, examine boundary conditions and forcing, or refine the grid";
  else if (e.step_key == "time.dt" && onset.dt > 0)
    f.change = fmt::format("{:.2g} (it was {:.3g}), or [time] cfl", 0.8 * onset.dt * e.courant_limit / cfl, onset.dt);
  else
    f.change = fmt::format("{:.2g}", 0.8 * e.courant_limit);
  return f;
}

std::optional<Finding> sudden(const FlightEvidence& e) {
  if (!e.not_finite) return {};
  Finding f(Cause::first_not_finite, fmt::format("NaN or Inf at step {}, first in {}, without growth before",
                                                 e.not_finite->step, told(*e.not_finite)));
  add_first_bad(e, f);
  if (e.solve) f.measured("seen by the solve", e.solve->what);
  f.key = e.step_key;
  f.change = "first examine the boundary, source and metric of that cell; then try a smaller step";
  return f;
}

const FlightSolve& last_solve(const FlightStep& s) {
  return s.solve[static_cast<std::size_t>(std::max(s.solves - 1, 0)) % most_solves];
}

// Pseudo-time: the norm of the right-hand sides is the residual of the flow.
std::optional<Finding> limits(const FlightEvidence& e) {
  if (e.limit.empty() || e.steps.empty()) return {};
  int solves = 0, failed = 0;
  for (const FlightStep& s : e.steps) {
    solves += s.solves;
    failed += s.failed_solves;
  }
  if (e.limit.find("rejections") != std::string::npos) {
    const double cfl = e.steps.back().cfl;
    const bool helpless = e.last_cfl >= 0 && e.last_cfl < 0.1;
    Finding f(helpless ? Cause::unphysical_state : Cause::time_step,
              helpless ? "pseudo-time steps are rejected at any CFL number, however small"
                       : "pseudo-time steps are too large: their states are rejected repeatedly");
    f.measured("CFL number of the first and last attempt", fmt::format("{:.3g}, {:.3g}", cfl, e.last_cfl));
    f.measured("attempts of that step", static_cast<double>(e.steps.back().solves));
    f.measured("linear solves of the recorded steps that missed their tolerance",
               fmt::format("{} of {}", failed, solves));
    if (e.unphysical)
      f.measured(e.unphysical->variable, fmt::format("{:.3g} in {}", e.unphysical->value, e.unphysical->place));
    f.key = helpless ? "numerics.order" : "pseudo_time.cfl_start";
    f.change = helpless ? "1: if that runs, the reconstruction is at fault (gradient, limiter, the mesh there); if "
                          "not, the boundary states or " +
                              e.start_key
                        : fmt::format("{:.2g}, or more rejections", 0.1 * cfl);
    return f;
  }
  if (e.solve && 2 * failed > solves) return {};
  const FlightSolve& first = e.steps.front().solve[0];
  const FlightStep& last_step = e.steps.back();
  const FlightSolve& last = last_solve(last_step);
  const double start = e.first.solve[0].residual0;
  const bool has_grown = start > 0 && last.residual0 > 10 * start;
  const bool falls = !has_grown && residual_falls(e.steps);
  if (!falls && e.stall) return e.stall;
  Finding f(Cause::steps_exhausted,
            falls       ? "the iteration was converging and reached its step limit"
            : has_grown ? "the iteration reached its step limit with a residual far above that of its start"
                        : "the iteration reached its step limit and its residual stalls");
  if (has_grown) f.measured("residual of the first step", start);
  f.measured("residual over the recorded steps", fmt::format("{:.3g} to {:.3g}", first.residual0, last.residual0));
  f.measured("recorded steps", static_cast<double>(e.steps.size()));
  if (last_step.cfl >= 0) f.measured("CFL number", last_step.cfl);
  f.key = falls ? e.limit : "pseudo_time.cfl_max";
  f.change = falls ? "more steps, or a faster CFL ramp" : "smaller, or a tighter linear tolerance";
  return f;
}

}  // namespace

bool residual_falls(const std::vector<FlightStep>& steps) {
  constexpr double enough = 0.9;
  if (steps.empty()) return false;
  if (steps.size() < 4) return last_solve(steps.back()).residual0 < enough * steps.front().solve[0].residual0;
  // Medians of both halves, because an oscillating residual may end below its start.
  std::vector<double> r;
  for (const FlightStep& s : steps) r.push_back(s.solve[0].residual0);
  const auto half = r.begin() + static_cast<std::ptrdiff_t>(r.size() / 2);
  const auto median = [](auto begin, auto end) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    return *middle;
  };
  const double before = median(r.begin(), half), after = median(half, r.end());
  return after < enough * before;
}

void FlightHistory::add(const FlightMoment& moment) {
  if (seen_++ % stride_ != 0) return;
  if (kept_.size() == most_) {
    for (std::size_t k = 0; 2 * k < most_; ++k) kept_[k] = kept_[2 * k];
    kept_.resize(most_ / 2);
    stride_ *= 2;
  }
  kept_.push_back(moment);
}

Finding verdict_of_flight(const FlightEvidence& e) {
  for (const auto rule : {bad_start, growth, limits})
    if (std::optional<Finding> f = rule(e)) return std::move(*f);
  const bool of_the_state = e.ended_not_finite && (!e.solve || e.solve->cause == Cause::right_hand_side_not_finite ||
                                                   e.solve->cause == Cause::matrix_not_finite);
  if (of_the_state)
    if (std::optional<Finding> f = sudden(e)) return std::move(*f);
  if (e.solve) return *e.solve;
  if (std::optional<Finding> f = sudden(e)) return std::move(*f);
  Finding f(Cause::unknown, "the run failed and no rule explains it");
  f.measured("recorded steps", static_cast<double>(e.steps.size()));
  f.key = e.step_key;
  f.change = "see flight_recorder.json: the last steps with their solves and value ranges";
  return f;
}

}  // namespace weir
