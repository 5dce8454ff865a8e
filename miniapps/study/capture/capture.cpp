#include "miniapps/study/capture/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "miniapps/study/lifetime.hpp"
#include "postproc/run/hash.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/distributed/whole_system.hpp"

namespace weir {
namespace {

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

template <class Space>
class Capture<Space>::Watch : public SolveWatch<Space> {
 public:
  Watch(int system, Capture& capture) : system_(system), capture_(capture) {}
  void prepared(const Matrix<Space>& A, bool, const SetupInfo&) override { capture_.prepared(system_, A); }
  void before(const Matrix<Space>&, View<const double>, View<const double> x) override { keep_copy(x, capture_.x0_); }
  void after(const Matrix<Space>& A, View<const double> b, View<const double>, const SolveResult& result) override {
    capture_.solved(system_, A, b, result);
  }

 private:
  int system_;
  Capture& capture_;
};

template <class Space>
Capture<Space>::~Capture() = default;

template <class Space>
Capture<Space>::Capture(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks)
    : ranks_(ranks),
      config_(config),
      options_(config.table("capture").described_by(capture_options())),
      rules_(options_) {
  if (options_.get<std::string>("system") != "") system_ = read_system(options_, systems);
  on_failure_ = options_.get<bool>("on_failure");
  keeps_state_ = options_.get<bool>("state");
  most_ = options_.get<std::int64_t>("most");
  most_bytes_ = static_cast<std::int64_t>(1e6 * options_.get<double>("most_mb"));
  if (!rules_.empty() && !capsules_available())
    options_.fail("when", "captured systems need HDF5, which this build lacks");
}

template <class Space>
void Capture<Space>::attach(const StudiedSystem<Space>& system) {
  if (!capsules_available() || (rules_.empty() && !on_failure_)) return;
  const int index = static_cast<int>(watched_.size());
  Watched w;
  w.system = system;
  w.watch = std::make_unique<Watch>(index, *this);
  w.is_wanted = system_.empty() || system.name == system_;
  system.leader->watch(w.watch.get());
  watched_.push_back(std::move(w));
}

template <class Space>
void Capture<Space>::begin_step(std::int64_t step) {
  step_ = step;
  for (Watched& w : watched_) w.solve = 0;
}

template <class Space>
void Capture<Space>::prepared(int system, const Matrix<Space>& A) {
  Watched& w = watched_[static_cast<std::size_t>(system)];
  w.prepared_from = &A;
  const RefreshPolicy& lifetime = w.system.leader->lifetime();
  if (lifetime.is_always()) {
    w.age = 0;
    return;
  }
  w.lifetime = lifetime.state();
  w.age = lifetime.age();
  if (w.age > 0 || !w.is_wanted || rules_.empty()) return;  // what a failure alone may ask for is not worth a copy each
  if (std::optional<MatrixRecord> record = record_matrix(A)) w.made_from = std::move(record->values);
}

template <class Space>
void Capture<Space>::solved(int system, const Matrix<Space>& A, View<const double> b, const SolveResult& result) {
  Watched& w = watched_[static_cast<std::size_t>(system)];
  const View<const double> x0 = std::as_const(x0_).view().part(0, b.size());
  last_ = {system, &A, b, x0, result, w.solve, facts_.is_cfl_stored ? known(facts_.cfl) : 0, false};
  if (rules_.ask_for_seconds()) last_.result.solve_seconds = ranks_.max(result.solve_seconds);
  if (w.is_wanted)
    if (const std::string rule = rules_.met(step_, last_.result); !rule.empty()) try_to_capture(last_, rule, false);
  if (w.lifetime.empty()) ++w.age;
  ++w.solve;
}

template <class Space>
void Capture<Space>::tell_origin(const Solve& solve, Capsule& c) const {
  const StudiedSystem<Space>& system = watched_[static_cast<std::size_t>(solve.system)].system;
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

template <class Space>
void Capture<Space>::tell_leader(const Solve& solve, Capsule& c) const {
  const Watched& w = watched_[static_cast<std::size_t>(solve.system)];
  CapsuleLeader& l = c.leader;
  l.name = w.system.leader->name();
  l.description = w.system.leader->describe();
  l.options = w.system.options.given();
  l.default_method = w.system.default_method;
  l.default_preconditioner = w.system.default_preconditioner;
  l.default_tolerance = w.system.default_tolerance;
  l.depends_on_ranks = !w.system.leader->is_independent_of_ranks();
  l.age = w.age;
  l.lifetime = w.lifetime;
  l.result = solve.result;
}

// Over ranks the whole, on rank 0.
template <class Space>
void Capture<Space>::add_system(const Solve& solve, Capsule& c) const {
  const Watched& w = watched_[static_cast<std::size_t>(solve.system)];
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
  c.x0 = vector(solve.x0);
  std::optional<MatrixRecord> A = record(*solve.A);
  c.leader.is_matrix_free = !A && w.prepared_from;
  if (c.leader.is_matrix_free) A = record(*w.prepared_from);
  if (!A) throw Error(Exit::usage, "cannot capture " + system.name + ": its matrix is matrix-free");
  c.A = std::move(*A);
}

template <class Space>
Capsule Capture<Space>::capsule_of(const Solve& solve, const std::string& trigger) const {
  const Watched& w = watched_[static_cast<std::size_t>(solve.system)];
  Capsule c;
  c.origin.trigger = trigger;
  tell_origin(solve, c);
  tell_leader(solve, c);
  add_system(solve, c);
  if (w.age > 0 && !w.made_from.doubles.empty()) c.prepared = w.made_from;
  return c;
}

template <class Space>
void Capture<Space>::write(Capsule& c, bool is_failure, const Solve& solve) {
  // Where the run ended after a solve that converged, b may be that of a system which nobody has solved yet.
  if (is_failure && solve.result.converged() && !begins_with(c, solve.result.residual0)) c.leader.result.reset();
  bytes_ += write_capsule(run_->path("capsules"), c);
}

template <class Space>
void Capture<Space>::capture(const Solve& solve, const std::string& trigger, bool is_failure) {
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
template <class Space>
void Capture<Space>::try_to_capture(const Solve& solve, const std::string& trigger, bool is_failure) {
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

template <class Space>
void Capture<Space>::failed(Run& run, const Outcome& outcome) {
  if (on_failure_ && run_ == &run && last_.system >= 0 && !last_.is_captured)
    try_to_capture(last_, "failure: " + outcome.reason, true);
}

template class Capture<Host>;
template class Capture<Device>;

}  // namespace weir
