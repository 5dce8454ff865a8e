// [shadow]: systems of the run are also solved by other solvers, recorded and compared. A candidate, [shadow.NAME], has
// the keys of [linear.SYSTEM]; its stopping test (tolerance, norm, ...) defaults to that of the reference solver. A
// candidate that does not support the matrices, whose set-up fails or whose library is missing or serial is left out,
// and log, records and page give the reason. shadow.csv has one row per solver and system, and one for the reference
// solver's own solve ("in the flow"); shadow_summary.csv the comparison (statistics.hpp); shadow_curves.csv the
// residuals of some solves by iteration. Of systems with several parts the first is studied. Over ranks all solve and
// rank 0 writes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/foreign/optional_library.hpp"
#include "base/print.hpp"
#include "miniapps/study/facility.hpp"
#include "miniapps/study/shadow/reference_solver.hpp"
#include "miniapps/study/shadow/shadow_series.hpp"
#include "postproc/run/records.hpp"
#include "postproc/run/write_aside.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/adapters/vendor/vendor_kernels.hpp"

namespace weir {

Options shadow_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "name of the studied system, one of [linear.SYSTEM]"},
      {"solvers", Option::texts, "[]", "names of the candidates, defined by [shadow.NAME]"},
      {"every", Option::integer, "10",
       "number of steps between two steps whose systems are solved by all candidates; 0: off", "[0, inf)", "steps"},
      {"repeats", Option::integer, "1", "number of solves per system and candidate, of which the median time is used",
       "[1, inf)"},
      {"seed", Option::integer, "1", "seed of the random order of the candidates"}};
  return keys;
}

Options candidate_options() {
  static constexpr Option keys[] = {
      {"like_reference", Option::boolean, "false",
       "switch for a candidate that is a copy of the reference solver, as A/A control", "", "", "like_leader"},
      {"slowed_by", Option::number, "0",
       "artificial slow-down as a fraction of the solver's own time (tests of the statistics)", "[0, 10]"}};
  return keys;
}

bool is_reference(const Table& candidate) {
  return candidate.described_by(candidate_options()).get<bool>("like_reference");
}

namespace {

constexpr const char* columns =
    "step,solve,system,name,solver,place,iterations,reason,r0,r_true,setup_ms,solve_ms,apply_ms,spmv_ms,reduce_ms,"
    "double,differing";

// Residuals of a few solves: the first system, the second, the fourth, the eighth, ...
constexpr const char* curve_columns = "step,name,iteration,ms,residual";
constexpr std::size_t curve_points = 200;  // maximum per solve

std::string measure(double seconds) { return seconds >= 0 ? fmt::format("{:.6g}", 1e3 * seconds) : std::string(); }

// Why a solver of another library cannot take part; empty: it can, or it is one of ours.
template <class Space>
std::string why_left_out(const Table& solver, const Communicator& ranks) {
  if (is_reference(solver)) return "";
  const std::string method = solver.get<std::string>("method", "");
  if (method.starts_with("cusparse:") && !(std::is_same_v<Space, Device> && has_vendor_kernels()))
    return "cusparse needs a build with CUDA, and --space device";
  const std::string library = peer_name(method).library;
  const std::vector<std::string> there = peer_libraries();
  if (is_peer(method) && std::ranges::find(there, library) == there.end()) return lacks(library);
  const bool is_foreign = method.find(':') != std::string::npos;
  return is_foreign && ranks.size() > 1 && !runs_over_ranks(library) ? library + " runs on one rank only" : "";
}

// Why one of our solvers does not support the matrices of the system; empty: it does.
template <class System>
std::string why_unfit(const Table& solver, const System& system, const std::string& method,
                      const std::string& preconditioner) {
  const std::string named = solver.get<std::string>("method", method);
  if (system.matrix == 0 || named.find(':') != std::string::npos) return "";
  try {
    refuse_unfit(solver, method, preconditioner, system.matrix, system.is_symmetric);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Marks its keys as known.
void read_keys(const Table& solver) {
  read_krylov_options(solver);
  solver.get<std::string>("initial_guess", "previous");
  solver.get<double>("slowed_by", 0.0);
}

// Why the reference solver, or its replicas, may not repeat the same solution.
template <class Space>
std::string why_reference_differs(const StudiedSystem<Space>& s) {
  return why_not_the_same(s.options, s.default_method, s.default_tolerance, s.reference->preconditioner().traits());
}
template <class Space>
std::string why_replicas_differ(const StudiedSystem<Space>& s) {
  if (!s.reference->refresh_policy().is_always()) return "the age of its lagged preconditioner differs (refresh)";
  return why_reference_differs(s);
}

// A solver slowed down by a known fraction, to test the statistics: after each set-up, update and solve it keeps the
// processor busy for that fraction of the time.
template <class Space>
class SlowedSolver : public AnySolver<Space> {
 public:
  SlowedSolver(std::unique_ptr<AnySolver<Space>> solver, double part) : solver_(std::move(solver)), part_(part) {}

  void spread_like(const LinearSolver<Space>& reference) override { solver_->spread_like(reference); }
  void stop_like(const LinearSolver<Space>& reference) override { solver_->stop_like(reference); }
  void setup(const Matrix<Space>& A) override {
    solver_->setup(A);
    note_setup();
  }
  void update(const Matrix<Space>& A) override {
    solver_->update(A);
    note_setup();
  }
  SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) override {
    SolveResult result = solver_->solve(A, b, x);
    result.solve_seconds += spend(part_ * result.solve_seconds);
    return result;
  }
  const SetupInfo& setup_info() const override { return info_; }
  bool remembers() const override { return solver_->remembers(); }
  std::string name() const override { return solver_->name(); }
  std::string describe() const override { return solver_->describe(); }
  std::span<const double> history() const override { return solver_->history(); }

 private:
  void note_setup() {
    info_ = solver_->setup_info();
    info_.seconds += spend(part_ * info_.seconds);
  }
  static double spend(double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::chrono::duration<double> spent{0};
    while (spent.count() < seconds) spent = Clock::now() - start;
    return spent.count();
  }

  std::unique_ptr<AnySolver<Space>> solver_;
  SetupInfo info_;
  double part_;
};

template <class Space>
class ShadowStudy : public Facility<Space> {
 public:
  explicit ShadowStudy(const LabCase& c) : Facility<Space>(c.ranks), options_(c.config.table("shadow")) {
    const Table t = options_.described_by(shadow_options());
    candidates_ = t.get<std::vector<std::string>>("solvers");
    every_ = t.get<std::int64_t>("every");
    repeats_ = t.get<int>("repeats");
    seed_ = static_cast<std::uint64_t>(t.get<std::int64_t>("seed"));
    for (const auto& name : candidates_)
      if (!options_.is_table(name)) options_.fail("solvers", "no table [shadow." + name + "] defines it");
    if (candidates_.empty()) {
      options_.get<std::string>("system", "");
      return;
    }
    leave_out_peers();
    system_ = read_system(options_, c.systems);
  }

  void read(const SystemDefaults& s) override {
    if (s.name != system_) return;
    for (const auto& name : candidates_) {
      const Table options = options_.table(name);
      options.described_by(candidate_options()).get<double>("slowed_by");
      if (is_reference(options)) continue;
      make_any_solver<Space>(options, s.method, s.preconditioner, {});
      if (const std::string why = why_unfit(options, s, s.method, s.preconditioner); !why.empty())
        say("shadow solver {} left out: {}\n", name, why);
    }
  }

  void attach(const StudiedSystem<Space>& s) override {
    if (candidates_.empty() || s.name != system_ || s.part > 0) return;
    KrylovOptions defaults;
    defaults.tolerance = s.default_tolerance;
    defaults.forcing = s.reference->forcing().shared();
    defaults.history = true;
    shadow_ = std::make_unique<Shadow<Space>>(ranks_, seed_, repeats_, *s.reference, why_reference_differs(s).empty(),
                                              [this](const ShadowRecord& record) { keep(record); });
    shadow_->on_left_out([this](const std::string& name, const std::string& why) { leave_out(name, why); });
    shadow_->read_state_by([this] {
      for (const WatchedVariable& variable : facts_.watched) variable.range();
    });
    const auto make = [&](const Table& options, const KrylovOptions& with) {
      auto solver = make_any_solver<Space>(options, s.default_method, s.default_preconditioner, with);
      if (ranks_.size() > 1) solver->spread_like(*s.reference);
      solver->stop_like(*s.reference);
      return solver;
    };
    for (const char* name : {"leader", control_name}) shadow_->add(name, make(s.options, defaults));
    KrylovOptions of_reference = stopping_test_of(s.options, defaults);
    of_reference.history = true;
    for (const auto& name : candidates_) {
      const Table options = options_.table(name);
      const bool is_own = is_reference(options);
      auto solver = is_own ? make(s.options, defaults) : make(options, of_reference);
      const auto slowed_by = options.described_by(candidate_options()).get<double>("slowed_by");
      if (const std::string why = is_own ? "" : why_unfit(options, s, s.default_method, s.default_preconditioner);
          !why.empty()) {
        leave_out(name, why);
        continue;
      }
      if (slowed_by > 0) solver = std::make_unique<SlowedSolver<Space>>(std::move(solver), slowed_by);
      shadow_->add(name, std::move(solver));
    }
    if (every_ > 0) s.reference->watch(shadow_.get());
    why_not_the_same_ = why_replicas_differ(s);
  }

  void open(Run& run) override {
    if (!shadow_ || every_ == 0) return;
    run_ = &run;
    names_ = shadow_->names();
    solvers_ = shadow_->solvers();
    series_ = ShadowSeries(names_, solvers_);
    for (const LeftOut& out : left_out_) tell(out);
    if (!ranks_.is_root()) return;
    rows_ = &run.record("shadow.csv", columns);
    curves_ = &run.record("shadow_curves.csv", curve_columns);
  }

  void begin_step(std::int64_t step) override {
    if (shadow_ && every_ > 0) shadow_->begin_step(step, step % every_ == 0);
  }

  void finish(Run& run) override {
    if (series_.empty() || !ranks_.is_root()) return;
    run.timings().at("instrumentation", "shadow solves") += shadow_->seconds();
    run.timings().at("instrumentation", "cache restoration") += shadow_->restore_seconds();
    ShadowComparison comparison = series_.compare(seed_);
    comparison.ranks = ranks_.size();
    comparison.on = facts_.whose_systems;
    comparison.left_out = left_out_;
    write_text_aside(run.path("shadow_summary.csv"), shadow_csv(comparison));
    run.add_to_summary("shadow", shadow_json(comparison, system_));
    run.say_at_end(shadow_table(comparison, system_) + "  " +
                   repetition_text(comparison.repetition, why_not_the_same_) + "\n");
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_;

  void leave_out_peers() {
    std::erase_if(candidates_, [&](const std::string& name) {
      const Table solver = options_.table(name);
      const std::string why = why_left_out<Space>(solver, ranks_);
      if (why.empty()) return false;
      left_out_.push_back({name, why});
      read_keys(solver);
      return true;
    });
  }

  void tell(const LeftOut& out) { run_->event("shadow", out.name + " left out: " + out.why); }

  void leave_out(const std::string& name, const std::string& why) {
    left_out_.push_back({name, why});
    if (run_) tell(left_out_.back());
  }

  void keep(const ShadowRecord& r) {
    if (series_.add(r)) run_->event("shadow", repetition_text(series_.repetition(), why_not_the_same_));
    run_->on_root([&] { write(r); });
  }

  void write(const ShadowRecord& r) {
    const bool own = r.name == ShadowRecord::in_the_flow;
    const auto index = static_cast<std::size_t>(own ? 0 : r.name);
    if (!own && r.name > 0 && std::has_single_bit(static_cast<std::uint64_t>(series_.systems(r.name)))) keep_curve(r);
    rows_->add(fmt::format("{},{},{},{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{},{},{}", r.step, r.solve, system_,
                           own ? in_the_flow_name : names_[index], solvers_[index], r.place, r.result.iterations,
                           to_string(r.result.reason), r.result.residual0, r.residual,
                           r.setup_seconds > 0 ? measure(r.setup_seconds) : "", measure(r.result.solve_seconds),
                           measure(r.result.apply_seconds), measure(r.result.spmv_seconds),
                           measure(r.result.reduce_seconds), own || r.solver > 1 ? "" : fmt::format("{}", r.solver + 1),
                           own || r.solver > 1 ? "" : fmt::format("{}", r.differing)));
  }

  // Time of an iteration: set-up plus its share of the solve. Residuals are spread evenly over the iterations.
  void keep_curve(const ShadowRecord& r) {
    const std::size_t points = r.history.size();
    if (points < 2) return;
    const std::size_t stride = (points + curve_points - 1) / curve_points;
    const auto add = [&](std::size_t i) {
      const double part = static_cast<double>(i) / static_cast<double>(points - 1);
      curves_->add(fmt::format("{},{},{:.6g},{:.6g},{:.6g}", r.step, names_[r.name], part * r.result.iterations,
                               1e3 * (r.setup_seconds + part * r.result.solve_seconds), r.history[i]));
    };
    for (std::size_t i = 0; i + 1 < points; i += stride) add(i);
    add(points - 1);
  }

  Table options_;
  std::string system_;
  std::vector<std::string> candidates_;
  std::vector<LeftOut> left_out_;
  std::int64_t every_ = 0;
  int repeats_ = 1;
  std::uint64_t seed_ = 1;
  std::unique_ptr<Shadow<Space>> shadow_;
  std::string why_not_the_same_;  // why replicas may differ; empty: they should not
  std::vector<std::string> names_, solvers_;
  ShadowSeries series_;
  LineFile *rows_ = nullptr, *curves_ = nullptr;  // of the run
};

}  // namespace

const FacilityKind shadow_facility = facility_kind<ShadowStudy>("shadow", shadow_options, true);

}  // namespace weir
