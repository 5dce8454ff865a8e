// Solves that are queued on a device one behind the other, with the work between them, for one look of the host at their end.
//   { const SkipWhere skip(queue.stop());  for each: ... solver.queue(A, b, x, queue.place(k)); ... }
//   queue.look();
//   for each: solver.settle(A, b, x, queue.seen(k)); where that was not done: queue.go_on(), and the rest as if nothing had been queued
// A solve that wants more than was queued for it, or comes to no good end, stops the queue: loops behind it do nothing (SkipWhere), so
// that its b and x and all else are as it left them (but for the x of a direct solver behind it, which counts for nothing before its
// solve), and the host goes on from there. So every number is what it would be had the host waited for each solve.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "solvers/device/array.hpp"

namespace weir {

// What a queued solve is told: where it leaves what settle() wants to know, and how it stops the queue.
struct QueuedSolve {
  static constexpr int scalars = 4;
  double* seen = nullptr;  // so many
  double* stop = nullptr;  // 0, or the number of the solve that has stopped the queue
  double number = 0;       // of this one
};

// What the host saw of it.
struct SeenSolve {
  std::span<const double> scalars;
  bool is_done = false;  // else the host goes on with it
};

class SolveQueue {
 public:
  SolveQueue() = default;
  SolveQueue(int solves, int scalars);  // scalars: of the caller's, to be looked at with the solves
  bool is_empty() const { return seen_.empty(); }

  const double* stop() const { return places_.data(); }
  QueuedSolve place(int solve);
  double* place_of_scalar(int k);

  void look();                      // waits
  SeenSolve seen(int solve) const;  // of those up to the one that stopped the queue
  bool has_stopped() const { return seen_.front() != 0; }
  const double* seen_scalars(int k) const { return seen_.data() + scalar(k); }  // from the k-th on
  void go_on();                                                                 // after a stop

 private:
  static std::size_t first(int solve) { return 1 + static_cast<std::size_t>(solve) * QueuedSolve::scalars; }
  std::size_t scalar(int k) const { return first(solves_) + static_cast<std::size_t>(k); }

  int solves_ = 0;
  Array<double, Device> places_;  // the stop, those of each solve, the caller's
  std::vector<double> seen_;
};

}  // namespace weir
