#include "miniapps/study/shadow/shadow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/timer.hpp"
#include "miniapps/study/shadow/statistics.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/parallel/agree.hpp"

namespace weir {
namespace {

// NaN differs from itself and so counts as different.
template <class Space>
std::int64_t count_differing(const Communicator& ranks, View<const double> x, View<const double> y) {
  return static_cast<std::int64_t>(
      ranks.sum(sum<Space>(x.size(), [=] WEIR_HD(int i) { return x[i] == y[i] ? 0.0 : 1.0; })));
}

template <class Space>
double largest_difference(View<const double> x, View<const double> y) {
  return max_abs<Space>(x.size(), [=] WEIR_HD(int i) { return x[i] - y[i]; });
}

}  // namespace

template <class Space>
void Shadow<Space>::add(std::string name, std::unique_ptr<AnySolver<Space>> solver) {
  candidates_.push_back({std::move(name), std::move(solver), Stale::pattern});
}

template <class Space>
void Shadow<Space>::begin_step(std::int64_t step, bool due) {
  step_ = step;
  due_ = due;
  solve_ = 0;
}

template <class Space>
std::vector<std::string> Shadow<Space>::names() const {
  std::vector<std::string> names;
  for (const Candidate& c : candidates_) names.push_back(c.name);
  return names;
}

template <class Space>
std::vector<std::string> Shadow<Space>::solvers() const {
  std::vector<std::string> names;
  for (const Candidate& c : candidates_) names.push_back(c.solver->name());
  return names;
}

template <class Space>
void Shadow<Space>::prepared(const Matrix<Space>& A, bool new_pattern, const SetupInfo& info) {
  prepared_from_ = &A;
  reference_setup_ += info.seconds;
  for (Candidate& c : candidates_)
    if (c.stale != Stale::pattern) c.stale = new_pattern ? Stale::pattern : Stale::values;
}

template <class Space>
double Shadow<Space>::prepare(Candidate& c, const Matrix<Space>& A) {
  const Matrix<Space>& from = prepared_from_ ? *prepared_from_ : A;
  if (c.stale == Stale::pattern)
    c.solver->setup(from);
  else
    c.solver->update(from);
  c.stale = Stale::nothing;
  return c.solver->setup_info().seconds;
}

// Calls f(), a set-up. If it throws, a candidate is left out; errors of replicas and of the program end the run.
template <class Space>
template <class F>
bool Shadow<Space>::is_possible(std::size_t index, const F& f) {
  Candidate& c = candidates_[index];
  if (c.is_left_out) return false;
  if (index < 2) {
    f();
    return true;
  }
  MetError met;
  try {
    all_or_none(ranks_, f);
    return true;
  } catch (...) {
    met = met_now();
    if (met.code == Exit::internal) throw;
  }
  c.is_left_out = true;
  if (on_left_out_) on_left_out_(c.name, met.words);
  return false;
}

// A trial only: a candidate is set up again when it first takes part.
template <class Space>
void Shadow<Space>::try_setups(const Matrix<Space>& A) {
  const Matrix<Space>& from = prepared_from_ ? *prepared_from_ : A;
  for (std::size_t index = 2; index < candidates_.size(); ++index)
    is_possible(index, [&] { candidates_[index].solver->setup(from); });
}

// Over ranks by the wall clock, which includes waiting for other ranks.
template <class Space>
double Shadow<Space>::seconds_to_prepare(std::size_t index, const Matrix<Space>& A) {
  Candidate& c = candidates_[index];
  if (c.stale == Stale::nothing) return 0;
  double seconds = 0;
  ranks_.barrier();
  const bool is_done = is_possible(index, [&] {
    if (ranks_.size() == 1)
      seconds = prepare(c, A);
    else
      timed(seconds, [&] { prepare(c, A); });
    if (ranks_.size() > 1) seconds -= c.solver->setup_info().diagnostics_seconds;
  });
  return is_done ? ranks_.max(seconds) : 0;
}

// The record of the slowest rank, so that its parts add up.
template <class Space>
SolveResult Shadow<Space>::of_slowest(SolveResult mine) const {
  if (ranks_.size() == 1) return mine;
  const bool is_last = mine.solve_seconds == ranks_.max(mine.solve_seconds);
  const double from = ranks_.max(is_last ? ranks_.rank() : -1);
  ranks_.broadcast(&mine, sizeof mine, static_cast<int>(from));
  return mine;
}

// The order depends on seed, step and solve only.
template <class Space>
void Shadow<Space>::draw_order() {
  order_.resize(candidates_.size() * static_cast<std::size_t>(repeats_));
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i % candidates_.size();
  std::mt19937_64 random = draw(seed_, step_, solve_);
  shuffle(std::span(order_), random);
  swapped_ = random() % 2 == 1;
}

template <class Space>
double Shadow<Space>::residual_norm(const Matrix<Space>& A, View<const double> b, View<const double> x) {
  A.residual(b, x, r_);
  const Pair s = ranks_.sum(sum_and_square<Space>(r_.view()));
  // With a constant null space the mean of b - A x does not count.
  const double about_mean = s.b - s.a * s.a / static_cast<double>(A.unknowns());
  return std::sqrt(std::max(0.0, A.has_constant_null_space() ? about_mean : s.b));
}

// A solver that depends on its earlier solves is not repeated.
template <class Space>
bool Shadow<Space>::is_unusual(const Candidate& c, double seconds) const {
  constexpr std::size_t enough = 8;
  constexpr double times = 2;
  return c.seconds.size() >= enough && seconds > times * median(c.seconds) && !c.solver->remembers();
}

template <class Space>
std::optional<ShadowRecord> Shadow<Space>::solve_by(std::size_t index, const Matrix<Space>& A, View<const double> b) {
  Candidate& c = candidates_[index];
  ShadowRecord record;
  record.step = step_;
  record.solve = solve_;
  record.solver = static_cast<int>(index);
  record.name = index < 2 && swapped_ ? 1 - record.solver : record.solver;
  record.setup_seconds = seconds_to_prepare(index, A);
  if (c.is_left_out) return {};
  assign<Space>(x0_.view(), x_);
  ranks_.barrier();
  record.result = of_slowest(c.solver->solve(A, b, x_));
  is_interrupted_ = is_interrupted_ || record.result.reason == Reason::interrupted;
  record.residual = residual_norm(A, b, x_.view());
  const auto bytes = static_cast<double>(c.solver->setup_info().bytes);
  record.bytes = static_cast<std::int64_t>(ranks_.sum(bytes));
  record.most_bytes = static_cast<std::int64_t>(ranks_.max(bytes));
  return record;
}

// A repeat includes the same set-up as the first solve.
template <class Space>
void Shadow<Space>::solve_all(const Matrix<Space>& A, View<const double> b, View<const double> x,
                              const ShadowRecord& own) {
  std::vector<Stale> stale;
  for (const Candidate& c : candidates_) stale.push_back(c.stale);
  std::vector<std::vector<ShadowRecord>> records(candidates_.size());
  const auto take_turn = [&](std::size_t index, int place) {
    if (is_interrupted_) return;
    candidates_[index].stale = stale[index];
    std::optional<ShadowRecord> record = solve_by(index, A, b);
    if (!record) return;
    record->place = place;
    if (index < 2) record->differing = count_differing<Space>(ranks_, x, x_.view());
    if (record->differing > 0) record->largest_difference = ranks_.max(largest_difference<Space>(x, x_.view()));
    records[index].push_back(*record);
  };
  const auto shorter = [](const ShadowRecord& p, const ShadowRecord& q) { return p.seconds() < q.seconds(); };
  for (int place = 0; place < static_cast<int>(order_.size()); ++place)
    take_turn(order_[static_cast<std::size_t>(place)], place + 1);
  if (is_interrupted_) return;
  keep_(own);
  for (std::size_t index = 0; index < records.size(); ++index) {
    std::vector<ShadowRecord>& tries = records[index];
    if (candidates_[index].is_left_out) continue;
    const ShadowRecord best = *std::ranges::min_element(tries, shorter);
    if (is_unusual(candidates_[index], best.seconds())) {
      take_turn(index, best.place);
      if (candidates_[index].is_left_out) continue;
      if (tries.back().result.iterations != best.result.iterations) tries.pop_back();  // not the same work
    }
    const auto most = std::ranges::max_element(
        tries, [](const ShadowRecord& p, const ShadowRecord& q) { return p.differing < q.differing; });
    const std::int64_t differing = most->differing;
    const double by = most->largest_difference;
    const auto of_middle = tries.begin() + static_cast<std::ptrdiff_t>((tries.size() - 1) / 2);
    std::nth_element(tries.begin(), of_middle, tries.end(), shorter);
    of_middle->differing = differing;
    of_middle->largest_difference = by;
    of_middle->history = candidates_[index].solver->history();  // of the last repeat
    candidates_[index].seconds.push_back(of_middle->seconds());
    keep_(*of_middle);
  }
}

template <class Space>
ShadowRecord Shadow<Space>::own_record(const Matrix<Space>& A, View<const double> b, View<const double> x,
                                       const SolveResult& result) {
  ShadowRecord record;
  record.step = step_;
  record.solve = solve_;
  record.result = of_slowest(result);
  record.setup_seconds = reference_setup_;
  record.residual = residual_norm(A, b, x);
  return record;
}

// The first solve of each, which allocates, does not count. The order is random, because the first one gets the gaps of
// the heap. If the reference solver was set up for this system, all candidates are set up once more, and that counts.
template <class Space>
void Shadow<Space>::warm_up(const Matrix<Space>& A, View<const double> b) {
  for (const std::size_t index : order_) {
    Candidate& c = candidates_[index];
    seconds_to_prepare(index, A);
    if (c.is_left_out) continue;
    assign<Space>(x0_.view(), x_);
    is_interrupted_ = is_interrupted_ || c.solver->solve(A, b, x_).reason == Reason::interrupted;
    c.stale = reference_setup_ > 0 ? Stale::values : Stale::nothing;
  }
}

// An older matrix of the preconditioner may no longer exist, so it is updated only if it was set up for this system.
template <class Space>
void Shadow<Space>::repeat_reference(const Matrix<Space>& A, View<const double> b, View<const double> x) {
  if (read_state_) read_state_();
  if (reference_repeats_) {
    if (reference_setup_ > 0) reference_.preconditioner().update(prepared_from_ ? *prepared_from_ : A);
    assign<Space>(x0_.view(), x_);
    reference_.krylov().solve(A, reference_.preconditioner(), b, x_);
  } else {
    reference_.preconditioner().apply(r_.view(), x_);
  }
  A.residual(b, x, r_);
}

// Restoring the last-level cache takes more than one pass. Solves of tens of milliseconds stream from memory and need
// one only.
template <class Space>
void Shadow<Space>::restore_caches(const Matrix<Space>& A, View<const double> b, View<const double> x,
                                   double own_seconds) {
  constexpr double streams = 0.02;
  const int passes = own_seconds < streams ? 3 : 1;
  for (int pass = 0; pass < passes; ++pass) repeat_reference(A, b, x);
}

template <class Space>
void Shadow<Space>::before(const Matrix<Space>& A, View<const double>, View<const double> x) {
  if (!due_ && has_tried_) return;
  ScopedTimer timer(seconds_);
  if (!std::exchange(has_tried_, true)) try_setups(A);
  if (!due_) return;
  if (x0_.size() != x.size()) {
    x0_ = Array<double, Space>(x.size());
    x_ = Array<double, Space>(x.size());
    r_ = Array<double, Space>(x.size());
  }
  assign<Space>(x, x0_);
}

template <class Space>
void Shadow<Space>::after(const Matrix<Space>& A, View<const double> b, View<const double> x,
                          const SolveResult& result) {
  if (due_) {
    timed(seconds_, [&] {
      reference_setup_ = ranks_.max(reference_setup_);  // a solver on the root rank costs the other ranks nothing
      const ShadowRecord own = own_record(A, b, x, result);
      draw_order();
      if (!std::exchange(warm_, true)) warm_up(A, b);
      solve_all(A, b, x, own);
    });
    ScopedTimer timer(restore_seconds_);
    restore_caches(A, b, x, ranks_.max(result.solve_seconds));
  }
  reference_setup_ = 0;
  ++solve_;
}

template class Shadow<Host>;
template class Shadow<Device>;

}  // namespace weir
