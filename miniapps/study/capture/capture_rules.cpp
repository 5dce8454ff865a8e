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
    throw std::invalid_argument("'" + text + "' is not a non-negative integer");
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

CaptureRules::Condition CaptureRules::read(const std::string& rule) {
  const auto after = [&](std::string_view begin) { return trimmed(rule.substr(begin.size())); };
  if (rule.starts_with("steps:")) {
    std::vector<std::int64_t> steps;
    for (const std::string& step : split(after("steps:"), ',')) steps.push_back(whole_number(step));
    return [steps](std::int64_t step, const SolveResult&) { return std::ranges::find(steps, step) != steps.end(); };
  }
  if (rule.starts_with("every:")) {
    const std::int64_t every = whole_number(after("every:"));
    if (every == 0) throw std::invalid_argument("'every:' needs a positive number of steps");
    // Step 0 is the projection of the initial field.
    return [every](std::int64_t step, const SolveResult&) { return step > 0 && step % every == 0; };
  }
  if (rule.starts_with("iterations>")) {
    const std::int64_t most = whole_number(after("iterations>"));
    return [most](std::int64_t, const SolveResult& result) { return result.iterations > most; };
  }
  if (rule.starts_with("time>")) {
    const double most = seconds_of(after("time>"));
    ask_for_seconds_ = true;
    return [most](std::int64_t, const SolveResult& result) { return result.solve_seconds > most; };
  }
  if (rule == "stagnation") return [](std::int64_t, const SolveResult& r) { return r.reason == Reason::stagnated; };
  if (rule == "not_finite") return [](std::int64_t, const SolveResult& r) { return r.reason == Reason::not_finite; };
  if (rule == "failure") return [](std::int64_t, const SolveResult& r) { return !r.converged(); };
  throw std::invalid_argument(
      "unknown rule '" + rule +
      "'; known: steps:100,200, every:50, iterations>40, time>5 ms, stagnation, not_finite, failure, joined with |");
}

CaptureRules::CaptureRules(const Table& capture) {
  const std::string when = capture.get<std::string>("when", "");
  if (trimmed(when).empty()) return;
  try {
    for (const std::string& rule : split(when, '|')) rules_.emplace_back(rule, read(rule));
  } catch (const std::invalid_argument& e) {
    capture.fail("when", e.what());
  }
}

std::string CaptureRules::met(std::int64_t step, const SolveResult& result) const {
  for (const auto& [rule, holds] : rules_)
    if (holds(step, result)) return rule;
  return "";
}

}  // namespace weir
