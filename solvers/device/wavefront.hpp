// A wavefront over a structured box on host threads. Cell (i, j, k) may depend on cells that precede it along every
// direction; instead of stopping all threads after every hyperplane i + j + k = const, each thread walks whole layers
// in memory order and waits for the thread of the previous layer: (layer, step) starts after (layer, step - 1) and
// (layer - 1, step). The values of a cell do not depend on the number of threads.
#pragma once
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "solvers/device/space.hpp"

namespace weir {

class Wavefront {
 public:
  explicit Wavefront(Extents cells) : cells_(cells), done_(new Done[std::max(cells.ny, cells.nz)]) {}

  // body(j, k, i0, i1): the cells [i0, i1) of grid row (j, k). backward: from the far corner of the box.
  template <class F>
  void sweep(bool parallel, bool backward, const F& body) {
    const int threads = parallel ? omp_get_max_threads() : 1;
    // Layers k where they keep all threads busy; else layers j, each in steps of a piece of a row.
    const bool planes = cells_.nz >= 2 * threads;
    const int piece = planes ? cells_.nx : std::max(16, cells_.nx / (4 * threads)),
              pieces = (cells_.nx + piece - 1) / piece;
    const int layers = planes ? cells_.nz : cells_.ny, steps = planes ? cells_.ny : cells_.nz * pieces;
    run(threads, layers, steps, [&](int layer, int step) {
      if (backward) {
        layer = layers - 1 - layer;
        step = steps - 1 - step;
      }
      if (planes) return body(step, layer, 0, cells_.nx);
      const int i0 = step % pieces * piece;
      body(layer, step / pieces, i0, std::min(i0 + piece, cells_.nx));
    });
  }

 private:
  struct alignas(64) Done {  // steps of a layer, alone in its cache line
    std::atomic<int> steps{0};
  };

  template <class F>
  void run(int threads, int layers, int steps, const F& f) {
    for (int l = 0; l < layers; ++l) done_[l].steps.store(0, std::memory_order_relaxed);
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      const int stride = omp_get_num_threads();
      for (int l = omp_get_thread_num(); l < layers; l += stride) {
        int seen = l > 0 && stride > 1 ? 0 : steps;  // how far the layer before has come, when last looked at
        for (int s = 0; s < steps; ++s) {
          for (int turns = 0; seen <= s; ++turns) {
            seen = done_[l - 1].steps.load(std::memory_order_acquire);
            if (turns > 1000) std::this_thread::yield();  // more threads than cores: let the other one run
          }
          f(l, s);
          done_[l].steps.store(s + 1, std::memory_order_release);
        }
      }
    }
  }

  Extents cells_;
  std::unique_ptr<Done[]> done_;
};

}  // namespace weir
