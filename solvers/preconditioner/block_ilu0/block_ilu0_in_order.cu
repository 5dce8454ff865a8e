// block_ilu0 on the device for n = 4, 5, 6: one launch per sweep, one thread per unknown. A warp takes the next 32
// / n cells in hyperplane order, reads their blocks, and waits for the values of the neighbours (awaited_value.hpp): a
// waiting cell costs a store and a load through L2, no barrier and no fence. The warp with the lowest unfinished cells
// waits for finished ones only, so that no co-residency is needed. Sums have the order of solve_cell
// (block_ilu0_workgroup.cu).
#include <algorithm>

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/matrix/algorithms/awaited_value.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

namespace weir::block_ilu0 {
namespace {

constexpr int threads = 128, warps_of_group = threads / 32;

// x: y of eq. (2) from r, or z from y in place.
template <bool Forward, bool Wraps, int N, class T>
__global__ void __launch_bounds__(threads)
    sweep_cells(DeviceFactors<T> f, awaited::Turn w, int places, const double* r, double* x) {
  constexpr int cells = 32 / N, low = Forward || Wraps ? 0 : slot::epsilon, slots = Wraps ? slot::count : 3;
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane / N, u = lane % N, first = lane - u;
  const unsigned of_cell = ((1u << N) - 1) << first;
  const Blocks<N> A(f.A, u);
  const auto draw = [&] { return lane == 0 ? atomicAdd(w.drawn, 1u) - w.first : 0u; };
  for (unsigned ticket = draw(), next;; ticket = next) {
    const int from = static_cast<int>(__shfl_sync(full_warp, ticket, 0)) * cells, place = from + q;
    if (from >= places) return;
    next = draw();  // early, to hide the latency of the counter
    const bool has_place = q < cells && place < places;
    const CellLinks links = f.links[!has_place ? 0 : Forward ? place : places - 1 - place];
    const int cell = links.cell();
    bool waits = has_place && cell >= 0;
    const std::int64_t own = std::int64_t{waits ? cell : 0} * N + u;
    int to[slots];
    std::int64_t bits[slots];  // of x there
    double a[slots][N], inverse[N];
    for (int s = 0; s < slots; ++s) {
      to[s] = waits ? linked<Forward>(links, low + s, Wraps) : -1;
      bits[s] = to[s] < 0 ? 0 : awaited::nothing;
      for (int v = 0; v < N; ++v) a[s][v] = to[s] < 0 ? 0 : A(cell, low + s, v * N);
    }
    for (int v = 0; v < N; ++v) inverse[v] = waits ? static_cast<double>(f.inverted[(own - u) * N + v * N + u]) : 0;
    const double right = waits ? (Forward ? r : x)[own] : 0;
    if (waits) w.next[own] = awaited::nothing;
    // All lanes make all turns: none waits at the end of the loop for a lane that waits for it.
    while (__any_sync(full_warp, waits)) {
      bool is_there = true;
      for (int s = 0; s < slots; ++s)
        if (bits[s] == awaited::nothing) bits[s] = load_relaxed(w.there + std::int64_t{to[s]} * N + u);
      for (int s = 0; s < slots; ++s) is_there = is_there && bits[s] != awaited::nothing;
      const bool goes = (__ballot_sync(full_warp, is_there) & of_cell) == of_cell && waits;
      if (!__any_sync(full_warp, goes)) {
        __nanosleep(40);
        continue;
      }
      double z = Forward ? right : 0, y = Forward ? 0 : right;
      for (int v = 0; v < N; ++v) {
        double sum = 0;
        for (int s = 0; s < slots; ++s) sum += a[s][v] * __shfl_sync(full_warp, awaited::as_double(bits[s]), first + v);
        z -= sum;
      }
      for (int v = 0; v < N; ++v) y += inverse[v] * __shfl_sync(full_warp, z, first + v);
      if (!goes) continue;
      x[own] = y;
      store_relaxed(w.there + own, awaited::as_bits(y));
      waits = false;
    }
  }
}

template <bool Wraps, int N, class T>
void sweep_both(const DeviceFactors<T>& f, const Hyperplanes& levels, AwaitedVector& awaited, const double* r,
                double* z) {
  const int places = static_cast<int>(levels.cells.size()), cells = 32 / N;
  const auto tickets = static_cast<unsigned>((places + cells - 1) / cells);
  // Twice the widest hyperplane: waiting cells have already read their blocks; more of them would fill L2 with loads.
  const int most = std::min(places, 2 * levels.widest()), of_group = cells * warps_of_group;
  const auto grid = static_cast<unsigned>((most + of_group - 1) / of_group);
  const LaunchConfig config{.grid = grid, .block = threads, .name = "block_ilu0 sweep"};
  const double* none = nullptr;
  launch(config, sweep_cells<true, Wraps, N, T>, f, awaited.next(tickets, grid * warps_of_group), places, r, z);
  launch(config, sweep_cells<false, Wraps, N, T>, f, awaited.next(tickets, grid * warps_of_group), places, none, z);
}

}  // namespace

template <class T>
bool sweep_in_order(const DeviceFactors<T>& f, const Hyperplanes& levels, AwaitedVector& awaited, const double* r,
                    double* z) {
  bool done = false;
  with_size(f.A.n, [&]<int N>(std::integral_constant<int, N>) {
    if constexpr (N > 0) {
      wraps(f.A.periodic) ? sweep_both<true, N>(f, levels, awaited, r, z)
                          : sweep_both<false, N>(f, levels, awaited, r, z);
      done = true;
    }
  });
  return done;
}

template bool sweep_in_order(const DeviceFactors<double>&, const Hyperplanes&, AwaitedVector&, const double*, double*);
template bool sweep_in_order(const DeviceFactors<float>&, const Hyperplanes&, AwaitedVector&, const double*, double*);

}  // namespace weir::block_ilu0
