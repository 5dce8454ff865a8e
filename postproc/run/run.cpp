#include "postproc/run/run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <filesystem>

#include "base/foreign/foreign_call.hpp"
#include "base/foreign/optional_library.hpp"
#include "base/nearest.hpp"
#include "postproc/fields/field_schedule.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr Option case_keys[] = {
    {"miniapp", Option::text, Option::required, "flow solver of the case", "incompressible | compressible | immersed"},
    {"title", Option::text, "", "title of the case in the log and the report"}};
constexpr Option device_keys[] = {
    {"space", Option::text, "auto",
     "memory space and processor of the computation; auto: the device if this is a GPU build and a GPU is found, else "
     "the host",
     "auto | host | device"},
    {"threads", Option::integer, "0",
     "number of host threads; 0: one per core, fewer while other programs use the cores", "[0, inf)"},
    {"deterministic", Option::boolean, "false",
     "switch for results that are bitwise equal for any number of threads; methods without this property are rejected"},
    {"seed", Option::integer, "0", "seed of all random numbers of the run"}};
constexpr Option output_keys[] = {
    {"log_every", Option::integer, "0",
     "number of steps between two log lines; 0: one line per step up to step 10, per 10 steps up to 100, per 100 steps "
     "after that",
     "[0, inf)", "steps"},
    {"log_seconds", Option::number, "10", "longest time between two lines of a log that is not a terminal; 0: no limit",
     "[0, inf)", "s"},
    {"report", Option::boolean, "true", "switch for writing report.html at the end of the run"}};
constexpr Option checkpoint_keys[] = {
    {"every", Option::integer, "0", "number of steps between two checkpoints; 0: only at the end of the run",
     "[0, inf)", "steps"},
    {"keep", Option::integer, "2", "number of checkpoints that are kept; older ones are deleted", "[1, inf)"}};
constexpr Option time_keys[] = {
    {"wall_limit", Option::number, "0",
     "wall-clock limit of this process, at which it writes a checkpoint and exits with code 9; 0: no limit", "[0, inf)",
     "s"}};
constexpr Option check_keys[] = {
    {"value", Option::number, Option::required, "expected value of the quantity at the end of the run"},
    {"tolerance", Option::number, Option::required,
     "largest accepted difference |quantity - value|; if it is exceeded, the exit code is 5", "[0, inf)"}};

}  // namespace

std::vector<KeyTable> run_keys() {
  return {{"case", "", case_keys},
          {"device", "", device_keys},
          {"time", "", time_keys},
          {"output", "", output_keys},
          {"output", "", field_schedule_options()},
          {"checkpoint", "", checkpoint_keys},
          {"check.QUANTITY", "", check_keys}};
}

Run::Run(RunOptions options, Table config) : options_(std::move(options)), config_(std::move(config)) {
  start_ = loop_start_ = seconds_now();
  date_ = date_text();
  if (!options_.ranks) options_.ranks = std::make_shared<Communicator>();
  read_options();
  decide_space();
  if (const Checkpoint* from = restart()) {
    first_step_ = last_.step = from->header.step;
    first_time_ = last_.time = from->header.time;
    wall_before_ = from->header.wall_seconds;
    last_checkpoint_ = from->path;
    if (!continues_in_place()) return;  // another directory gets its own checkpoints
    last_checkpoint_step_ = from->header.step;
    last_checkpoint_end_ = from->header.end;
  }
}

Run::~Run() = default;

void Run::read_options() {
  const Table device = config_.table("device").described_by(device_keys),
              output = config_.table("output").described_by(output_keys),
              checkpoint = config_.table("checkpoint").described_by(checkpoint_keys);
  title_ = config_.table("case").described_by(case_keys).get<std::string>("title");
  config_.table("case").get<std::string>("miniapp");
  threads_ = device.get<int>("threads");
  deterministic_ = device.get<bool>("deterministic");
  const bool adapts = threads_ == 0 && !deterministic_ && !std::getenv("OMP_NUM_THREADS");
  if (threads_ > most_threads())
    device.fail("threads",
                fmt::format("{} threads are requested, but this machine allows at most {}", threads_, most_threads()));
  if (threads_ == 0) threads_ = std::max(1, omp_get_max_threads() / ranks().ranks_on_this_machine());
  if (adapts) adaptive_threads_.emplace(threads_, seconds_now());
  omp_set_num_threads(threads_);
  seed_ = device.get<std::int64_t>("seed");
  // Only the schedule of the emulated device is random so far; it reads its options from the environment at its first
  // launch.
  if (device.has("seed")) setenv("WEIR_SIMT_SEED", std::to_string(seed_).c_str(), 1);
  log_every_ = output.get<std::int64_t>("log_every");
  log_seconds_ = output.get<double>("log_seconds");
  report_ = output.get<bool>("report");
  fields_ = FieldSchedule(output).text();
  checkpoint_every_ = checkpoint.get<std::int64_t>("every");
  if (checkpoint_every_ > 0 && !checkpoints_available())
    checkpoint.fail("every", "checkpoints need HDF5: " + lacks("HDF5"));
  keep_ = checkpoint.get<int>("keep");
  const auto limit = config_.table("time").described_by(time_keys).get<double>("wall_limit");
  if (options_.wall_limit < 0) options_.wall_limit = limit > 0 ? limit : -1;
  // A run that is able to stop has stopped a second after the limit.
  ForeignCall::must_end_after(options_.wall_limit < 0 ? -1 : options_.wall_limit + 1);
  read_checks();
}

void Run::read_checks() {
  const Table check = config_.table("check");
  for (const auto& quantity : check.keys()) {
    const Table c = check.table(quantity).described_by(check_keys);
    checks_.push_back({quantity, c.get<double>("value"), c.get<double>("tolerance")});
  }
}

void Run::decide_space() {
  const Table device = config_.table("device").described_by(device_keys);
  const auto space = device.get<std::string>("space");
  if (space == "host") {
    decision_ = "host (requested)";
  } else if (space == "device") {
    if (!has_device())
      throw Error(Exit::no_device, device.where("space") + ": space = \"device\", but " + why_no_gpu());
    on_device_ = true;
    decision_ = "device (requested)";
  } else if (!has_gpu_backend()) {
    decision_ = "host: CPU build (no GPU backend)";
  } else {
    on_device_ = is_gpu_present();
    decision_ = on_device_ ? "device: GPU found" : "host: CUDA build, but " + why_no_gpu();
  }
}

void Run::require_memory(std::int64_t bytes) const {
  const std::int64_t free = on_device_ ? free_device_memory() : free_memory();
  if (bytes <= free) return;
  throw Error(
      Exit::out_of_memory,
      fmt::format("this case needs about {}, but only {} are free{}; use fewer cells or a larger {}", bytes_text(bytes),
                  bytes_text(free), on_device_ ? " on the device" : "", on_device_ ? "GPU" : "machine"));
}

double Run::process_seconds() const { return seconds_now() - start_; }
double Run::loop_seconds() const { return seconds_now() - loop_start_; }
double Run::flow_seconds() const {
  double seconds = loop_seconds();
  if (const auto own = timings_.all().find("instrumentation"); own != timings_.all().end())
    for (const auto& [part, s] : own->second) seconds -= s;
  return seconds;
}
double Run::wall() const { return wall_before_ + process_seconds(); }

std::string Run::path(const std::string& name) const { return (fs::path(options_.directory) / name).string(); }

bool Run::continues_in_place() const {
  if (!restart()) return false;
  std::error_code error;
  return fs::equivalent(fs::path(restart()->path).parent_path().parent_path(), options_.directory, error) && !error;
}

void Run::open_directory() {
  if (continues_in_place())
    directory_ = std::make_unique<RunDirectory>(options_.directory, RunDirectory::Continued{first_step_});
  else
    directory_ = std::make_unique<RunDirectory>(options_.directory, RunDirectory::New{options_.overwrite});
}

LineFile& Run::record(const std::string& name, const std::string& header) {
  return records_.emplace_back(path(name), header);
}

void Run::tell_of_restart() {
  event(restart() ? "restart" : "begin", restart() ? "continues from " + restart()->path : "begins");
  for (const std::string& change : options_.changed) event("changed", change);
  if (!directory_) return;
  if (!directory_->superseded().empty())
    event("superseded",
          fmt::format("results of steps after {} were moved to {}", first_step_, path(directory_->superseded())));
  if (!directory_->without_lock().empty()) event("warning", directory_->without_lock());
}

void Run::begin(RunHeader header) {
  header_ = std::move(header);
  for (const auto& c : checks_)
    if (!header_.quantities.empty() && std::ranges::find(header_.quantities, c.quantity) == header_.quantities.end())
      config_.table("check").fail(
          c.quantity, "unknown quantity '" + c.quantity + "'" + did_you_mean(c.quantity, header_.quantities));
  if (writes()) config_.refuse_unknown();  // rank 0 reads every key; some that only it needs, such as those of a mesh
  if (const Checkpoint* from = restart(); from && from->header.miniapp != header_.miniapp)
    throw Error(Exit::usage,
                from->path + ": is a checkpoint of '" + from->header.miniapp + "', not of '" + header_.miniapp + "'");
  config_text_ = config_.effective();
  for (const auto& [system, description] : header_.systems) totals_[system];
  if (writes()) open_directory();
  ranks().barrier();  // the directory is there
  begun_ = true;
  if (writes()) {
    write_text_aside(path("config.effective.toml"), config_text_);
    history_ = &record("history.csv", history_header(header_.history));
    solves_ = &record("solves.csv", solves_header());
    events_ = &record("events.jsonl", "");
  }
  write_summary({0, "running", ""}, {});
  leave_last_words();
  print_header();
  tell_of_restart();
  for (const std::string& warning : header_.warnings) event("warning", warning);
  print_columns();
  signals_.catch_them();
  loop_start_ = last_line_ = seconds_now();
  last_line_step_ = first_step_;
}

std::int64_t Run::iterations(const std::string& system) const {
  const auto found = totals_.find(system);
  return found == totals_.end() ? 0 : found->second.iterations;
}

void Run::solve(const SolveRecord& r) {
  if (diverted_) return diverted_->add(r);
  ScopedTimer timer(timings_.at("output", "records"));
  if (ranks().is_root()) rows_of_step_.emplace_back(r.step, solves_row(r));
  SystemTotals& t = totals_[r.system];
  if (t.last_step != r.step) t.this_step = 0;
  t.last_step = r.step;
  t.solver = r.solver;
  ++t.solves;
  t.iterations += r.iterations;
  t.failures += r.reason != "converged";
  t.most = std::max(t.most, r.iterations);
  t.this_step += r.iterations;
  double rest = r.solve_ms.value_or(0);
  auto add = [&](const char* kernel, const Measure& ms) {
    if (!ms) return;
    timings_.at(r.system, kernel) += 1e-3 * *ms;
    rest -= *ms;
  };
  add("apply", r.apply_ms);
  add("spmv", r.spmv_ms);
  add("reduce", r.reduce_ms);
  add("halo", r.halo_ms);
  if (r.solve_ms) timings_.at(r.system, "rest of solve") += 1e-3 * std::max(rest, 0.0);
  if (r.setup_ms) timings_.at(r.system, "setup") += 1e-3 * *r.setup_ms;
}

void Run::write_solves() {
  on_root([&] {
    for (const auto& [step, row] : std::exchange(rows_of_step_, {})) solves_->add(row);
  });
}

void Run::step(const StepRecord& record) {
  if (diverted_) return;
  ScopedTimer timer(timings_.at("output", "records"));
  write_solves();
  last_ = record;
  if (const double now = seconds_now(); adaptive_threads_ && adaptive_threads_->is_due(now))
    omp_set_num_threads(adaptive_threads_->next(now, seconds_without_core()));
  on_root([&] { history_->add(history_row(record, wall())); });
  if (is_line_due(record))
    print_step(record);
  else
    show_progress(record);
}

bool Run::must_abandon_step() const {
  constexpr double patience = 0.5;  // seconds; mpirun kills a second after a SIGTERM
  constexpr int calls_a_message = 16;
  if (ranks().size() > 1 && ++asked_ % calls_a_message != 0) return false;
  const bool is_signalled = StopSignals::caught() != 0;
  if (is_signalled && signal_seen_at_ < 0) signal_seen_at_ = process_seconds();
  return ranks().any((is_signalled && process_seconds() >= signal_seen_at_ + patience) ||
                     (options_.wall_limit >= 0 && process_seconds() >= options_.wall_limit + patience));
}

void Run::abandon_step() {
  step_ = last_.step;  // events from here on belong to the last whole step
  std::erase_if(rows_of_step_, [&](const auto& row) { return row.first > last_.step; });
  event("abandoned", "step " + std::to_string(last_.step + 1) + ": stopped before its end");
  should_stop();  // distributes the signal to all ranks
  if (kept_state_ && kept_state_->step > last_checkpoint_step_) checkpoint(std::move(*kept_state_));
}

bool Run::should_stop() const {
  constexpr double error = 1e6, copy = 0.5;  // error: above any signal's number; copy: below every reason to stop
  const bool limit = (options_.steps >= 0 && last_.step >= options_.steps) ||
                     (options_.wall_limit >= 0 && process_seconds() >= options_.wall_limit);
  const int signal = std::max(stop_signal_, StopSignals::caught());
  const bool copy_is_due = checkpoints_available() && loop_seconds() >= copy_due_at_;
  // One reduction for all four questions.
  const double most = ranks().max(kept_ ? error : signal ? 1 + signal : limit ? 1 : copy_is_due ? copy : 0);
  if (most >= error) throw_what_is_kept();
  if (most > 1) stop_signal_ = static_cast<int>(most) - 1;
  is_copy_due_ = most == copy;
  return most >= 1;
}

void Run::throw_what_is_kept() const {
  all_end_ = ranks().any(bool(kept_));
  if (all_end_) agree(ranks(), kept_);
}

bool Run::checkpoint_due() const {
  if (!checkpoints_available()) return false;
  if (last_.step == last_checkpoint_step_ && reached_ == last_checkpoint_end_) return false;
  if (!reached_.empty()) return true;
  if (checkpoint_every_ > 0 && last_.step > first_step_ && last_.step % checkpoint_every_ == 0) return true;
  return should_stop();
}

// The records first, so that every checkpoint has the records of the steps before it.
void Run::checkpoint(CheckpointState state) {
  ScopedTimer timer(timings_.at("output", "checkpoints"));
  const std::string file = path("checkpoints/" + checkpoint_name(state.step));
  const CheckpointHeader header{options_.name, header_.miniapp, config_.given(), weir_version(),   state.step,
                                state.time,    wall(),          reached_,        header_.tolerance};
  bool written = true;
  write_solves();
  const RootReads reads = state.spread_over(ranks());
  reads.while_root([&] {
    on_root([&] {
      written = false;
      for (LineFile& lines : records_) lines.sync();
      directory_->sync();
      write_checkpoint(file, header, state, &reads);
      prune_checkpoints(path("checkpoints"), keep_, [&](const std::string& f) { return directory_->names(f); });
      written = true;
    });
  });
  if (!written) return;
  last_checkpoint_ = file;
  last_checkpoint_step_ = state.step;
  last_checkpoint_end_ = reached_;
  event("checkpoint", file);
  leave_last_words();
}

}  // namespace weir
