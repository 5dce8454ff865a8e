#include "miniapps/study/shadow_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "miniapps/study/statistics.hpp"
#include "miniapps/study/stopping_test.hpp"
#include "postproc/write_aside.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {
namespace {

constexpr const char* columns =
    "step,solve,system,name,solver,place,iterations,reason,r0,r_true,setup_ms,solve_ms,apply_ms,spmv_ms,reduce_ms";

// Residuals of a few solves: the first system, the second, the fourth, the eighth, ...
constexpr const char* curve_columns = "step,name,iteration,ms,residual";
constexpr std::size_t curve_points = 200;  // at most, of one solve

std::string measure(double seconds) { return seconds >= 0 ? fmt::format("{:.6g}", 1e3 * seconds) : std::string(); }

struct Row {
  std::string name, solver;
  int failures = 0;
  double iterations = 0;  // a solve
  double milliseconds = 0;
  PairedComparison with_leader;
  Verdict verdict = Verdict::too_few_systems;
};

std::string table_text(const std::vector<Row>& rows, const std::string& system, double floor) {
  std::size_t width = 6;
  for (const Row& r : rows) width = std::max(width, r.name.size() + r.solver.size() + 3);
  std::string text = fmt::format("\n{}: {} systems, each solved by {} solvers in an order drawn anew\n", system,
                                 rows.front().with_leader.pairs, rows.size());
  text += fmt::format("  {:<{}}  iterations  median ms  time / leader's   95 % interval   won  \n", "solver", width);
  for (const Row& r : rows) {
    const PairedComparison& c = r.with_leader;
    text += fmt::format("  {:<{}}  {:>10.1f}  {:>9.3f}", r.name + " (" + r.solver + ")", width, r.iterations,
                        r.milliseconds);
    if (&r != &rows.front())
      text += fmt::format("  {:>15.3f}  {:>6.3f} .. {:<6.3f}  {:>3}  {}", c.ratio, c.interval.low, c.interval.high,
                          c.wins, &r == &rows[1] ? "the noise floor" : to_string(r.verdict));
    if (r.failures) text += fmt::format(", {} solves not converged", r.failures);
    text += '\n';
  }
  return text + fmt::format("  differences below {:.1f} % are within the noise of the leader against itself\n",
                            100 * std::expm1(floor));
}

std::string table_csv(const std::vector<Row>& rows) {
  std::string text = "name,solver,systems,iterations,median_ms,ratio,low,high,won,sign_test_p,failures,verdict\n";
  for (const Row& r : rows) {
    const PairedComparison& c = r.with_leader;
    const bool leader = &r == &rows.front(), again = &r == &rows[1];
    text += fmt::format("{},{},{},{:.4g},{:.6g},", r.name, r.solver, c.pairs, r.iterations, r.milliseconds);
    text += leader ? ",,,,,"
                   : fmt::format("{:.5g},{:.5g},{:.5g},{},{:.3g},", c.ratio, c.interval.low, c.interval.high, c.wins,
                                 c.sign_test_p);
    text += fmt::format("{},{}\n", r.failures, leader ? "leader" : again ? "control" : to_string(r.verdict));
  }
  return text;
}

// The library that `solver` asks for and this build lacks; empty: none.
std::string absent_library(const Table& solver) {
  const std::string method = solver.get<std::string>("method", "");
  if (!is_peer(method)) return "";
  const std::string library = peer_name(method).library;
  const std::vector<std::string> there = peer_libraries();
  return std::find(there.begin(), there.end(), library) == there.end() ? library : "";
}

double median_ms(std::vector<double> seconds) {
  if (seconds.empty()) return 0;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return 1e3 * *middle;
}

}  // namespace

template <class Space>
ShadowStudy<Space>::ShadowStudy(const Table& config, const std::vector<std::string>& systems)
    : options_(config.table("shadow")) {
  contenders_ = options_.get<std::vector<std::string>>("solvers", std::vector<std::string>());
  every_ = options_.get<std::int64_t>("every", 10);
  if (every_ < 0) options_.fail("every", "'every' must be at least 0 (0: no shadow solves)");
  seed_ = static_cast<std::uint64_t>(options_.get<std::int64_t>("seed", 1));
  system_ = options_.get<std::string>("system", "");
  for (const auto& name : contenders_)
    if (!options_.is_table(name)) options_.fail("solvers", "there is no [shadow." + name + "] that says what it is");
  if (contenders_.empty()) return;
  std::erase_if(contenders_, [&](const std::string& name) {
    const std::string library = absent_library(options_.table(name));
    if (!library.empty()) left_out_.push_back(name + " is left out: this weir was built without " + library);
    return !library.empty();
  });
  std::string known;
  for (const auto& name : systems) known += (known.empty() ? "" : ", ") + name;
  if (std::find(systems.begin(), systems.end(), system_) == systems.end())
    options_.fail("system", (system_.empty() ? "'system' is missing" : "unknown system '" + system_ + "'") +
                                "; this run solves: " + known);
}

template <class Space>
void ShadowStudy<Space>::attach(const StudiedSystem<Space>& s) {
  if (contenders_.empty() || s.name != system_ || s.part > 0) return;
  KrylovOptions defaults;
  defaults.tolerance = s.default_tolerance;
  defaults.history = true;
  shadow_ = std::make_unique<Shadow<Space>>(seed_, [this](const ShadowRecord& record) { keep(record); });
  const auto make = [&s](const Table& options, const KrylovOptions& with) {
    return make_any_solver<Space>(options, s.default_method, s.default_preconditioner, with);
  };
  shadow_->add(leader_again, make(s.options, defaults));
  KrylovOptions of_leader = stopping_test_of(s.options, defaults);
  of_leader.history = true;
  for (const auto& name : contenders_) shadow_->add(name, make(options_.table(name), of_leader));
  if (every_ > 0) s.leader->watch(shadow_.get());
  leader_name_ = s.leader->name();
}

template <class Space>
void ShadowStudy<Space>::open(Run& run) {
  if (!shadow_ || every_ == 0) return;
  names_ = shadow_->names();
  solvers_ = shadow_->solvers();
  solvers_.insert(solvers_.begin(), leader_name_);
  series_.resize(names_.size());
  rows_ = LineFile(run.path("shadow.csv"), columns);
  curves_ = LineFile(run.path("shadow_curves.csv"), curve_columns);
  for (const std::string& message : left_out_) run.event("shadow", message);
}

template <class Space>
void ShadowStudy<Space>::begin_step(std::int64_t step) {
  if (shadow_ && every_ > 0) shadow_->begin_step(step, step % every_ == 0);
}

template <class Space>
void ShadowStudy<Space>::keep(const ShadowRecord& r) {
  const auto who = static_cast<std::size_t>(r.contender);
  series_[who].seconds.push_back(r.seconds());
  series_[who].iterations += r.result.iterations;
  series_[who].failures += !r.result.converged();
  if (r.contender > 0 && std::has_single_bit(series_[who].seconds.size())) keep_curve(r);
  rows_.add(fmt::format("{},{},{},{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{}", r.step, r.solve, system_, names_[who],
                        solvers_[who], r.place, r.result.iterations, to_string(r.result.reason), r.result.residual0,
                        r.residual, r.setup_seconds > 0 ? measure(r.setup_seconds) : "",
                        measure(r.result.solve_seconds), measure(r.result.apply_seconds),
                        measure(r.result.spmv_seconds), measure(r.result.reduce_seconds)));
}

// An iteration's moment: its part of the solve's time, set-up in front. A method that looks at its residual more or less often
// than once an iteration has its iterations spread over what it saw.
template <class Space>
void ShadowStudy<Space>::keep_curve(const ShadowRecord& r) {
  const std::size_t points = r.history.size();
  if (points < 2) return;
  const std::size_t stride = (points + curve_points - 1) / curve_points;
  const auto add = [&](std::size_t i) {
    const double part = static_cast<double>(i) / static_cast<double>(points - 1);
    curves_.add(fmt::format("{},{},{:.6g},{:.6g},{:.6g}", r.step, names_[static_cast<std::size_t>(r.contender)],
                            part * r.result.iterations, 1e3 * (r.setup_seconds + part * r.result.solve_seconds),
                            r.history[i]));
  };
  for (std::size_t i = 0; i + 1 < points; i += stride) add(i);
  add(points - 1);
}

// What was measured until then is of use.
template <class Space>
void ShadowStudy<Space>::failed(Run& run, const Outcome&) {
  finish(run);
}

template <class Space>
void ShadowStudy<Space>::finish(Run& run) {
  if (series_.empty() || series_.front().seconds.empty()) return;
  rows_.flush();
  curves_.flush();
  run.timings().at("study", "shadow solves") += shadow_->seconds();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const Series& s = series_[i];
    Row row{names_[i], solvers_[i], s.failures, 0, median_ms(s.seconds), {}, {}};
    row.iterations = static_cast<double>(s.iterations) / static_cast<double>(s.seconds.size());
    row.with_leader = compare_pairs(s.seconds, series_.front().seconds, seed_);
    rows.push_back(std::move(row));
  }
  const double floor = noise_floor_of(rows[1].with_leader);
  for (Row& row : rows) row.verdict = verdict_of(row.with_leader, floor);
  write_text_aside(run.path("shadow_summary.csv"), table_csv(rows));
  run.say_at_end(table_text(rows, system_, floor));
}

template class ShadowStudy<Host>;
template class ShadowStudy<Device>;

}  // namespace weir
