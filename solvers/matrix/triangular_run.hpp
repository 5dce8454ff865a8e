// ThreadPlan::run, which needs OpenMP's header.
#pragma once
#include <omp.h>

#include <thread>

#include "solvers/matrix/triangular.hpp"

namespace weir {

inline void ThreadPlan::wait(int group, int thread, std::vector<int>& seen) const {
  for (int other = 0; other < threads_; ++other) {
    const int wanted = other == thread ? 0 : need(group, thread, other);
    int& known = seen[static_cast<std::size_t>(other)];
    for (int turns = 0; known < wanted; ++turns) {
      known = done_[static_cast<std::size_t>(other)].groups.load(std::memory_order_acquire);
      if (turns > 4000) std::this_thread::yield();  // more threads than cores: let the other one run
    }
  }
}

template <class F>
void ThreadPlan::run(const F& body) const {
  const int rows = static_cast<int>(order_.size());
  if (threads_ == 1) return body(0, rows, 0);
  for (int t = 0; t < threads_; ++t) done_[static_cast<std::size_t>(t)].groups.store(0, std::memory_order_relaxed);
#pragma omp parallel num_threads(threads_)
  {
    const int thread = omp_get_thread_num();
    if (omp_get_num_threads() == threads_) {
      std::vector<int> seen(static_cast<std::size_t>(threads_), 0);
      for (int g = 0; g < groups_; ++g) {
        const Piece p = piece(g, thread);
        if (p.from < p.to) {
          wait(g, thread, seen);
          body(p.from, p.to, thread);
        }
        done_[static_cast<std::size_t>(thread)].groups.store(g + 1, std::memory_order_release);
      }
    } else if (thread == 0) {  // the system gave fewer threads: all pieces in an order that serves everyone
      for (int g = 0; g < groups_; ++g)
        for (int t = 0; t < threads_; ++t) body(piece(g, t).from, piece(g, t).to, 0);
    }
  }
}

}  // namespace weir
