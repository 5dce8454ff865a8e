// [capture]: saves systems of a run as capsules (capsule.hpp) for `weir replay`, `weir solve` and `weir doctor`, in
// capsules/ of the run directory. The system of a failure is saved in addition to the limits. Capturing does not change
// the run. Over ranks rank 0 writes the whole system. All ranks take the same decisions: times are those of the slowest
// rank, bytes on disk are broadcast by rank 0. After an error on one rank alone nothing is saved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "base/hash.hpp"
#include "base/timer.hpp"
#include "inputs/case.hpp"
#include "miniapps/driver/lagged_preconditioner.hpp"
#include "miniapps/study/capture/capsule.hpp"
#include "miniapps/study/capture/capture_rules.hpp"
#include "miniapps/study/facility.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/distributed/whole_system.hpp"

namespace weir {
namespace {

// False for the Chebyshev method, which damps all errors alike, and for direct solvers.
template <class Space>
bool depends_on_guess(LinearSolver<Space>& solver) {
  const std::string method = solver.krylov().name();
  return method != "chebyshev" && !(method == "correction" && solver.preconditioner().traits().is_exact);
}

double known(const std::function<double()>& fact) { return fact ? fact() : std::numeric_limits<double>::quiet_NaN(); }

// Whether the captured system has the initial residual of the recorded solve, in one of the two norms (sums on a device
// are in another order).
bool begins_with(const Capsule& c, double residual0) {
  const auto A = rebuild_matrix<Host>(c.A);
  const Array<double, Host> b(c.b), x0(c.x0);
  Array<double, Host> r(b.size());
  A->residual(b, x0, r);
  double sum = 0, most = 0;
  for (std::int64_t i = 0; i < r.size(); ++i) {
    sum += r.data()[i] * r.data()[i];
    most = std::max(most, std::abs(r.data()[i]));
  }
  const double rounding = 1e-10;  // larger than the rounding of the sums, far below the effect of another b
  return std::abs(std::sqrt(sum) - residual0) <= rounding * residual0 ||
         std::abs(most - residual0) <= rounding * residual0;
}

}  // namespace

static Options capture_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "name of the captured system, one of [linear.SYSTEM]; empty: all systems"},
      {"when", Option::text, "",
       "rules, joined by |, that select the captured solves: steps:100,200, every:50, iterations>40, time>5 ms, "
       "stagnation, not_finite, failure; a solve that fulfils any of them is captured"},
      {"on_failure", Option::boolean, "true", "switch for capturing the linear system whose failed solve ends the run"},
      {"state", Option::boolean, "false", "switch for storing the flow state with each system"},
      {"answer", Option::boolean, "false", "switch for storing the solution of the run's solver with each system"},
      {"timings", Option::boolean, "true",
       "switch for storing the times of the run's solve; without them equal runs write equal files"},
      {"most", Option::integer, "20", "maximum number of captured systems per run", "[0, inf)", "systems"},
      {"most_mb", Option::number, "2000", "maximum size of the captured systems of a run", "[0, inf)", "MB"}};
  return keys;
}

namespace {

template <class Space>
class Capture : public Facility<Space> {
 public:
  explicit Capture(const LabCase& c)
      : Facility<Space>(c.ranks),
        config_(c.config),
        options_(c.config.table("capture").described_by(capture_options())),
        rules_(options_) {
    if (options_.get<std::string>("system") != "") system_ = read_system(options_, c.systems);
    on_failure_ = options_.get<bool>("on_failure");
    keeps_state_ = options_.get<bool>("state");
    keeps_answer_ = options_.get<bool>("answer");
    keeps_timings_ = options_.get<bool>("timings");
    most_ = options_.get<std::int64_t>("most");
    most_bytes_ = static_cast<std::int64_t>(1e6 * options_.get<double>("most_mb"));
    if (!rules_.empty() && !capsules_available())
      options_.fail("when", "captured systems require HDF5: " + lacks("HDF5"));
  }

  void attach(const StudiedSystem<Space>& system) override {
    if (!capsules_available() || (rules_.empty() && !on_failure_)) return;
    watches_.push_back(std::make_unique<Watch>(*this, system, system_.empty() || system.name == system_));
    system.reference->watch(watches_.back().get());
  }
  void begin_step(std::int64_t step) override {
    step_ = step;
    for (auto& watch : watches_) watch->solve = 0;
  }
  void failed(Run& run, const Outcome& outcome) override {
    last_.x = {};  // may have changed since the solve
    if (on_failure_ && run_ == &run && last_.of && !last_.is_captured)
      try_to_capture(last_, "failure: " + outcome.reason, true);
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_, Facility<Space>::step_;

  // Watches one system and keeps the initial guess of the current solve. One buffer serves all systems.
  struct Watch : SolveWatch<Space> {
    Watch(Capture& owner, const StudiedSystem<Space>& s, bool wanted) : capture(owner), system(s), is_wanted(wanted) {}

    void prepared(const Matrix<Space>& A, bool, const SetupInfo&) override {
      prepared_from = &A;
      const RefreshPolicy& policy = system.reference->refresh_policy();
      if (policy.is_always()) {
        age = 0;
        return;
      }
      Archive state;
      RefreshPolicy(policy).state(state);
      lifetime = state.numbers();
      age = policy.age();
      if (age > 0 || !is_wanted || capture.rules_.empty())
        return;  // on_failure alone does not justify a copy per set-up
      if (std::optional<MatrixRecord> record = record_matrix(A)) made_from = std::move(record->values);
    }
    // on_failure alone does not justify a copy per solve if the guess does not matter; zero is stored instead.
    void before(const Matrix<Space>&, View<const double>, View<const double> x) override {
      keeps_guess = !capture.rules_.empty() || depends_on_guess(*system.reference);
      if (keeps_guess) keep_copy(x, capture.x0_);
    }
    void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override {
      capture.solved(*this, A, b, x, result);
      if (lifetime.empty()) ++age;
      ++solve;
    }

    Capture& capture;
    StudiedSystem<Space> system;
    bool is_wanted;  // selected by [capture] system
    const Matrix<Space>* prepared_from = nullptr;
    std::int64_t age = 0;          // solves since the last set-up
    std::vector<double> lifetime;  // lagged preconditioner: state of the refresh policy ...
    NamedNumbers made_from;        // ... and the matrix values of the last set-up
    std::int64_t solve = 0;        // index in the step
    bool keeps_guess = true;       // of the last solve
  };
  struct Solve {  // the last one of the run
    const Watch* of = nullptr;
    const Matrix<Space>* A = nullptr;
    View<const double> b, x0, x;  // x0 is empty if it was not kept
    SolveResult result;
    std::int64_t index = 0;
    double cfl = 0;  // at the solve, if it is stored
    bool is_captured = false;
  };

  void solved(const Watch& w, const Matrix<Space>& A, View<const double> b, View<const double> x,
              const SolveResult& result) {
    const View<const double> x0 = w.keeps_guess ? std::as_const(x0_).view().part(0, b.size()) : View<const double>();
    last_ = {&w, &A, b, x0, x, result, w.solve, facts_.is_cfl_stored ? known(facts_.cfl) : 0, false};
    if (rules_.ask_for_seconds()) last_.result.solve_seconds = ranks_.max(result.solve_seconds);
    if (!w.is_wanted) return;
    if (const std::string rule = rules_.met(step_, last_.result); !rule.empty()) try_to_capture(last_, rule, false);
  }

  void describe_origin(const Solve& solve, Capsule& c) const {
    const StudiedSystem<Space>& system = solve.of->system;
    CapsuleOrigin& o = c.origin;
    o.miniapp = config_.table("case").template get<std::string>("miniapp", "");
    o.name = run_->name();
    o.version = weir_version();
    o.config = config_.effective();
    o.space = std::is_same_v<Space, Host> ? "host" : "device";
    o.threads = run_->threads();
    o.system = system.name;
    o.part = system.part;
    o.step = step_;
    o.solve = solve.index;
    o.time = known(facts_.time);
    o.dt = known(facts_.dt);
    o.cfl = facts_.is_cfl_stored ? solve.cfl : ranks_.max(known(facts_.cfl));
    o.nonlinear_residual = known(facts_.nonlinear_residual);
    o.ordering = facts_.ordering;
    o.ranks = ranks_.size();
    o.partition = facts_.partition;
    Hash64 config_hash, state_hash;
    config_hash.add(o.config);
    o.config_hash = config_hash.value();
    if (facts_.variables) c.variables = facts_.variables(system.name, system.part);
    if (facts_.places && ranks_.is_root()) c.places = facts_.places(system.name, system.part);
    if (!facts_.state) return;
    for (auto& [name, values] : facts_.state()) {
      state_hash.add(name);
      state_hash.add(std::span<const double>(values));
      if (keeps_state_) c.state.emplace_back(name, std::move(values));
    }
    o.state_hash = state_hash.value();
  }

  void describe_reference(const Solve& solve, Capsule& c) const {
    const Watch& w = *solve.of;
    CapsuleReference& l = c.reference;
    l.name = w.system.reference->name();
    l.description = w.system.reference->describe();
    l.options = w.system.options.given();
    if (ForcingRule::is_given(w.system.options))  // outside of the Newton iteration the tolerance is fixed
      l.options = read_case_text(l.options, "leader", {fmt::format("tolerance={}", solve.result.tolerance)}).given();
    l.default_method = w.system.default_method;
    l.default_preconditioner = w.system.default_preconditioner;
    l.default_tolerance = w.system.default_tolerance;
    l.depends_on_ranks = !w.system.reference->is_independent_of_ranks();
    l.age = w.age;
    l.lifetime = w.lifetime;
    l.result = solve.result;
    if (keeps_timings_) return;
    SolveResult& r = *l.result;
    r.apply_seconds = r.spmv_seconds = r.reduce_seconds = r.solve_seconds = 0;
  }

  // Over ranks: the whole system, on rank 0.
  void add_system(const Solve& solve, Capsule& c) const {
    const Watch& w = *solve.of;
    const StudiedSystem<Space>& system = w.system;
    std::optional<WholeSystem<Space>> whole;
    if (facts_.numbers) whole.emplace(ranks_, facts_.numbers(system.name, system.part), solve.A->block());
    const auto vector = [&](View<const double> v) { return whole ? whole->vector(v) : on_host<Space>(v); };
    const auto record = [&](const Matrix<Space>& A) -> std::optional<MatrixRecord> {
      if (!whole) return record_matrix(A);
      if (!WholeSystem<Space>::has_entries(A)) return std::nullopt;
      const std::unique_ptr<Matrix<Space>> all = whole->matrix(A);
      return all ? record_matrix(*all) : MatrixRecord();
    };
    c.b = vector(solve.b);
    c.x0 = solve.of->keeps_guess ? vector(solve.x0) : std::vector<double>(c.b.size());
    if (keeps_answer_ && solve.x.size() > 0) c.x = vector(solve.x);
    std::optional<MatrixRecord> A = record(*solve.A);
    c.reference.is_matrix_free = !A && w.prepared_from;
    if (c.reference.is_matrix_free) A = record(*w.prepared_from);
    if (!A) throw Error(Exit::usage, "cannot capture " + system.name + ": its matrix is matrix-free");
    c.A = std::move(*A);
  }

  Capsule capsule_of(const Solve& solve, const std::string& trigger) const {
    const Watch& w = *solve.of;
    Capsule c;
    c.origin.trigger = trigger;
    describe_origin(solve, c);
    describe_reference(solve, c);
    add_system(solve, c);
    if (w.age > 0 && !w.made_from.doubles.empty()) c.prepared = w.made_from;
    return c;
  }

  void write(Capsule& c, bool is_failure, const Solve& solve) {
    // After a converged solve b may already belong to the next system, which has no recorded solve.
    const bool may_differ = solve.result.converged() || !solve.of->keeps_guess;
    if (is_failure && may_differ && !begins_with(c, solve.result.residual0)) c.reference.result.reset();
    bytes_ += write_capsule(run_->path("capsules"), c);
  }

  void capture(const Solve& solve, const std::string& trigger, bool is_failure) {
    if (!run_) return;
    if (!is_failure && (written_ >= most_ || bytes_ >= most_bytes_)) {
      if (!reported_limit_)
        run_->event("capsule",
                    fmt::format("limit reached after {} captured systems, {:.1f} MB ([capture] most, most_mb)",
                                written_, 1e-6 * static_cast<double>(bytes_)));
      reported_limit_ = true;
      return;
    }
    ScopedTimer timer(run_->timings().at("instrumentation", "captured systems"));
    Capsule c = capsule_of(solve, trigger);
    if (ranks_.is_root()) write(c, is_failure, solve);
    ++written_;
    last_.is_captured = true;
    run_->event("capsule", "capsules/" + capsule_name(c.origin) + ": " + trigger);
  }

  // An error such as a full disk is reported and ends the capturing; the run continues.
  void try_to_capture(const Solve& solve, const std::string& trigger, bool is_failure) {
    std::string why_not;
    try {
      capture(solve, trigger, is_failure);
    } catch (const Error& e) {
      why_not = e.what();
    }
    ranks_.broadcast(&bytes_, sizeof bytes_, 0);
    if (!ranks_.any(!why_not.empty())) return;
    run_->event("capsule", why_not + "; no further systems are captured");
    rules_ = CaptureRules();
    last_.is_captured = true;
  }

  Table config_, options_;
  CaptureRules rules_;
  std::string system_;
  bool on_failure_ = true, keeps_state_ = false, keeps_answer_ = false, keeps_timings_ = true, reported_limit_ = false;
  std::int64_t most_ = 20, most_bytes_ = 0, written_ = 0, bytes_ = 0;
  std::vector<std::unique_ptr<Watch>> watches_;
  Array<double, Space> x0_;
  Solve last_;
};

}  // namespace

const FacilityKind capture_facility = facility_kind<Capture>("capture", capture_options);

}  // namespace weir
