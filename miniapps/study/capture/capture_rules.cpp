#include "miniapps/study/capture/capture_rules.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace weir {
namespace {

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t\n"), to = text.find_last_not_of(" \t\n");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == at ? (void)parts.emplace_back() : parts.back().push_back(c);
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

std::int64_t whole_number(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end || text.empty() || value < 0)
    throw std::invalid_argument("'" + text + "' is not a whole number");
  return value;
}

// "5 ms", "0.1 s"
double seconds_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto at = std::from_chars(text.data(), end, value).ptr;
  const std::string unit = trimmed(std::string(at, end));
  if (at == text.data() || !(value >= 0) || (unit != "ms" && unit != "s"))
    throw std::invalid_argument("'" + text + "' is not a time (as in 5 ms or 0.1 s)");
  return unit == "ms" ? 1e-3 * value : value;
}

}  // namespace

CaptureRules::Rule CaptureRules::read(const std::string& text) {
  const auto after = [&](std::string_view begin) { return trimmed(text.substr(begin.size())); };
  Rule rule{Kind::failure, text, {}, 0};
  if (text.starts_with("steps:")) {
    rule.kind = Kind::steps;
    for (const std::string& step : split(after("steps:"), ',')) rule.steps.push_back(whole_number(step));
  } else if (text.starts_with("every:")) {
    rule.kind = Kind::every;
    rule.steps = {whole_number(after("every:"))};
    if (rule.steps.front() == 0) throw std::invalid_argument("'every:' needs a number of steps above 0");
  } else if (text.starts_with("iterations>")) {
    rule.kind = Kind::iterations;
    rule.limit = static_cast<double>(whole_number(after("iterations>")));
  } else if (text.starts_with("time>")) {
    rule.kind = Kind::seconds;
    rule.limit = seconds_of(after("time>"));
  } else if (text == "stagnation") {
    rule.kind = Kind::stagnation;
  } else if (text == "not_finite") {
    rule.kind = Kind::not_finite;
  } else if (text != "failure") {
    throw std::invalid_argument("unknown rule '" + text +
                                "'; known: steps:100,200, every:50, iterations>40, time>5 ms, stagnation, not_finite, "
                                "failure, joined with |");
  }
  return rule;
}

CaptureRules::CaptureRules(const Table& capture) {
  const std::string when = capture.get<std::string>("when", "");
  if (trimmed(when).empty()) return;
  try {
    for (const std::string& text : split(when, '|')) rules_.push_back(read(text));
  } catch (const std::invalid_argument& e) {
    capture.fail("when", e.what());
  }
}

bool CaptureRules::ask_for_seconds() const {
  return std::any_of(rules_.begin(), rules_.end(), [](const Rule& rule) { return rule.kind == Kind::seconds; });
}

std::string CaptureRules::met(std::int64_t step, const SolveResult& result) const {
  const auto meets = [&](const Rule& rule) {
    switch (rule.kind) {
      case Kind::steps:
        return std::find(rule.steps.begin(), rule.steps.end(), step) != rule.steps.end();
      case Kind::every:
        return step > 0 && step % rule.steps.front() == 0;  // step 0: the initial field's projection
      case Kind::iterations:
        return result.iterations > rule.limit;
      case Kind::seconds:
        return result.solve_seconds > rule.limit;
      case Kind::stagnation:
        return result.reason == Reason::stagnated;
      case Kind::not_finite:
        return result.reason == Reason::not_finite;
      default:
        return !result.converged();
    }
  };
  for (const Rule& rule : rules_)
    if (meets(rule)) return rule.text;
  return "";
}

}  // namespace weir
