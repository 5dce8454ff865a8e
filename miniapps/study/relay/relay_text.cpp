// The results of branches as a table for the log and as a block of run.json.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "miniapps/study/relay/relay_series.hpp"

namespace weir {

std::string relay_table(const RelayComparison& c, const RelaySubject& of) {
  std::string text =
      fmt::format("\n{}, closed loop: {} branches of the run, {} steps each; cost = {} of whole steps per unit of {}\n",
                  of.system, c.branches, c.steps, of.clock == "wall clock" ? "time" : of.clock, of.progress);
  const auto label = [&c](const RelayRow& r) {
    return (&r == &c.rows[0] ? "reference" : &r == &c.rows[1] ? "A/A control" : r.name) + " (" + r.solver + ")";
  };
  std::size_t width = 6;
  for (const RelayRow& r : c.rows) width = std::max(width, label(r).size());
  text += fmt::format(
      "  {:<{}}  ms / step  iterations / step  cost / reference   95 % interval      same systems    "
      "loop gain  95 % interval\n",
      "solver", width);
  for (const RelayRow& r : c.rows) {
    text += fmt::format("  {:<{}}  {:>9.3f}  {:>7.1f} to {:<6.1f}", label(r), width, r.milliseconds, r.first_iterations,
                        r.later_iterations);
    if (&r != &c.rows[0])
      text += fmt::format("  {:>17.3f}  {:>6.3f} .. {:<6.3f}  {:>15.3f}  {:>9.3f}  {:>6.3f} .. {:<6.3f}  {}", r.closed,
                          r.closed_interval.low, r.closed_interval.high, r.open, r.gain, r.gain_interval.low,
                          r.gain_interval.high, to_string(r.verdict));
    if (r.branches < c.branches) text += fmt::format(", {} branches only", r.branches);
    if (r.cut) text += fmt::format(", {} branches stopped (too slow)", r.cut);
    if (r.failures) text += fmt::format(", {} branches failed", r.failures);
    if (r.rejected) text += fmt::format(", {} steps rejected", r.rejected);
    if (r.unconverged) text += fmt::format(", {} solves did not converge", r.unconverged);
    if (!r.has_settled && std::isfinite(r.drift))
      text += fmt::format(", cost still changing: {:+.0f} % from the first to the second half", 100 * (r.drift - 1));
    text += '\n';
  }
  if (!c.has_clear_progress)
    text += "  the reference solver makes no clear progress here, so costs per progress cannot be compared\n";
  for (const RelayRow& r : c.rows)
    if (!r.why.empty()) text += "  " + r.why + "\n";
  return text + fmt::format("  differences below {:.1f} % are noise (reference solver against itself)\n",
                            100 * std::expm1(c.noise));
}

std::string relay_json(const RelayComparison& c, const RelaySubject& of) {
  using Json = nlohmann::ordered_json;
  const auto both = [](const Interval& i) { return Json::array({i.low, i.high}); };
  const auto if_known = [](double value) { return value >= 0 ? Json(value) : Json(); };
  Json j{{"system", of.system},        {"evidence", "closed loop"},
         {"branches", c.branches},     {"steps", c.steps},
         {"progress", of.progress},    {"clock", of.clock},
         {"noise", std::exp(c.noise)}, {"clear_progress", c.has_clear_progress},
         {"solvers", Json::array()}};
  for (const RelayRow& r : c.rows)
    j["solvers"].push_back(
        {{"name", r.name},
         {"solver", r.solver},
         {"branches", r.branches},
         {"ms_a_step", r.milliseconds},
         {"iterations", Json::array({r.first_iterations, r.later_iterations})},
         {"closed", r.closed},
         {"closed_interval", both(r.closed_interval)},
         {"open", r.open},
         {"open_interval", both(r.open_interval)},
         {"gain", r.gain},
         {"gain_interval", both(r.gain_interval)},
         {"cut", r.cut},
         {"failures", r.failures},
         {"rejected", r.rejected},
         {"unconverged", r.unconverged},
         {"drift", r.drift},
         {"settled", r.has_settled},
         {"progress", r.progress},
         {"long_waves",
          Json::array({if_known(r.first_observation.long_waves), if_known(r.later_observation.long_waves)})},
         {"left", Json::array({if_known(r.first_observation.left), if_known(r.later_observation.left)})},
         {"verdict", to_string(r.verdict)},
         {"statement", &r < &c.rows[2]
                           ? ""
                           : statement(Evidence::branches, r.name, to_string(r.verdict), r.closed, r.closed_interval)},
         {"why", r.why}});
  return j.dump();
}

}  // namespace weir
