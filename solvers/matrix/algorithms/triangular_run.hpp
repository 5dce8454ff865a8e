// ThreadPlan::run, which needs OpenMP's header.
#pragma once
#include <omp.h>

#include <thread>

#include "solvers/matrix/algorithms/triangular.hpp"

namespace weir {

inline bool ThreadPlan::ready(int thread, int piece, const std::vector<int>& done) const {
  for (int other = 0; other < threads_; ++other)
    if (done[static_cast<std::size_t>(other)] < needed(thread, piece, other)) return false;
  return true;
}

// seen: how far the others had come when last looked at.
inline void ThreadPlan::wait(int thread, int piece, std::vector<int>& seen) const {
  for (int turns = 0; !ready(thread, piece, seen); ++turns) {
    for (int other = 0; other < threads_; ++other)
      seen[static_cast<std::size_t>(other)] =
          done_[static_cast<std::size_t>(other)].pieces.load(std::memory_order_acquire);
    if (turns > 4000) std::this_thread::yield();  // more threads than cores: let the other one run
  }
}

template <class F>
void ThreadPlan::run(const F& body) const {
  if (threads_ == 1) return body(0, static_cast<int>(order_.size()), 0);
  for (int t = 0; t < threads_; ++t) done_[static_cast<std::size_t>(t)].pieces.store(0, std::memory_order_relaxed);
  const auto piece = [this](int t, int k) { return pieces_[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)]; };
  const auto count = [this](int t) { return static_cast<int>(pieces_[static_cast<std::size_t>(t)].size()); };
#pragma omp parallel num_threads(omp_get_max_threads() == 1 ? 1 : threads_)
  {
    const int thread = omp_get_thread_num();
    std::vector<int> seen(static_cast<std::size_t>(threads_), 0);
    if (omp_get_num_threads() == threads_) {
      for (int k = 0; k < count(thread); ++k) {
        wait(thread, k, seen);
        body(piece(thread, k).from, piece(thread, k).to, thread);
        done_[static_cast<std::size_t>(thread)].pieces.store(k + 1, std::memory_order_release);
      }
    } else if (thread == 0) {  // there are fewer now: one does everybody's pieces in turn
      for (bool more = true; more;) {
        more = false;
        for (int t = 0; t < threads_; ++t)
          for (int& k = seen[static_cast<std::size_t>(t)]; k < count(t) && ready(t, k, seen); ++k, more = true)
            body(piece(t, k).from, piece(t, k).to, 0);
      }
    }
  }
}

}  // namespace weir
