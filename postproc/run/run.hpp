// A run: its directory, records, log, clock, checkpoints and end. A time loop uses it as follows:
//
//   int run_my_flow(Run& run, const Table& config) {
//     run.require_memory(estimate);
//     ... read every option of `config`; build grid, solvers and state in the space that run.on_device() names ...
//     if (const Checkpoint* from = run.restart()) load(*from, state);
//     if (done) if (const auto code = run.nothing_left()) return *code;   // the run had ended before
//     run.begin(header);                 // refuses unknown keys, makes the directory, prints the header
//     while (!done && !run.should_stop()) {
//       ... one step; run.solve(record) after each linear solve; ScopedTimer t(run.timings().at("momentum", "rhs")) ...
//       run.step(record);
//       if (done) run.reached("end time");
//       if (run.checkpoint_due()) run.checkpoint(state);   // also before a signal, a limit or --steps ends the loop
//     }
//     if (run.checkpoint_due()) run.checkpoint(state);     // of a loop that did not begin
//     return run.finish(outcome);
//   }
#pragma once
#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/key_table.hpp"
#include "base/table.hpp"
#include "base/timer.hpp"
#include "postproc/run/checkpoint.hpp"
#include "postproc/run/directory/run_directory.hpp"
#include "postproc/run/provenance.hpp"
#include "postproc/run/records.hpp"
#include "postproc/run/stop.hpp"
#include "postproc/run/timings.hpp"
#include "solvers/parallel/adaptive_threads.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// Options of the command line that do not belong to the case. Those that do (--space, --threads, --deterministic,
// --seed) are overrides of [device], so that the effective configuration contains them.
struct RunOptions {
  std::string name;       // of the case: the file's name without folder and .toml
  std::string directory;  // of the run
  bool overwrite = false;
  std::int64_t steps = -1;  // stop after this step, counted from the very start; -1: no limit
  double wall_limit = -1;   // seconds of this process; -1: as [time] wall_limit says
  std::optional<Checkpoint> restart;
  std::shared_ptr<Communicator> ranks;  // null: one rank
  Build build = {};                     // of the program
  std::string command_line;
  std::vector<std::string> changed = {};  // by this restart: "flow.viscosity = 0.02 (was 0.01)"
};

// Description of a run by the flow code, after the set-up and before the first step.
struct RunHeader {
  std::string miniapp, grid;  // "incompressible", "128 x 128, tanh 2"
  std::int64_t cells = 0, unknowns = 0;
  std::int64_t memory_estimate = 0;     // bytes
  double end_time = 0;                  // 0: none
  std::int64_t last_step = 0;           // 0: no limit
  std::string converged;                // the quantity that ends the run once it is below ...
  double tolerance = 0;                 // ... this; 0: none does
  std::vector<std::string> history;     // columns between cfl and wall: residual norms, forces, divergence
  std::vector<std::string> quantities;  // names of the outcome's quantities, for [check]
  std::vector<std::pair<std::string, std::string>> systems;  // name and description of the solver
  std::vector<std::string> warnings;                         // about the physics
  std::vector<std::pair<std::string, std::string>> notes;    // any other aligned line: label, text
  bool has_checkpoints = true;                               // false: it cannot be restarted
};

// How a time loop ended.
struct Outcome {
  Exit exit = Exit::finished;  // finished, solver_failed or not_finite; the run itself knows signals and limits
  std::string reason;          // "end time", "steady state", "pressure: max_iterations at step 12"
  std::string limit;           // key of the limit that the run failed at ("pseudo_time.max_steps")
  std::map<std::string, double> quantities;
  std::uint64_t state_hash = 0;  // of the bytes of the final flow state
};

// Records of steps that do not belong to the run itself, such as those of a branch.
struct Diverted {
  std::int64_t solves = 0, iterations = 0, unconverged = 0, rejected = 0;
  Timings timings;
  void add(const SolveRecord& r) {
    ++solves;
    iterations += r.iterations;
    unconverged += r.reason != "converged";
  }
};

std::vector<KeyTable> run_keys();  // the keys that Run reads

class Run {
 public:
  Run(RunOptions options, Table config);
  ~Run();

  // Read from [device] at construction.
  bool on_device() const { return on_device_; }
  int threads() const { return threads_; }
  bool is_deterministic() const { return deterministic_; }
  // Rank 0 alone writes and prints. The other ranks call the same functions, which only synchronise there.
  Communicator& ranks() const { return *options_.ranks; }
  const Checkpoint* restart() const { return options_.restart ? &*options_.restart : nullptr; }

  // Called before anything large is allocated: throws Error(Exit::out_of_memory) if the machine has less.
  void require_memory(std::int64_t bytes) const;

  // Whether a restarted run was already steady to this tolerance.
  bool was_steady(double tolerance) const;
  // For a restart without a remaining step: if the run directory records that end, prints it, changes nothing and
  // returns the recorded exit code. Empty for a run that may be continued with another case or in another directory.
  std::optional<int> nothing_left() const;

  void begin(RunHeader header);
  std::string path(const std::string& name) const;  // of a file in the run directory, after begin

  void solve(const SolveRecord& record);
  void step(const StepRecord& record);
  // Another file of lines, on rank 0, after begin. It is synced before each checkpoint and lives as long as the run.
  LineFile& record(const std::string& name, const std::string& header);
  // A line of events.jsonl and of the log; kind: one word ("warning", "picture", "steady").
  void event(const std::string& kind, const std::string& message);
  // From here on steps, solves, events and times go to `to` and nowhere else; null: to the run again.
  void divert(Diverted* to) { diverted_ = to; }
  std::int64_t iterations(const std::string& system) const;  // linear, of the run's own solves since it began
  void begin_step(std::int64_t step) { step_ = step; }       // events belong to this step from here on

  // Completed fraction of the steps or of the time; 0: unknown, since the run stops once it has converged.
  double share_done() const { return header_.tolerance > 0 ? 0 : share_done(last_); }
  // Whether any rank has met a signal, the wall limit or --steps. Collective. Throws the error that on_root has kept.
  bool should_stop() const;
  // Records why the time loop has ended. The last checkpoint contains the reason, for a restart.
  void reached(const std::string& end) { reached_ = end; }
  const std::string& end_reached() const { return reached_; }
  // After a step: whether [checkpoint] every, should_stop() or the end of the loop requires a checkpoint.
  bool checkpoint_due() const;
  void checkpoint(CheckpointState state);
  // Polled by solvers in each iteration on all ranks: true half a second after a signal or the wall limit.
  bool must_abandon_step() const;
  void abandon_step();  // writes a checkpoint of the kept state
  // Before a step: copies the state for abandon_step. Copies take at most 1 % of the time, so that short steps have
  // none.
  template <class StateOf>
  void keep_if_due(const StateOf& state_of) {
    if (!is_copy_due_ || last_.step == last_checkpoint_step_) return;
    ScopedTimer timer(timings_.at("output", "checkpoints"));
    const double begin = loop_seconds();
    kept_state_ = state_of();
    kept_state_->own();
    copy_due_at_ = loop_seconds() + std::max(0.5, 100 * (loop_seconds() - begin));
  }

  void say_at_end(const std::string& text) { closing_ += text; }  // printed between the quantities and the times
  void add_to_summary(const std::string& name, std::string json) { blocks_[name] = std::move(json); }  // run.json

  // f() on rank 0, which writes a file. With several ranks an error is kept until all ranks meet next, in should_stop
  // or finish, and all throw it there, so that no rank waits in the middle of a step.
  template <class F>
  void on_root(const F& f) {
    if (!writes()) return;
    if (ranks().size() == 1) return f();
    try {
      f();
    } catch (...) {
      if (!kept_) kept_ = met_now();
    }
  }
  bool all_ranks_end() const { return all_end_; }  // by an error that was kept

  double loop_seconds() const;  // since begin

  Timings& timings() { return diverted_ ? diverted_->timings : timings_; }

  // Evaluates [check], prints where the time went, writes run.json; the process's exit code.
  int finish(const Outcome& outcome);
  // After an error: the same as far as possible. A rank that has met the error alone, while the others wait for it,
  // writes the records in place of rank 0.
  int fail(Exit code, const std::string& reason) noexcept;
  void fail_alone(Exit code, const std::string& reason) noexcept;

  bool wants_report() const { return report_; }
  const std::string& name() const { return options_.name; }  // of the case
  const std::string& directory() const { return options_.directory; }
  bool has_begun() const { return begun_; }

 private:
  struct Check {
    std::string quantity;
    double value, tolerance;
  };
  struct SystemTotals {
    std::string solver;
    std::int64_t solves = 0, iterations = 0, failures = 0;
    std::int64_t last_step = -1;
    int most = 0, this_step = 0;  // iterations: of one solve, of last_step
  };
  struct Ending {
    int code;
    std::string status, reason;
  };

  void read_options();
  void decide_space();
  void read_checks();
  bool writes() const { return ranks().is_root() || speaks_alone_; }
  void throw_what_is_kept() const;
  void write_solves();
  bool continues_in_place() const;
  void open_directory();
  void tell_of_restart();
  Ending ending_of(const Outcome& outcome) const;
  bool checks_hold(const Outcome& outcome) const;
  std::string summary(const Ending& ending, const Outcome& outcome) const;  // run.json
  void write_summary(const Ending& ending, const Outcome& outcome) const;
  void leave_last_words() const;  // prepares run.json for the case that the process ends within a plugin
  double wall() const;            // seconds of the run, those before a restart included
  double process_seconds() const;
  double flow_seconds() const;  // of the loop without the studies of solvers

  // run_log.cpp
  void print_header() const;
  void print_columns() const;
  void print_step(const StepRecord& record);
  void show_progress(const StepRecord& record);
  void clear_progress();
  std::int64_t last_step() const;
  double share_done(const StepRecord& record) const;
  std::string time_left(const StepRecord& record) const;
  bool is_line_due(const StepRecord& record) const;
  void print_timings() const;
  void print_end(const Ending& ending, const Outcome& outcome) const;

  RunOptions options_;
  Table config_;
  RunHeader header_;
  std::string config_text_, decision_, title_, fields_, closing_, date_;
  bool on_device_ = false, deterministic_ = false, report_ = true, begun_ = false;
  int threads_ = 1, keep_ = 2;
  std::optional<AdaptiveThreads> adaptive_threads_;
  std::int64_t seed_ = 0, log_every_ = 0, checkpoint_every_ = 0;
  double log_seconds_ = 10;
  std::vector<Check> checks_;

  MetError kept_;  // of rank 0, by on_root
  std::optional<CheckpointState> kept_state_;
  double copy_due_at_ = 0;  // loop_seconds
  mutable bool is_copy_due_ = false;
  mutable double signal_seen_at_ = -1;  // process_seconds, in a solve
  mutable int asked_ = 0;
  mutable bool all_end_ = false;
  bool speaks_alone_ = false;  // this rank instead of rank 0

  StopSignals signals_;
  mutable int stop_signal_ = 0;  // that any rank has caught
  std::unique_ptr<RunDirectory> directory_;
  std::list<LineFile> records_;
  std::vector<std::pair<std::int64_t, std::string>> rows_of_step_;  // of solves.csv, by step, until the step is whole
  LineFile *history_ = nullptr, *solves_ = nullptr, *events_ = nullptr;
  Timings timings_;
  Diverted* diverted_ = nullptr;
  std::map<std::string, std::string> blocks_;  // of run.json
  std::map<std::string, SystemTotals> totals_;
  StepRecord last_;
  std::int64_t first_step_ = 0, last_checkpoint_step_ = -1, step_ = 0;
  double first_time_ = 0, start_ = 0, loop_start_ = 0, wall_before_ = 0;
  double last_line_ = 0, last_progress_ = 0;
  std::int64_t last_line_step_ = 0;
  std::string last_checkpoint_, last_checkpoint_end_, reached_;
  bool progress_shown_ = false;
  int lines_ = 0;
};

}  // namespace weir
