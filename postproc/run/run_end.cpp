// The end of a run: exit code and reason, [check], the last records.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/colour.hpp"
#include "base/print.hpp"
#include "postproc/run/run.hpp"

namespace weir {

Run::Ending Run::ending_of(const Outcome& outcome) const {
  const std::string after = fmt::format(" after step {}", last_.step);
  const std::string kept = last_checkpoint_.empty() ? "; no checkpoint written" : "; checkpoint " + last_checkpoint_;
  if (outcome.exit != Exit::finished) return {static_cast<int>(outcome.exit), "failed", outcome.reason + kept};
  if (!outcome.reason.empty()) return {0, "finished", outcome.reason};
  if (const int signal = stop_signal_)
    return {128 + signal, "stopped", fmt::format("signal {} ({})", signal, strsignal(signal)) + after + kept};
  if (options_.steps >= 0 && last_.step >= options_.steps) return {0, "stopped", "--steps" + after + kept};
  return {static_cast<int>(Exit::wall_limit), "stopped", "wall limit" + after + kept};
}

int Run::finish(const Outcome& outcome) {
  write_solves();
  throw_what_is_kept();
  Ending ending = ending_of(outcome);
  clear_progress();
  if (last_line_step_ != last_.step) print_step(last_);
  print_end(ending, outcome);
  put(stdout, closing_);
  if (ending.status == "finished" && !checks_hold(outcome)) {
    ending.code = static_cast<int>(Exit::check_failed);
    ending.reason += "; [check] out of tolerance";
  }
  if (ending.status == "stopped" && !checks_.empty()) say("  checks skipped: the run was stopped before its end\n");
  print_timings();
  event(ending.status, ending.reason);
  on_root([&] {
    for (LineFile& lines : records_) lines.sync();
    directory_->sync();
  });
  write_summary(ending, outcome);
  if (kept_) throw Error(kept_.code, kept_.words);  // met since then: rank 0 ends the job
  signals_.release();
  ranks().broadcast(&ending.code, sizeof ending.code, 0);  // only rank 0 has the quantities
  return ending.code;
}

int Run::fail(Exit code, const std::string& reason) noexcept {
  const int number = static_cast<int>(code);
  if (!begun_) return number;
  try {
    clear_progress();
    write_solves();
  } catch (const std::exception&) {  // a full disk; run.json has space
  }
  try {
    put(stdout, closing_);
    const std::string kept = last_checkpoint_.empty() ? "" : "; the last checkpoint is " + last_checkpoint_;
    write_summary({number, "failed", reason + kept}, {});
    event("failed", reason + kept);
  } catch (const std::exception&) {
    // The disk that caused the failure may refuse this as well; the caller prints the reason in any case.
  }
  return number;
}

void Run::fail_alone(Exit code, const std::string& reason) noexcept {
  if (!begun_ || ranks().is_root()) return;
  try {
    speaks_alone_ = true;
    events_ = &record("events.jsonl", "");
    fail(code, reason);
  } catch (const std::exception&) {  // as in fail
  }
}

bool Run::checks_hold(const Outcome& outcome) const {
  bool hold = true;
  for (const auto& c : checks_) {
    const auto found = outcome.quantities.find(c.quantity);
    const bool known = found != outcome.quantities.end();
    const bool pass = known && std::abs(found->second - c.value) <= c.tolerance;
    say("  check  {:<24} {:>14}  (expected {} +- {})  {}\n", c.quantity,
        known ? fmt::format("{:.8g}", found->second) : "missing", c.value, c.tolerance,
        coloured(pass ? "PASS" : "FAIL", pass ? Colour::green : Colour::red, stdout));
    hold = hold && pass;
  }
  return hold;
}

}  // namespace weir
