#include "miniapps/study/recorder/flight_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinity.
Json number(double v) { return std::isfinite(v) ? Json(v) : Json(std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"); }

Json json_of(const FlightSolve& s, const std::vector<std::string>& systems) {
  return {{"system", s.system >= 0 ? systems[s.system] : ""},
          {"iterations", s.iterations},
          {"reason", to_string(s.reason)},
          {"r0", number(s.residual0)},
          {"r_true", number(s.residual)},
          {"preconditioner_age", s.age},
          {"setup_ms", number(1e3 * s.setup_seconds)},
          {"solve_ms", number(1e3 * s.seconds)}};
}

Json json_of(const FlightMoment& s, const std::vector<std::string>& variables) {
  Json j = {{"step", s.step},
            {"time", number(s.time)},
            {"dt", s.dt > 0 ? number(s.dt) : Json()},
            {"cfl", s.cfl >= 0 ? number(s.cfl) : Json()}};
  j["state"] = Json::object();
  for (std::size_t v = 0; v < variables.size(); ++v)
    j["state"][variables[v]] = s.range[v].all_finite
                                   ? Json{{"min", number(s.range[v].least)}, {"max", number(s.range[v].most)}}
                                   : Json("not finite");
  return j;
}

Json json_of(const FlightStep& s, const std::vector<std::string>& variables, const std::vector<std::string>& systems) {
  Json j = json_of(static_cast<const FlightMoment&>(s), variables);
  j["solves"] = s.solves;
  j["solves_failed"] = s.failed_solves;
  j["last_solves"] = Json::array();
  const int most = static_cast<int>(most_solves);
  for (int k = std::max(0, s.solves - most); k < s.solves; ++k)
    j["last_solves"].push_back(json_of(s.solve[k % most], systems));
  return j;
}

}  // namespace

std::string verdict_text(const Finding& f) {
  std::size_t width = 0;
  for (const auto& [label, value] : f.evidence) width = std::max(width, label.size());
  std::string text = fmt::format("\ndiagnosis: {}\n  {}\n", to_string(f.cause), f.what);
  for (const auto& [label, value] : f.evidence) text += fmt::format("    {:<{}}  {}\n", label, width, value);
  return text + fmt::format("  change: {}\n    {}\n", f.key, f.change);
}

std::string flight_text(const Finding& f) { return verdict_text(f) + fmt::format("  last steps: {}\n", flight_file); }

void write_flight(const std::string& path, const Finding& f, const std::string& reason,
                  const std::vector<FlightStep>& steps, const std::vector<FlightMoment>& history,
                  const std::vector<std::string>& variables, const std::vector<std::string>& systems) {
  Json j = {{"schema", 1}, {"cause", to_string(f.cause)}, {"what", f.what}, {"ended", reason}};
  j["evidence"] = Json::array();
  for (const auto& [label, value] : f.evidence) j["evidence"].push_back({{"what", label}, {"value", value}});
  j["key"] = f.key;
  j["change"] = f.change;
  j["steps"] = Json::array();
  for (const FlightStep& s : steps) j["steps"].push_back(json_of(s, variables, systems));
  j["history"] = Json::array();  // whole run, thinned
  for (const FlightMoment& m : history) j["history"].push_back(json_of(m, variables));
  write_text_aside(path, j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace weir
