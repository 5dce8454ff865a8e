// For methods whose scalars stay on the device: the host launches some iterations, then looks at how they went, and waits
// for nothing in between. Each iteration decides on the device whether it is the last; what has been launched behind that
// one finds the method stopped and changes nothing. So x and the residuals are those of the iteration that ended the cycle, bit
// for bit, however seldom the host looks; only the products behind it are for nothing. Included by .cu files only.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "solvers/device/array.hpp"
#include "solvers/device/asynchronous/fetch_scalars.hpp"
#include "solvers/device/asynchronous/recorded_work.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

// Iterations between two looks, at most.
inline constexpr int most_unseen = 32;

enum class DeviceStop : int { none, converged, not_finite, lost, breakdown };

// What the host learns at a look: how the cycle ended, and the residual of each iteration.
struct UnseenIterations {
  double target = 0;
  DeviceStop stop = DeviceStop::none;
  int count = 0;  // since the cycle's start; iteration k's residual lies at k % most_unseen
  double norm[most_unseen] = {};

  WEIR_HD bool running() const { return stop == DeviceStop::none; }
  WEIR_HD void add(double residual) {
    norm[count % most_unseen] = residual;
    ++count;
    if (!(residual - residual == 0))
      stop = DeviceStop::not_finite;
    else if (residual <= target)
      stop = DeviceStop::converged;
  }
};
WEIR_HD inline bool is_finite(double v) { return v - v == 0; }

inline constexpr Option look_every_key = {
    "look_every", Option::integer, "8",
    "on a device, of one rank: iterations at most between two looks of the host at the residual; changes no result",
    "[1, 32]"};
inline void read_look_every(const Table& t, KrylovOptions& o) { o.look_every = t.get<int>("look_every"); }

// One S, a plain struct with a member `unseen`, in device memory. The host sees it by look() alone.
template <class S>
class DeviceScalars {
 public:
  S* place() {
    if (place_.size() == 0) place_ = Array<S, Device>(1);
    return place_.data();
  }
  void start(const S& first) {
    S* const to = place();
    seen_ = 0;
    for_each<Device>(1, [=] WEIR_HD(int) { *to = first; });
  }
  // Waits. step(residual) of each iteration since the last look, until it says false; returns whether all said true.
  template <class F>
  bool look(S& now, const F& step) {
    fetch_scalars(place_, std::span<S>(&now, 1));
    for (; seen_ < now.unseen.count; ++seen_)
      if (!step(now.unseen.norm[seen_ % most_unseen])) return false;
    return true;
  }
  int seen() const { return seen_; }

 private:
  Array<S, Device> place_;
  int seen_ = 0;
};

// The number of iterations that the target can be expected to take, where the residual has fallen from `first` to
// `now` in `done` iterations.
inline int expected_iterations(int done, double first, double now, double target) {
  constexpr int many = std::numeric_limits<int>::max();
  if (!(target > 0) || (done > 0 && !(now < first))) return many;
  if (done == 0) return 1;
  const double expected = done * std::log(now / target) / std::log(first / now);
  return expected < many ? std::max(1, static_cast<int>(expected)) : many;
}

// Whether the next iterations are to be recorded and launched as one each. Measured on an H100: a launch takes 5 us, a
// node of a graph 1 us, and making the graph 5 us per node. So recording pays after a few iterations, but only where
// an iteration's launches take longer than its kernels. Each cycle records its own: vectors and the arguments of the
// matrix's kernels differ.
template <class Iteration>
bool pays_to_record(const Iteration& it, std::int64_t rows, int seen, int rest) {
  constexpr std::int64_t most_rows = 1 << 19;
  constexpr int least_rest = 8;
  return seen > 0 && rest >= least_rest && rows <= most_rows && it.is_recordable();
}

// f()(i) for all i. In large loops a thread calls f() once for four of them.
template <class F>
static void for_each_with_scalars(std::int64_t n, const F& f) {
  if (n < 1 << 18) return for_each<Device>(n, [=] WEIR_HD(int i) { f()(i); });
  const int size = loop_count(n), step = (size + 3) / 4;
  for_each<Device>(step, [=] WEIR_HD(int first) {
    const auto body = f();
    for (int part = 0; part < 4; ++part)
      if (first < size - part * step) body(first + part * step);
  });
}

}  // namespace weir
