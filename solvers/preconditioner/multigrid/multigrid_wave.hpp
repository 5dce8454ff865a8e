// Runs `stages` dependent stages over planes 0 .. planes-1 by threads, as multigrid_host.hpp tells:
// stage(s, k) needs stage s-1 on planes k-1, k, k+1 (cyclic where periodic), and nothing else.
//
//   stage 2  |    2 2 2 2 . . . . 2 2 2 2    |      the dots at the border of two slabs are done after both waves
//   stage 1  |  1 1 1 1 1 1 . . 1 1 1 1 1 1  |
//   stage 0  | 0 0 0 0 0 0 0|0 0 0 0 0 0 0 0 |
#pragma once
#include <omp.h>

namespace weir::multigrid {

// With so many threads every slab has room for the wedges of both its borders.
inline bool wave_fits(int planes, bool periodic, int stages, int threads) {
  return threads == 1 && !periodic ? true : planes / threads >= 2 * stages;
}

// stage(s, k, thread); last(K, thread) for K in 0 .. count-1 when all stages are done.
template <class Stage, class Last>
void run_stages(int planes, bool periodic, int stages, int threads, const Stage& stage, int count, const Last& last) {
  const bool wave = wave_fits(planes, periodic, stages, threads);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const int t = omp_get_thread_num(), team = omp_get_num_threads();
    if (!wave) {
      for (int s = 0; s < stages; ++s) {
#pragma omp for schedule(static)
        for (int k = 0; k < planes; ++k) stage(s, k, t);
      }
    } else {
      const int from = planes * t / team, to = planes * (t + 1) / team;
      const int low = periodic || from > 0 ? 1 : 0, high = periodic || to < planes ? 1 : 0;
      for (int step = from; step < to + stages - 1; ++step)
        for (int s = 0; s < stages; ++s)
          if (const int k = step - s; k >= from + low * s && k < to - high * s) stage(s, k, t);
#pragma omp barrier
      for (int s = 1; low && s < stages; ++s)
        for (int d = -s; d < s; ++d) stage(s, (from + d + planes) % planes, t);
#pragma omp barrier
    }
#pragma omp for schedule(static)
    for (int K = 0; K < count; ++K) last(K, t);
  }
}

}  // namespace weir::multigrid
