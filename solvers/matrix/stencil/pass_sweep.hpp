// Several passes of a 7-point stencil over a box in one sweep on host threads, so that shared data is read from
// memory once. row(p, j, k) does pass p on grid row (j, k). It may
//   read  the results of pass p - 1 in its row and its four neighbours (j -+ 1 and k -+ 1),
//   overwrite  the results of pass p - 2 in its row (two alternating arrays), and use any array at its row only.
// The result is that of the passes one after the other, bit for bit, for any number of threads.
//
// Each thread has a slab of planes. Pass p follows pass p - 1 one plane behind and stops p planes before the adjacent
// slabs; after a barrier the wedges between slabs are completed pass by pass. Inside a slab, strips of rows that
// shift by one row per pass keep the active planes in the thread's cache.
#pragma once
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "solvers/device/for_each.hpp"
#include "solvers/device/space.hpp"

namespace weir {

class PassSweep {
 public:
  // periodic: along y or z; then passes run one at a time. bytes_per_cell: of all arrays used.
  PassSweep(Extents e, bool periodic, int bytes_per_cell) : rows_(e.ny), planes_(e.nz) {
    threads_ = e.count() > parallel_grain ? omp_get_max_threads() : 1;
    if (periodic) return;
    const int thinnest = (e.nz > 1 ? e.nz : e.ny) / threads_;
    if (thinnest < thinnest_slab) return;
    flat_ = e.nz == 1;
    if (flat_) std::swap(rows_, planes_);
    at_once_ = std::min(most_passes, thinnest / 2 + 1);
    const std::int64_t row_in_flight = std::int64_t{at_once_ + 2} * e.nx * bytes_per_cell;
    strip_ = std::min(rows_, std::max(2 * most_passes, static_cast<int>(cache_bytes / row_in_flight)));
  }

  template <class F>
  void operator()(int passes, const F& row) const {
    for (int done = 0; done < passes;) {
      const int now = std::min(at_once_, passes - done);
      const auto from_here = [&](int p, int r, int k) { flat_ ? row(done + p, k, r) : row(done + p, r, k); };
      if (now == 1)
        one_pass(from_here);
      else
        several(now, from_here);
      done += now;
    }
  }

 private:
  static constexpr int most_passes = 8;        // more gain little, and the wedges stay small
  static constexpr int thinnest_slab = 8;      // planes per thread; below, uneven slabs cost more than is saved
  static constexpr int cache_bytes = 4 << 20;  // share of the last-level cache per thread

  template <class F>
  void one_pass(const F& row) const {
    const int count = rows_ * planes_;
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int q = 0; q < count; ++q) row(0, q % rows_, q / rows_);
  }

  template <class F>
  void several(int passes, const F& row) const {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    {
      const int slabs = omp_get_num_threads(), me = omp_get_thread_num();
      const int short_below = me > 0 ? 1 : 0, short_above = me + 1 < slabs ? 1 : 0;
      for (int j = 0; j < rows_ + (passes - 1); j += strip_)
        slab(passes, j, edge(me, slabs), edge(me + 1, slabs), short_below, short_above, row);
#pragma omp barrier
      for (int p = 1; p < passes; ++p) {
        const int count = (slabs - 1) * 2 * p * rows_;
#pragma omp for schedule(static)
        for (int q = 0; q < count; ++q) {
          const int plane = q / rows_;
          row(p, q % rows_, edge(1 + plane / (2 * p), slabs) - p + plane % (2 * p));
        }
      }
    }
  }

  // All passes on the strip that pass 0 starts at row j0, in the planes [low, high) of a slab.
  template <class F>
  void slab(int passes, int j0, int low, int high, int short_below, int short_above, const F& row) const {
    for (int t = low; t < high + passes - 1; ++t)
      for (int p = 0; p < passes; ++p) {
        const int k = t - p;
        if (k < low + p * short_below || k >= high - p * short_above) continue;
        const int end = std::min(rows_, j0 + strip_ - p);
        for (int j = std::max(0, j0 - p); j < end; ++j) row(p, j, k);
      }
  }

  int edge(int slab, int slabs) const { return static_cast<int>(std::int64_t{planes_} * slab / slabs); }

  int rows_, planes_, threads_ = 1, at_once_ = 1, strip_ = 1;
  bool flat_ = false;  // one plane: its rows are treated as planes of one row
};

}  // namespace weir
