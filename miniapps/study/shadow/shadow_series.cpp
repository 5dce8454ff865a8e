#include "miniapps/study/shadow/shadow_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "postproc/run/csv.hpp"

namespace weir {
namespace {

double megabytes(std::int64_t bytes) { return 1e-6 * static_cast<double>(bytes); }

constexpr double worth_telling = 0.02;  // share of a solver's time that is reported

double percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

}  // namespace

ShadowSeries::ShadowSeries(std::vector<std::string> names, std::vector<std::string> solvers)
    : names_(std::move(names)), solvers_(std::move(solvers)), by_name_(names_.size()) {}

std::int64_t ShadowSeries::systems(int name) const { return static_cast<std::int64_t>(by_name_[name].seconds.size()); }

bool ShadowSeries::add(const ShadowRecord& r) {
  if (r.name == ShadowRecord::in_the_flow) {
    own_.push_back(r.seconds());
    ++repetition_.systems;
    is_different_ = false;
    return false;
  }
  Series& s = by_name_[r.name];
  s.seconds.push_back(r.seconds());
  s.failed.push_back(!r.result.converged());
  s.setup_seconds += r.setup_seconds;
  s.iterations += r.result.iterations;
  s.bytes = std::max(s.bytes, r.bytes);
  s.most_bytes = std::max(s.most_bytes, r.most_bytes);
  if (r.solver < 2) of_replica_[r.solver].push_back(r.seconds());
  if (r.differing == 0 || std::exchange(is_different_, true)) return false;
  if (repetition_.different++ > 0) return false;
  repetition_.step = r.step;
  repetition_.solve = r.solve;
  repetition_.differing = r.differing;
  repetition_.largest_difference = r.largest_difference;
  return true;
}

ShadowRow ShadowSeries::row(std::size_t name, std::uint64_t seed) const {
  const Series &s = by_name_[name], &reference = by_name_.front();
  ShadowRow row;
  row.name = names_[name];
  row.solver = solvers_[name];
  std::vector<double> solved_again(s.seconds.size(), 0.0);
  double failed_seconds = 0;
  for (std::size_t i = 0; i < s.seconds.size(); ++i) {
    if (!s.failed[i]) continue;
    ++row.failures;
    if (!reference.failed[i]) solved_again[i] = reference.seconds[i];
    failed_seconds += s.seconds[i] + solved_again[i];
  }
  const double to_mean = 1e3 / static_cast<double>(s.seconds.size());
  row.iterations = static_cast<double>(s.iterations) / static_cast<double>(s.seconds.size());
  row.milliseconds = 1e3 * median(s.seconds);
  row.p95_milliseconds = 1e3 * percentile_95(s.seconds);
  row.mean_milliseconds = to_mean * std::accumulate(s.seconds.begin(), s.seconds.end(), 0.0);
  row.setup_milliseconds = to_mean * s.setup_seconds;
  row.failed_milliseconds = to_mean * failed_seconds;
  row.bytes = s.bytes;
  row.most_bytes = s.most_bytes;
  row.with_reference = compare_pairs(s.seconds, reference.seconds, seed, solved_again);
  return row;
}

ShadowComparison ShadowSeries::compare(std::uint64_t seed) const {
  ShadowComparison c;
  if (empty()) return c;
  c.repetition = repetition_;
  c.own_milliseconds = 1e3 * median(own_);
  c.replicas = compare_pairs(of_replica_[1], of_replica_[0], seed);
  for (std::size_t i = 0; i < by_name_.size(); ++i)
    if (!by_name_[i].seconds.empty()) c.rows.push_back(row(i, seed));
  c.noise = std::max(noise_floor_of(c.rows[1].with_reference), noise_floor_of(c.replicas));
  for (ShadowRow& row : c.rows) row.verdict = verdict_of(row.with_reference, c.noise);
  return c;
}

std::string shadow_table(const ShadowComparison& c, const std::string& system) {
  const auto label = [&c](const ShadowRow& r) {
    return (&r == &c.rows[0] ? "reference" : &r == &c.rows[1] ? "A/A control" : r.name) + " (" + r.solver + ")";
  };
  std::size_t width = 6;
  for (const ShadowRow& r : c.rows) width = std::max(width, label(r).size());
  std::string text = fmt::format("\n{}, open loop, on {}: {} systems, each solved by {} solvers in random order\n",
                                 system, c.on, c.rows.front().with_reference.pairs, c.rows.size());
  text += fmt::format(
      "  {:<{}}  iterations  median ms  95 % below        MB  total / reference  95 % interval      median   faster "
      "in\n",
      "solver", width);
  for (const ShadowRow& r : c.rows) {
    const PairedComparison& p = r.with_reference;
    text += fmt::format("  {:<{}}  {:>10.1f}  {:>9.3f}  {:>10.3f}  {:>8.3f}", label(r), width, r.iterations,
                        r.milliseconds, r.p95_milliseconds, megabytes(r.bytes));
    if (&r != &c.rows.front())
      text += fmt::format("  {:>17.3f}  {:>6.3f} .. {:<6.3f}  {:>8.3f}  {:>4} of {:<4}  {}", p.of_sums,
                          p.of_sums_interval.low, p.of_sums_interval.high, p.ratio, p.wins, p.pairs,
                          &r == &c.rows[1] ? "control" : verdict_text(r.verdict, c.noise));
    if (r.setup_milliseconds >= worth_telling * r.mean_milliseconds)
      text += fmt::format(", set-up {:.0f} % of its time", 100 * r.setup_milliseconds / r.mean_milliseconds);
    if (r.failures)
      text += fmt::format(", {} solves did not converge ({:.3g} ms per system)", r.failures, r.failed_milliseconds);
    text += '\n';
  }
  text += fmt::format("  differences below {:.1f} % are noise (reference solver against itself: {:.3f} .. {:.3f})\n",
                      percent(c.noise), c.replicas.of_sums_interval.low, c.replicas.of_sums_interval.high);
  for (const LeftOut& out : c.left_out) text += fmt::format("  {} left out: {}\n", out.name, out.why);
  if (c.ranks > 1) text += fmt::format("  {} ranks: times of the slowest rank, MB of all ranks\n", c.ranks);
  return text +
         fmt::format("  the run's own solves of these systems: median {:.3f} ms (not compared)\n", c.own_milliseconds);
}

std::string shadow_csv(const ShadowComparison& c) {
  std::string text =
      "name,solver,systems,iterations,median_ms,ratio,low,high,won,sign_test_p,failures,verdict,noise,ranks,mb,mb_of_"
      "largest_rank,sums_ratio,sums_low,sums_high,p95_ms,mean_ms,setup_ms,failed_ms,left_out\n";
  const auto why_left_out = [&c](const std::string& name) {
    const auto found = std::ranges::find_if(c.left_out, [&](const auto& o) { return o.name == name; });
    return found == c.left_out.end() ? std::string() : csv_quoted(found->why);
  };
  for (const ShadowRow& r : c.rows) {
    const PairedComparison& p = r.with_reference;
    const bool reference = &r == &c.rows.front(), again = &r == &c.rows[1];
    text += fmt::format("{},{},{},{:.4g},{:.6g},", r.name, r.solver, p.pairs, r.iterations, r.milliseconds);
    text += reference ? ",,,,,"
                      : fmt::format("{:.5g},{:.5g},{:.5g},{},{:.3g},", p.ratio, p.interval.low, p.interval.high, p.wins,
                                    p.sign_test_p);
    text += fmt::format("{},{},{:.5g},{},{:.6g},{:.6g},", r.failures,
                        reference ? "leader"
                        : again   ? "control"
                                  : to_string(r.verdict),
                        std::exp(c.noise), c.ranks, megabytes(r.bytes), megabytes(r.most_bytes));
    text += reference
                ? ",,,"
                : fmt::format("{:.5g},{:.5g},{:.5g},", p.of_sums, p.of_sums_interval.low, p.of_sums_interval.high);
    text += fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{}\n", r.p95_milliseconds, r.mean_milliseconds,
                        r.setup_milliseconds, r.failed_milliseconds, why_left_out(r.name));
  }
  for (const LeftOut& out : c.left_out)
    if (std::ranges::none_of(c.rows, [&](const ShadowRow& r) { return r.name == out.name; }))
      text += fmt::format("{},,0,,,,,,,,,left out,,,,,,,,,,,,{}\n", out.name, csv_quoted(out.why));
  return text;
}

std::string shadow_json(const ShadowComparison& c, const std::string& system) {
  using Json = nlohmann::ordered_json;
  Json j{{"system", system},           {"evidence", "open loop"},    {"on", c.on},
         {"noise", std::exp(c.noise)}, {"verdicts", Json::object()}, {"statements", Json::object()}};
  for (std::size_t i = 2; i < c.rows.size(); ++i) {
    const ShadowRow& r = c.rows[i];
    const std::string verdict = to_string(r.verdict);
    j["verdicts"][r.name] = verdict;
    j["statements"][r.name] =
        statement(Evidence::same_systems, r.name, verdict, r.with_reference.of_sums,
                  r.with_reference.of_sums_interval) +
        (r.failures ? fmt::format("; {} of {} solves did not converge", r.failures, r.with_reference.pairs) : "");
  }
  j["left_out"] = Json::object();
  for (const LeftOut& out : c.left_out) j["left_out"][out.name] = out.why;
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string repetition_text(const Repetition& r, const std::string& why) {
  if (r.different == 0)
    return fmt::format("every repeat of the reference solver gave the same bits ({} systems)", r.systems);
  return fmt::format(
      "the reference solver is not reproducible: repeats differ in {} of {} systems, first at step {}, solve {}: {} "
      "unknowns, by at most {:.3g} ({})",
      r.different, r.systems, r.step, r.solve, r.differing, r.largest_difference,
      why.empty() ? "not explained by the method: look for a race or uninitialised memory" : why);
}

}  // namespace weir
