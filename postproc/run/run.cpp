#include "postproc/run/run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/colour.hpp"
#include "base/nearest.hpp"
#include "base/timer.hpp"
#include "postproc/fields/field_schedule.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// What the contract puts into a run directory; --overwrite removes these and nothing else.
constexpr const char* contents[] = {"config.effective.toml",
                                    "run.json",
                                    "history.csv",
                                    "solves.csv",
                                    "shadow.csv",
                                    "shadow_summary.csv",
                                    "shadow_curves.csv",
                                    "roofline.csv",
                                    "observatory.csv",
                                    "lifetime.csv",
                                    "events.jsonl",
                                    "probes",
                                    "surface",
                                    "vtk",
                                    "checkpoints",
                                    "capsules",
                                    "report.html"};

constexpr Option case_keys[] = {
    {"miniapp", Option::text, Option::required, "the flow solver", "incompressible | compressible | immersed"},
    {"title", Option::text, "", "shown in the log and on the report"}};
constexpr Option device_keys[] = {
    {"space", Option::text, "auto", "where to compute; auto: on the device where a GPU build finds one",
     "auto | host | device"},
    {"threads", Option::integer, "0", "of the host; 0: all, fewer while other programs want the cores", "[0, inf)"},
    {"deterministic", Option::boolean, "false", "bitwise reproducible for any thread count"},
    {"seed", Option::integer, "0", "of whatever is random"}};
constexpr Option output_keys[] = {
    {"log_every", Option::integer, "0", "between two lines of the log; 0: fewer lines as the run goes on", "[0, inf)",
     "steps"},
    {"log_seconds", Option::number, "10", "also a line after so long, where the log is no terminal; 0: no", "[0, inf)",
     "s"},
    {"report", Option::boolean, "true", "draw report.html at the end"}};
constexpr Option checkpoint_keys[] = {
    {"every", Option::integer, "0", "between two checkpoints; 0: only when the run is stopped", "[0, inf)", "steps"},
    {"keep", Option::integer, "2", "the newest", "[1, inf)"}};
constexpr Option time_keys[] = {{"wall_limit", Option::number, "0",
                                 "of this process; then it stops with a checkpoint and exit code 9; 0: none",
                                 "[0, inf)", "s"}};
constexpr Option check_keys[] = {
    {"value", Option::number, Option::required, "that the quantity must have at the end"},
    {"tolerance", Option::number, Option::required, "|quantity - value| above it: exit code 5", "[0, inf)"}};

bool is_run_directory(const fs::path& path) {
  return fs::exists(path / "run.json") || fs::exists(path / "config.effective.toml");
}

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
    last_checkpoint_step_ = from->header.step;
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
  if (threads_ == 0) threads_ = std::max(1, omp_get_max_threads() / ranks().ranks_on_this_machine());
  if (adapts) adaptive_threads_.emplace(threads_, seconds_now());
  omp_set_num_threads(threads_);
  seed_ = device.get<std::int64_t>("seed");
  // The emulator's schedule is what is random so far; it reads its options from the environment at its first launch.
  if (device.has("seed")) setenv("WEIR_SIMT_SEED", std::to_string(seed_).c_str(), 1);
  log_every_ = output.get<std::int64_t>("log_every");
  log_seconds_ = output.get<double>("log_seconds");
  report_ = output.get<bool>("report");
  fields_ = FieldSchedule(output).text();
  checkpoint_every_ = checkpoint.get<std::int64_t>("every");
  if (checkpoint_every_ > 0 && !checkpoints_available())
    checkpoint.fail("every", "checkpoints need HDF5, which this build lacks");
  keep_ = checkpoint.get<int>("keep");
  const auto limit = config_.table("time").described_by(time_keys).get<double>("wall_limit");
  if (options_.wall_limit < 0) options_.wall_limit = limit > 0 ? limit : -1;
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
    if (has_gpu_backend() && !is_gpu_present())
      throw Error(Exit::no_device, device.where("space") + ": space = \"device\", but CUDA finds no GPU");
    on_device_ = true;
    decision_ = "device (requested)";
  } else if (!has_gpu_backend()) {
    decision_ = "host: CPU build (no GPU backend)";
  } else {
    on_device_ = is_gpu_present();
    decision_ = on_device_ ? "device: GPU found" : "host: CUDA build, but no GPU found";
  }
}

void Run::require_memory(std::int64_t bytes) const {
  const std::int64_t free = free_memory();
  if (on_device_ || bytes <= free) return;
  throw Error(Exit::out_of_memory,
              fmt::format("this case needs about {}, but only {} are free; use fewer cells or a larger machine",
                          bytes_text(bytes), bytes_text(free)));
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

void Run::prepare_directory() const {
  const fs::path directory = options_.directory;
  std::error_code error;
  if (fs::exists(directory, error) && !continues_in_place()) {
    if (!fs::is_directory(directory)) throw Error(Exit::usage, directory.string() + ": exists and is not a directory");
    if (!fs::is_empty(directory, error)) {
      if (!is_run_directory(directory))
        throw Error(Exit::usage, directory.string() + ": exists and is not a run directory; choose another (-o)");
      if (!options_.overwrite)
        throw Error(Exit::usage,
                    directory.string() + ": already holds a run; add --overwrite or choose another directory (-o)");
      for (const char* name : contents) fs::remove_all(directory / name, error);
    }
  }
  fs::create_directories(directory, error);
  if (error) throw Error(Exit::file_io, "cannot create " + directory.string() + ": " + error.message());
}

void Run::open_records() {
  if (continues_in_place()) {
    for (const char* name :
         {"history.csv", "solves.csv", "shadow.csv", "shadow_curves.csv", "roofline.csv", "observatory.csv"})
      cut_csv(path(name), first_step_);
    cut_jsonl(path("events.jsonl"), first_step_);
    std::error_code error;
    for (const auto& probe : fs::directory_iterator(path("probes"), error)) cut_csv(probe.path().string(), first_step_);
  }
  history_ = LineFile(path("history.csv"), history_header(header_.history));
  solves_ = LineFile(path("solves.csv"), solves_header());
  events_ = LineFile(path("events.jsonl"), "");
}

void Run::begin(RunHeader header) {
  header_ = std::move(header);
  for (const auto& c : checks_)
    if (!header_.quantities.empty() && std::ranges::find(header_.quantities, c.quantity) == header_.quantities.end())
      config_.table("check").fail(
          c.quantity, "unknown quantity '" + c.quantity + "'" + did_you_mean(c.quantity, header_.quantities));
  config_.refuse_unknown();
  if (const Checkpoint* from = restart(); from && from->header.miniapp != header_.miniapp)
    throw Error(Exit::usage,
                from->path + ": is a checkpoint of '" + from->header.miniapp + "', not of '" + header_.miniapp + "'");
  config_text_ = config_.effective();
  for (const auto& [system, description] : header_.systems) totals_[system];
  if (writes()) prepare_directory();
  ranks().barrier();  // the directory is there
  begun_ = true;
  if (writes()) {
    write_text_aside(path("config.effective.toml"), config_text_);
    open_records();
  }
  write_summary({0, "running", ""}, {});
  print_header();
  event(restart() ? "restart" : "begin", restart() ? "continues " + restart()->path : "begins");
  for (const std::string& warning : header_.warnings) event("warning", warning);
  print_columns();
  signals_.catch_them();
  loop_start_ = last_line_ = seconds_now();
  last_line_step_ = first_step_;
}

void Run::solve(const SolveRecord& r) {
  ScopedTimer timer(timings_.at("output", "records"));
  on_root([&] { solves_.add(solves_row(r)); });
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

void Run::step(const StepRecord& record) {
  ScopedTimer timer(timings_.at("output", "records"));
  last_ = record;
  if (const double now = seconds_now(); adaptive_threads_ && adaptive_threads_->is_due(now))
    omp_set_num_threads(adaptive_threads_->next(now, seconds_without_core()));
  on_root([&] { history_.add(history_row(record, wall())); });
  if (is_line_due(record))
    print_step(record);
  else
    show_progress(record);
}

bool Run::should_stop() const {
  const bool mine = StopSignals::caught() != 0 || (options_.steps >= 0 && last_.step >= options_.steps) ||
                    (options_.wall_limit >= 0 && process_seconds() >= options_.wall_limit);
  const double most = ranks().max(kept_ ? 2 : mine ? 1 : 0);  // one reduction for both
  if (most > 1) throw_what_is_kept();
  return most > 0;
}

void Run::throw_what_is_kept() const {
  all_end_ = ranks().any(bool(kept_));
  if (all_end_) agree(ranks(), kept_);
}

bool Run::checkpoint_due(bool done) const {
  if (!checkpoints_available() || last_.step == last_checkpoint_step_) return false;
  if (checkpoint_every_ > 0 && (done || last_.step % checkpoint_every_ == 0)) return true;
  return !done && should_stop();
}

void Run::checkpoint(CheckpointState state) {
  ScopedTimer timer(timings_.at("output", "checkpoints"));
  const std::string file = path("checkpoints/" + checkpoint_name(state.step));
  const CheckpointHeader header{options_.name, header_.miniapp, config_.given(), weir_version(),
                                state.step,    state.time,      wall()};
  bool written = true;
  on_root([&] {
    written = false;
    history_.flush();
    solves_.flush();
    write_checkpoint(file, header, state);
    prune_checkpoints(path("checkpoints"), state.step, keep_);
    written = true;
  });
  if (!written) return;
  last_checkpoint_ = file;
  last_checkpoint_step_ = state.step;
  event("checkpoint", file);
}

Run::Ending Run::ending_of(const Outcome& outcome) const {
  const std::string after = fmt::format(" after step {}", last_.step);
  const std::string kept = last_checkpoint_.empty() ? "; no checkpoint written" : "; checkpoint " + last_checkpoint_;
  if (outcome.exit != Exit::finished) return {static_cast<int>(outcome.exit), "failed", outcome.reason + kept};
  if (!outcome.reason.empty()) return {0, "finished", outcome.reason};
  if (const int signal = StopSignals::caught())
    return {128 + signal, "stopped", fmt::format("signal {} ({})", signal, strsignal(signal)) + after + kept};
  if (options_.steps >= 0 && last_.step >= options_.steps) return {0, "stopped", "--steps" + after + kept};
  return {static_cast<int>(Exit::wall_limit), "stopped", "wall limit" + after + kept};
}

int Run::finish(const Outcome& outcome) {
  throw_what_is_kept();
  Ending ending = ending_of(outcome);
  clear_progress();
  if (last_line_step_ != last_.step) print_step(last_);
  print_end(ending, outcome);
  std::fputs(closing_.c_str(), stdout);
  if (ending.status == "finished" && !checks_hold(outcome)) {
    ending.code = static_cast<int>(Exit::check_failed);
    ending.reason += "; [check] out of tolerance";
  }
  print_timings();
  event(ending.status, ending.reason);
  if (writes()) {
    history_.flush();
    solves_.flush();
  }
  write_summary(ending, outcome);
  if (kept_) throw Error(kept_.code, kept_.words);  // met since the last time: rank 0 ends the job
  signals_.release();
  ranks().broadcast(&ending.code, sizeof ending.code, 0);  // it is rank 0 that has the quantities
  return ending.code;
}

int Run::fail(Exit code, const std::string& reason) noexcept {
  const int number = static_cast<int>(code);
  if (!begun_) return number;
  try {
    clear_progress();
    std::fputs(closing_.c_str(), stdout);
    const std::string kept = last_checkpoint_.empty() ? "" : "; the last checkpoint is " + last_checkpoint_;
    write_summary({number, "failed", reason + kept}, {});
    event("failed", reason + kept);
  } catch (const std::exception&) {
    // The disk that caused the failure may refuse this too; the caller prints the reason in any case.
  }
  return number;
}

void Run::fail_alone(Exit code, const std::string& reason) noexcept {
  if (!begun_ || ranks().is_root()) return;
  try {
    speaks_alone_ = true;
    events_ = LineFile(path("events.jsonl"), "");
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
    fmt::print("  check  {:<24} {:>14} = {} +- {}  {}\n", c.quantity,
               known ? fmt::format("{:.8g}", found->second) : "missing", c.value, c.tolerance,
               coloured(pass ? "PASS" : "FAIL", pass ? Colour::green : Colour::red, stdout));
    hold = hold && pass;
  }
  return hold;
}

}  // namespace weir
