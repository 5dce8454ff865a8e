// Red-black cycle on the host in two passes per level, each through the planes of the grid once:
//  descend   load, pre-smoothing, residual, restriction        ascend   prolongation, post-smoothing, store
// A stage (e.g. half a sweep) of plane k needs the previous stage on planes k-1, k, k+1. A thread runs all stages as a
// wave through its slab of planes, so that a plane is in the cache during all of them; the remainder at the borders of
// the slabs is done after all waves. Every value is computed from the same values in the same order whatever the number
// of threads: results agree bit for bit.
#pragma once
#include <omp.h>
#include <vector>

#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {

// Exchange of a row (x direction) as runs of merged pairs or of single unknowns, one vector loop each.
template <class T>
struct RowExchange {
  struct Run {
    int fine, coarse, count;  // first fine, first coarse, number of coarse unknowns
    bool pairs;
  };
  std::vector<Run> runs;
  std::vector<T> restriction[4];                                      // by slot
  std::vector<T> left_parent, left_other, right_parent, right_other;  // weights of the two unknowns of a pair
};
template <class T>
RowExchange<T> make_row_exchange(const LineTransfer& transfer);

// Scratch memory of the threads: `stride` values each, and one number each, a cache line apart.
template <class T>
struct Workspace {
  T* data = nullptr;
  double* peaks = nullptr;
  std::int64_t stride = 0;
  int threads = 1;
};
// Scratch values per thread for one plane of this exchange.
template <class T>
std::int64_t scratch_size(const LevelView<T>& fine, const LevelView<T>& coarse);

template <class T>
struct HostPass {
  LevelView<T> fine, coarse;
  ExchangeView<T> exchange;
  const RowExchange<T>* row = nullptr;
  Workspace<T> workspace;
  int sweeps = 1;
  int first_colour = 0;      // first colour of a sweep
  const T* omega = nullptr;  // per half sweep
};

// g = factor r / V on the own unknowns of a level with a wide box. Returns the largest |g|.
template <class T>
double load_own(const LevelView<T>& L, const double* r, double factor);

// Pre-smoothing from u = 0 (u need not be cleared), then coarse g = R (g - A u). With r (where all unknowns are own):
// g = factor r / V first. Returns the largest |g| loaded.
template <class T>
double descend(const HostPass<T>& pass, const double* r, double factor);

// Output of the last pass: z = factor u, and r.z and w.z per own row (j, k) if not null.
struct Output {
  double* z = nullptr;
  double factor = 1;
  const double* r = nullptr;
  double* row_dots = nullptr;
  const double* w = nullptr;
  double* row_dots_w = nullptr;
};

// u += P coarse u, then post-smoothing.
template <class T>
void ascend(const HostPass<T>& pass, const Output& out);

// Runs `stages` dependent stages over planes 0 .. planes-1 by threads: stage(s, k) needs stage s-1 on planes k-1, k,
// k+1 (cyclic if periodic).
//
//   stage 2  |    2 2 2 2 . . . . 2 2 2 2    |      the dots at the border of two slabs are done after both waves
//   stage 1  |  1 1 1 1 1 1 . . 1 1 1 1 1 1  |
//   stage 0  | 0 0 0 0 0 0 0|0 0 0 0 0 0 0 0 |

// True if every slab has room for the wedges of both its borders.
inline bool wave_fits(int planes, bool periodic, int stages, int threads) {
  return threads == 1 && !periodic ? true : planes / threads >= 2 * stages;
}

// stage(s, k, thread); last(K, thread) for K in 0 .. count-1 after all stages.
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
