// The log of a run: header, one aligned line per step, progress on a terminal, time breakdown.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/foreign/optional_library.hpp"
#include "base/print.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/run.hpp"

namespace weir {
namespace {

constexpr int lines_between_headings = 50;
constexpr double progress_seconds = 0.5;
constexpr double least_share = 5e-4;  // of the loop; run.json contains smaller entries too

void line(const std::string& label, const std::string& text) { say("  {:<16} {}\n", label, text); }

std::string cell(const Measure& m, int width) {
  return m ? fmt::format("  {:>{}.4g}", *m, width) : fmt::format("  {:>{}}", "-", width);
}

int width_of(const std::string& column) { return std::max(10, static_cast<int>(column.size())); }

}  // namespace

void Run::print_header() const {
  say("Weir {}  {}{}\n", weir_version(), options_.name, title_.empty() ? "" : ": " + title_);
  if (!options_.build.commit.empty())
    line("build", fmt::format("commit {}, {}", options_.build.commit, options_.build.compiler));
  line("run directory", options_.directory);
  line("space", decision_);
  if (on_device_) line("device", device_text());
  line("processor", fmt::format("{}, {} thread{}", processor_name(), threads_, threads_ == 1 ? "" : "s"));
  if (ranks().size() > 1)
    line("ranks",
         fmt::format("{} ({}), reductions by {}", ranks().size(), mpi_library(), to_string(ranks().reduction())));
  line("grid", fmt::format("{}: {} cells, {} unknowns", header_.grid, header_.cells, header_.unknowns));
  if (header_.memory_estimate > 0) line("memory", bytes_text(header_.memory_estimate) + " estimated");
  for (const auto& [system, description] : header_.systems) line(system, description);
  for (const auto& [label, text] : header_.notes) line(label, text);
  std::string ends = header_.end_time > 0 ? fmt::format("at time {:g}", header_.end_time) : "";
  const auto add = [&ends](const std::string& end) { ends += (ends.empty() ? "" : ", or ") + end; };
  if (header_.tolerance > 0) add(fmt::format("when {} < {:g}", header_.converged, header_.tolerance));
  if (const std::int64_t last = last_step(); last > 0) add(fmt::format("after step {}", last));
  if (options_.wall_limit >= 0) add(fmt::format("after {} of wall time", duration_text(options_.wall_limit)));
  if (!ends.empty()) line("stops", ends);
  if (header_.has_checkpoints)
    line("checkpoints", !checkpoints_available() ? "none: " + lacks("HDF5")
                        : checkpoint_every_ > 0  ? fmt::format("every {} steps, last {} kept", checkpoint_every_, keep_)
                                                 : "at the end");
  if (!header_.history.empty()) line("field output", fields_);
  if (deterministic_) line("deterministic", "yes");
}

void Run::print_columns() const {
  std::string text = fmt::format("\n{:>8}  {:>11}  {:>10}  {:>7}", "step", "time", "dt", "cfl");
  for (const auto& c : header_.history) text += fmt::format("  {:>{}}", c, width_of(c));
  for (const auto& [system, description] : header_.systems)
    text += fmt::format("  {:>{}}", system + " it", system.size() + 3);
  say("{}  {:>9}  {:>8}\n", text, "ms/step", "ETA");
  std::fflush(stdout);
}

// --steps or the case's own limit, whichever comes first; 0: none.
std::int64_t Run::last_step() const {
  if (options_.steps < 0) return header_.last_step;
  return header_.last_step > 0 ? std::min(options_.steps, header_.last_step) : options_.steps;
}

double Run::share_done(const StepRecord& r) const {
  double done = 0;
  if (header_.end_time > first_time_) done = (r.time - first_time_) / (header_.end_time - first_time_);
  if (const std::int64_t last = last_step(); last > first_step_)
    done = std::max(done, static_cast<double>(r.step - first_step_) / static_cast<double>(last - first_step_));
  return std::max(done, 0.0);
}

// "<": an upper limit, since the run stops once it has converged.
std::string Run::time_left(const StepRecord& r) const {
  const double done = share_done(r);
  const double left = done > 0 ? (seconds_now() - loop_start_) * (1 / done - 1) : 0;
  if (left < 0.05) return "-";  // unknown, or less than duration_text shows
  return (header_.tolerance > 0 ? "<" : "") + duration_text(left);
}

// Without log_every: the first ten steps, every tenth up to 100, then every 100th. A log that is not a terminal, and
// therefore shows no progress, also gets a line every log_seconds.
bool Run::is_line_due(const StepRecord& r) const {
  const std::int64_t steps = r.step - first_step_;
  const std::int64_t every = log_every_ > 0 ? log_every_ : steps <= 10 ? 1 : steps <= 100 ? 10 : 100;
  if (r.step % every == 0 || steps == 1) return true;
  return log_seconds_ > 0 && !isatty(STDOUT_FILENO) && seconds_now() - last_line_ >= log_seconds_;
}

void Run::print_step(const StepRecord& r) {
  clear_progress();
  if (++lines_ % lines_between_headings == 0) print_columns();
  std::string text = fmt::format("{:>8}  {:>11.5g}  {:>10.4g}{}", r.step, r.time, r.dt, cell(r.cfl, 7));
  for (std::size_t i = 0; i < header_.history.size(); ++i)
    text += cell(i < r.values.size() ? r.values[i] : Measure{}, width_of(header_.history[i]));
  for (const auto& [system, description] : header_.systems)
    text += fmt::format("  {:>{}}", totals_[system].this_step, system.size() + 3);
  const double now = seconds_now();
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, r.step - last_line_step_));
  say("{}  {:>9.4g}  {:>8}\n", text, 1e3 * (now - last_line_) / steps, time_left(r));
  std::fflush(stdout);
  last_line_ = last_progress_ = now;
  last_line_step_ = r.step;
}

void Run::show_progress(const StepRecord& r) {
  const double now = seconds_now();
  if (now - last_progress_ < progress_seconds || !isatty(STDERR_FILENO)) return;
  say(stderr, "\r\033[Kstep {}, time {:.5g}, ETA {}", r.step, r.time, time_left(r));
  std::fflush(stderr);
  last_progress_ = now;
  progress_shown_ = true;
}

void Run::clear_progress() {
  if (!progress_shown_) return;
  say(stderr, "\r\033[K");
  std::fflush(stderr);
  progress_shown_ = false;
}

void Run::print_end(const Ending& ending, const Outcome& outcome) const {
  say("\n{}: {}\n", ending.status, ending.reason);
  for (const auto& [name, value] : outcome.quantities) say("  {:<31} {:>14.8g}\n", name, value);
  if (outcome.state_hash != 0) say("  {:<31} {:016x}\n", "state_hash", outcome.state_hash);
}

void Run::print_timings() const {
  const double loop = loop_seconds();
  auto row = [loop](const std::string& system, const std::string& kernel, double s) {
    say("  {:<16} {:<19} {:>12.4f} {:>7.1f}\n", system, kernel, s, loop > 0 ? 100 * s / loop : 0);
  };
  say("\n  {:<36} {:>12} {:>7}\n", "time breakdown", "seconds", "%");
  for (const auto& [system, kernels] : timings_.all()) {
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [kernel, s] : kernels) sorted.emplace_back(s, kernel);
    std::sort(sorted.rbegin(), sorted.rend());
    for (const auto& [s, kernel] : sorted)
      if (s > least_share * loop) row(system, kernel, s);
  }
  row("unaccounted", "", std::max(0.0, loop - timings_.total()));
  row("time loop", "", loop);
  for (const auto& [system, t] : totals_) {
    if (t.solves == 0) continue;
    say("  {:<16} {} solves with {}, {:.1f} iterations on average, at most {}{}\n", system, t.solves, t.solver,
        static_cast<double>(t.iterations) / static_cast<double>(t.solves), t.most,
        t.failures > 0 ? fmt::format(", {} not converged", t.failures) : "");
  }
  const auto steps = static_cast<double>(last_.step - first_step_);
  line("peak memory", bytes_text(peak_memory()));
  if (const double flow = flow_seconds(); steps > 0 && flow > 0)
    say("  FOM: {:.4g} million cell steps per second ({:.4g} ms per step{})\n",
        1e-6 * static_cast<double>(header_.cells) * steps / flow, 1e3 * flow / steps,
        flow < loop ? ", without instrumentation" : "");
  std::fflush(stdout);
}

void Run::event(const std::string& kind, const std::string& message) {
  if (diverted_) {
    diverted_->rejected += kind == "rejected";
    return;
  }
  // One JSON object per line. The step comes first, so that a restart can truncate the file.
  using Json = nlohmann::json;
  const std::string quoted = Json(message).dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::int64_t step = std::max(step_, last_.step);
  const auto add = [&] {
    if (!events_) return;  // the first files of the run could not be written
    events_->add(fmt::format(R"({{"step":{},"time":{},"wall":{:.6f},"kind":"{}","message":{}}})", step, last_.time,
                             wall(), kind, quoted));
    events_->flush();
  };
  speaks_alone_ ? add() : on_root(add);
  if (kind == "begin" || kind == "finished" || kind == "stopped") return;  // the log has other lines for these
  clear_progress();
  say("{:>8}  {}: {}\n", step, kind, message);
  std::fflush(stdout);
}

}  // namespace weir
