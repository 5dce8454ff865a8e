// block_ilu0, form "one_launch": a whole factorisation or sweep in one launch, which the conclusion of Luo et al. 2015 asks
// for, so that small hyperplanes do not pay a launch each. Workgroups draw groups of cells by ticket in hyperplane order
// and wait for the flags of the neighbours they need. The workgroup with the lowest unfinished ticket waits for finished
// ones only, so it always goes on: no co-residency is needed. Flags count turns (one a sweep) and are never reset.
//
// Order: results are written, then a barrier, then one thread a cell releases the flag; a thread acquires the flag, then a
// barrier, then all threads of the workgroup read. Every sum has a fixed order: runs repeat bit for bit.
#include <algorithm>

#include "solvers/preconditioner/block_ilu0/block_ilu0_cell.hpp"

namespace weir::block_ilu0 {
namespace {

// The next ticket of this launch, the same for all threads of the workgroup. Also a barrier between two groups.
__device__ int next_group(const Tickets& tickets) {
  WEIR_SHARED(unsigned, drawn, [1]);
  __syncthreads();
  if (threadIdx.x == 0) drawn[0] = atomicAdd(tickets.counter, 1u) - tickets.start;
  __syncthreads();
  return static_cast<int>(drawn[0]);
}

// The threads of a cell (each its own slots) wait for the neighbours on one side.
template <bool Forward, class T>
__device__ void wait_for_neighbours(const DeviceFactors<T>& f, int cell, int thread, int threads, int turn) {
  for (int t = thread; t < f.A.slots && cell >= 0; t += threads) {
    const int s = f.A.first + t, to = Forward ? neighbour_before(f.A, cell, s) : neighbour_after(f.A, cell, s);
    while (to >= 0 && load_acquire(f.finished + to) != turn) {
    }
  }
  __syncthreads();
}

template <class T>
__device__ void announce(const DeviceFactors<T>& f, int cell, bool one_of_cell, int turn) {
  __syncthreads();
  if (one_of_cell && cell >= 0) store_release(f.finished + cell, turn);
}

template <class T>
__global__ void factorise_all(DeviceFactors<T> f, Tickets tickets, int groups, int most, int turn) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping m(f.A.n);
  for (int q = next_group(tickets); q < groups; q = next_group(tickets)) {
    const FactorThread me(f, m, q, most);
    wait_for_neighbours<true>(f, me.cell, me.v * m.n + me.u, m.n * m.n, turn);
    factorise_cell(f, me.cell, me.u, me.v, s + me.shared_from);
    announce(f, me.cell, me.u == 0 && me.v == 0, turn);
  }
}

template <bool Forward, class T>
__global__ void sweep_all(DeviceFactors<T> f, Tickets tickets, int groups, int turn, const double* r, double* x) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping m(f.A.n);
  for (int q = next_group(tickets); q < groups; q = next_group(tickets)) {
    const SolveThread me(f, m, Forward ? q : groups - 1 - q);
    wait_for_neighbours<Forward>(f, me.cell, me.h * m.n + me.u, m.n * m.groups_of_columns, turn);
    solve_cell<Forward>(f, me.cell, me.u, me.h, m.groups_of_columns, s + me.shared_from, r, x);
    announce(f, me.cell, me.u == 0 && me.h == 0, turn);
  }
}

// As many workgroups as the widest hyperplane keeps busy, half of the next one waiting: more would only wait.
unsigned workgroups(const Hyperplanes& levels) {
  return static_cast<unsigned>(std::max(1, levels.widest_groups() * 3 / 2));
}

}  // namespace

template <class T>
void OneLaunchForm<T>::factorise(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns) {
  const Mapping m(f.A.n);
  const int groups = levels.groups(), most = most_before(f.A.periodic);
  const unsigned grid = workgroups(levels);
  launch({.grid = grid,
          .block = static_cast<unsigned>(m.factor_threads()),
          .shared_bytes = m.factor_shared(most),
          .name = "block_ilu0 factorisation"},
         factorise_all<T>, f, turns.draw(groups, grid), groups, most, turns.next());
}

template <class T>
void OneLaunchForm<T>::solve(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns, const double* r,
                             double* z) {
  const Mapping m(f.A.n);
  const int groups = levels.groups();
  const unsigned grid = workgroups(levels);
  const LaunchConfig config{.grid = grid,
                            .block = static_cast<unsigned>(m.solve_threads()),
                            .shared_bytes = m.solve_shared(),
                            .name = "block_ilu0 sweep"};
  launch(config, sweep_all<true, T>, f, turns.draw(groups, grid), groups, turns.next(), r, z);
  launch(config, sweep_all<false, T>, f, turns.draw(groups, grid), groups, turns.next(), nullptr, z);
}

template struct OneLaunchForm<double>;
template struct OneLaunchForm<float>;

}  // namespace weir::block_ilu0
