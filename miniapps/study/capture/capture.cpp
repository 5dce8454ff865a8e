// [capture]: systems of a run kept as capsules (capsule.hpp), for `weir replay`, `weir solve`, `weir doctor`.
// They lie in capsules/ of the run directory; that of a failure comes on top of the limits. Capturing reads the run and changes no bit of it. Over ranks a capsule is
// that of one rank, put together on rank 0; all decide alike, and what they cannot know alike (times, bytes on disk)
// rank 0 tells or the slowest rank. An error that a rank alone ends with leaves none.
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
#include "miniapps/study/capture/capsule.hpp"
#include "miniapps/study/capture/capture_rules.hpp"
#include "miniapps/study/facility.hpp"
#include "miniapps/driver/lagged_preconditioner.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/distributed/whole_system.hpp"

namespace weir {
namespace {

// Whether the guess has a say in how a solve ends: the Chebyshev method lowers every error alike, a direct solver has none.
template <class Space>
bool depends_on_guess(LinearSolver<Space>& solver) {
  const std::string method = solver.krylov().name();
  return method != "chebyshev" && !(method == "correction" && solver.preconditioner().traits().is_exact);
}

double known(const std::function<double()>& fact) { return fact ? fact() : std::numeric_limits<double>::quiet_NaN(); }

// Does the system still begin with the residual that the reference solver began with? In either norm; the order of a
// sum is another one on the device.
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
  const double rounding = 1e-10;  // sums of up to 1e5 eps, far below what a new b changes
  return std::abs(std::sqrt(sum) - residual0) <= rounding * residual0 ||
         std::abs(most - residual0) <= rounding * residual0;
}

}  // namespace

Options capture_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "one of [linear.SYSTEM]; empty: all"},
      {"when", Option::text, "",
       "steps:100,200, every:50, iterations>40, time>5 ms, stagnation, not_finite, failure, joined with |"},
      {"on_failure", Option::boolean, "true", "also the system that ended the run"},
      {"state", Option::boolean, "false", "with the flow's state"},
      {"most", Option::integer, "20", "of one run", "[0, inf)", "systems"},
      {"most_mb", Option::number, "2000", "of one run", "[0, inf)", "MB"}};
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
    most_ = options_.get<std::int64_t>("most");
    most_bytes_ = static_cast<std::int64_t>(1e6 * options_.get<double>("most_mb"));
    if (!rules_.empty() && !capsules_available()) options_.fail("when", "captured systems need HDF5: " + lacks("HDF5"));
  }

  void attach(const StudiedSystem<Space>& system) override {
    if (!capsules_available() || (rules_.empty() && !on_failure_)) return;
    watches_.push_back(std::make_unique<Watch>(*this, system, system_.empty() || system.name == system_));
    system.leader->watch(watches_.back().get());
  }
  void begin_step(std::int64_t step) override {
    step_ = step;
    for (auto& watch : watches_) watch->solve = 0;
  }
  void failed(Run& run, const Outcome& outcome) override {
    if (on_failure_ && run_ == &run && last_.of && !last_.is_captured)
      try_to_capture(last_, "failure: " + outcome.reason, true);
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_, Facility<Space>::step_;

  // Of one system; keeps the initial guess of the solve under way. One buffer serves all systems, which are solved in turn.
  struct Watch : SolveWatch<Space> {
    Watch(Capture& owner, const StudiedSystem<Space>& s, bool wanted) : capture(owner), system(s), is_wanted(wanted) {}

    void prepared(const Matrix<Space>& A, bool, const SetupInfo&) override {
      prepared_from = &A;
      const RefreshPolicy& policy = system.leader->refresh_policy();
      if (policy.is_always()) {
        age = 0;
        return;
      }
      Archive state;
      RefreshPolicy(policy).state(state);
      lifetime = state.numbers();
      age = policy.age();
      if (age > 0 || !is_wanted || capture.rules_.empty()) return;  // for a failure alone a copy each would be too dear
      if (std::optional<MatrixRecord> record = record_matrix(A)) made_from = std::move(record->values);
    }
    // For a failure alone a pass more in every solve is too dear where the guess decides nothing: zero then stands for it.
    void before(const Matrix<Space>&, View<const double>, View<const double> x) override {
      keeps_guess = !capture.rules_.empty() || depends_on_guess(*system.leader);
      if (keeps_guess) keep_copy(x, capture.x0_);
    }
    void after(const Matrix<Space>& A, View<const double> b, View<const double>, const SolveResult& result) override {
      capture.solved(*this, A, b, result);
      if (lifetime.empty()) ++age;
      ++solve;
    }

    Capture& capture;
    StudiedSystem<Space> system;
    bool is_wanted;  // by [capture] system
    const Matrix<Space>* prepared_from = nullptr;
    std::int64_t age = 0;          // solves since then
    std::vector<double> lifetime;  // of a reference solver that may keep old preconditioners: its policy's state, ...
    NamedNumbers made_from;        // ... and the values that the present one was made from
    std::int64_t solve = 0;        // of the step
    bool keeps_guess = true;       // of the last solve
  };
  struct Solve {  // the last one of the run
    const Watch* of = nullptr;
    const Matrix<Space>* A = nullptr;
    View<const double> b, x0;  // x0 is empty where it was not kept
    SolveResult result;
    std::int64_t index = 0;
    double cfl = 0;  // with which it was made; where asking then costs nothing
    bool is_captured = false;
  };

  void solved(const Watch& w, const Matrix<Space>& A, View<const double> b, const SolveResult& result) {
    const View<const double> x0 = w.keeps_guess ? std::as_const(x0_).view().part(0, b.size()) : View<const double>();
    last_ = {&w, &A, b, x0, result, w.solve, facts_.is_cfl_stored ? known(facts_.cfl) : 0, false};
    if (rules_.ask_for_seconds()) last_.result.solve_seconds = ranks_.max(result.solve_seconds);
    if (!w.is_wanted) return;
    if (const std::string rule = rules_.met(step_, last_.result); !rule.empty()) try_to_capture(last_, rule, false);
  }

  void tell_origin(const Solve& solve, Capsule& c) const {
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

  void tell_leader(const Solve& solve, Capsule& c) const {
    const Watch& w = *solve.of;
    CapsuleLeader& l = c.leader;
    l.name = w.system.leader->name();
    l.description = w.system.leader->describe();
    l.options = w.system.options.given();
    if (ForcingRule::is_given(w.system.options))  // a solve by itself has no Newton step before it
      l.options = read_case_text(l.options, "leader", {fmt::format("tolerance={}", solve.result.tolerance)}).given();
    l.default_method = w.system.default_method;
    l.default_preconditioner = w.system.default_preconditioner;
    l.default_tolerance = w.system.default_tolerance;
    l.depends_on_ranks = !w.system.leader->is_independent_of_ranks();
    l.age = w.age;
    l.lifetime = w.lifetime;
    l.result = solve.result;
  }

  // Over ranks the whole, on rank 0.
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
    std::optional<MatrixRecord> A = record(*solve.A);
    c.leader.is_matrix_free = !A && w.prepared_from;
    if (c.leader.is_matrix_free) A = record(*w.prepared_from);
    if (!A) throw Error(Exit::usage, "cannot capture " + system.name + ": its matrix is matrix-free");
    c.A = std::move(*A);
  }

  Capsule capsule_of(const Solve& solve, const std::string& trigger) const {
    const Watch& w = *solve.of;
    Capsule c;
    c.origin.trigger = trigger;
    tell_origin(solve, c);
    tell_leader(solve, c);
    add_system(solve, c);
    if (w.age > 0 && !w.made_from.doubles.empty()) c.prepared = w.made_from;
    return c;
  }

  void write(Capsule& c, bool is_failure, const Solve& solve) {
    // Where the run ended after a solve that converged, b may be that of a system which nobody has solved yet; without its
    // guess a solve is another one.
    const bool may_differ = solve.result.converged() || !solve.of->keeps_guess;
    if (is_failure && may_differ && !begins_with(c, solve.result.residual0)) c.leader.result.reset();
    bytes_ += write_capsule(run_->path("capsules"), c);
  }

  void capture(const Solve& solve, const std::string& trigger, bool is_failure) {
    if (!run_) return;
    if (!is_failure && (written_ >= most_ || bytes_ >= most_bytes_)) {
      if (!told_of_limit_)
        run_->event("capsule", fmt::format("limit reached: {} captured systems, {:.1f} MB ([capture] most, most_mb)",
                                           written_, 1e-6 * static_cast<double>(bytes_)));
      told_of_limit_ = true;
      return;
    }
    ScopedTimer timer(run_->timings().at("instrumentation", "captured systems"));
    Capsule c = capsule_of(solve, trigger);
    if (ranks_.is_root()) write(c, is_failure, solve);
    ++written_;
    last_.is_captured = true;
    run_->event("capsule", "capsules/" + capsule_name(c.origin) + ": " + trigger);
  }

  // A full disk, say, is told and ends the capturing; the run goes on.
  void try_to_capture(const Solve& solve, const std::string& trigger, bool is_failure) {
    std::string why_not;
    try {
      capture(solve, trigger, is_failure);
    } catch (const Error& e) {
      why_not = e.what();
    }
    ranks_.broadcast(&bytes_, sizeof bytes_, 0);
    if (!ranks_.any(!why_not.empty())) return;
    run_->event("capsule", why_not + "; capture is switched off");
    rules_ = CaptureRules();
    last_.is_captured = true;
  }

  Table config_, options_;
  CaptureRules rules_;
  std::string system_;
  bool on_failure_ = true, keeps_state_ = false, told_of_limit_ = false;
  std::int64_t most_ = 20, most_bytes_ = 0, written_ = 0, bytes_ = 0;
  std::vector<std::unique_ptr<Watch>> watches_;
  Array<double, Space> x0_;
  Solve last_;
};

}  // namespace

template <class Space>
std::unique_ptr<Facility<Space>> make_capture(const LabCase& c) {
  return std::make_unique<Capture<Space>>(c);
}
template std::unique_ptr<Facility<Host>> make_capture<Host>(const LabCase&);
template std::unique_ptr<Facility<Device>> make_capture<Device>(const LabCase&);

}  // namespace weir
