// One sweep on the device with one thread per unknown: the n threads of a row read each block column together, and no
// thread needs results of the same row.
//
// Blocks up to 32 take one launch: a warp takes the next 32 / n rows in level order and waits for the values of x that
// they need (awaited_value.hpp). A wait costs one store and one load through L2 and no fence. The warp with the lowest
// unfinished rows waits only for finished rows or its own, so co-residency is not required. Sweeps alternate between
// two vectors: each one clears the other vector for the next sweep.
#include <algorithm>

#include "solvers/device/block.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/matrix/algorithms/awaited_value.hpp"
#include "solvers/matrix/algorithms/triangular.hpp"

namespace weir {
namespace triangular {

constexpr int most_in_order = 32;  // largest block

template <class T>
struct Sweep {
  TriangleView<T> t;
  const T* scale;
  const double* b;
  double* x;
};

// The rows of positions from .. to - 1, which do not depend on each other.
template <class T>
void solve_level(const Sweep<T>& s, int from, int to) {
  const int n = s.t.block;
  for_each<Device>((to - from) * n, [=] WEIR_HD(int q) {
    const int p = from + q / n, u = q % n;
    const std::int64_t nn = std::int64_t{n} * n, row = std::int64_t{s.t.order[p]} * n;
    double y = 0;
    if (s.scale) {
      for (int v = 0; v < n; ++v) y += static_cast<double>(s.scale[p * nn + v * n + u]) * s.b[row + v];
    } else {
      y = s.b[row + u];
    }
    for (std::int64_t e = s.t.start[p]; e < s.t.start[p + 1]; ++e) {
      const T* block = s.t.value + e * nn + u;
      const double* xj = s.x + std::int64_t{s.t.column[e]} * n;
      for (int v = 0; v < n; ++v) y -= static_cast<double>(block[v * n]) * xj[v];
    }
    s.x[row + u] = y;
  });
}

constexpr int threads_in_order = 128;  // threads per workgroup; warps are independent

// N: block size, 0: any up to 32. The lanes of a row each load one awaited value and share it.
template <int N, class T>
__global__ void __launch_bounds__(threads_in_order) solve_in_order(Sweep<T> s, awaited::Turn w) {
  const int n = N > 0 ? N : s.t.block, nn = n * n, rows = 32 / n;  // rows: per warp
  const int lane = static_cast<int>(threadIdx.x) % 32, r = lane / n, u = lane % n, first = lane - u;
  const unsigned of_row = (full_warp >> (32 - n)) << first;
  const auto draw = [&] { return lane == 0 ? atomicAdd(w.drawn, 1u) - w.first : 0u; };
  for (unsigned ticket = draw(), next;; ticket = next) {
    const int from = static_cast<int>(__shfl_sync(full_warp, ticket, 0)) * rows;
    if (from >= s.t.rows) return;
    next = draw();  // early, to hide the latency
    bool waits = r < rows && from + r < s.t.rows;
    const int p = waits ? from + r : from;
    const std::int64_t row = std::int64_t{s.t.order[p]} * n;
    std::int64_t e = s.t.start[p];
    const std::int64_t end = waits ? s.t.start[p + 1] : e;
    double y = waits ? s.b[row + u] : 0;
    if (s.scale) {
      double sum = 0;
      for (int v = 0; v < n; ++v)
        sum += static_cast<double>(s.scale[std::int64_t{p} * nn + v * n + u]) * __shfl_sync(full_warp, y, first + v);
      y = sum;
    }
    if (waits) w.next[row + u] = awaited::nothing;
    int column = 0;
    double a[N > 0 ? N : 1] = {};
    const auto fetch = [&] {  // data of the row itself, fetched before waiting
      column = s.t.column[e];
      if constexpr (N > 0)
        for (int v = 0; v < N; ++v) a[v] = static_cast<double>(s.t.value[e * nn + v * n + u]);
    };
    if (e < end) fetch();
    // All lanes run all iterations, so that no lane waits at the end of the loop for one that waits for it.
    while (__any_sync(full_warp, waits)) {
      const bool more = e < end;
      const std::int64_t bits = more ? load_relaxed(w.there + std::int64_t{column} * n + u) : 0;
      const bool goes = (__ballot_sync(full_warp, bits != awaited::nothing) & of_row) == of_row && more;
      if (__any_sync(full_warp, goes)) {
        for (int v = 0; v < n; ++v) {
          const double xj = __shfl_sync(full_warp, awaited::as_double(bits), first + v);
          if (!goes) continue;
          if constexpr (N > 0)
            y -= a[v] * xj;
          else
            y -= static_cast<double>(s.t.value[e * nn + v * n + u]) * xj;
        }
        if (goes && ++e < end) fetch();
      } else if (__all_sync(full_warp, more || !waits)) {
        __nanosleep(20);
      }
      if (waits && e >= end) {
        s.x[row + u] = y;
        store_relaxed(w.there + row + u, awaited::as_bits(y));
        waits = false;
      }
    }
  }
}

}  // namespace triangular

template <class T>
UnitTriangle<Device, T>::UnitTriangle(const TriangularRows& rows, const Levels& levels, int block)
    : TriangleBlocks<Device, T>(rows, levels.row, block), level_start_(levels.start) {
  for (int l = 0; l < levels.count(); ++l) widest_ = std::max(widest_, levels.size(l));
  if (block <= triangular::most_in_order) x_ = AwaitedVector(static_cast<std::int64_t>(levels.row.size()) * block);
}

template <class T>
void UnitTriangle<Device, T>::solve(const T* scale, const double* b, double* x) {
  const triangular::Sweep<T> s{this->view(), scale, b, x};
  if (s.t.block <= triangular::most_in_order) return solve_in_one_launch(s);
  for (int l = 0; l < levels(); ++l) triangular::solve_level(s, level_start_[l], level_start_[l + 1]);
}

// Enough warps for four of the widest levels: waiting warps have already loaded their own data.
template <class T>
void UnitTriangle<Device, T>::solve_in_one_launch(const triangular::Sweep<T>& s) {
  constexpr int warps = triangular::threads_in_order / 32;
  const int n = s.t.block, rows = 32 / n, most = std::min(s.t.rows, 4 * widest_);
  if (s.t.rows == 0) return;
  const auto tickets = static_cast<unsigned>((s.t.rows + rows - 1) / rows);
  const auto grid = static_cast<unsigned>((most + rows * warps - 1) / (rows * warps));
  const awaited::Turn order = x_.next(tickets, grid * warps);
  const LaunchConfig config{.grid = grid, .block = triangular::threads_in_order, .name = "triangular sweep"};
  switch (n) {
    case 1:
      return launch(config, triangular::solve_in_order<1, T>, s, order);
    case 4:
      return launch(config, triangular::solve_in_order<4, T>, s, order);
    case 5:
      return launch(config, triangular::solve_in_order<5, T>, s, order);
    case 6:
      return launch(config, triangular::solve_in_order<6, T>, s, order);
    default:
      return launch(config, triangular::solve_in_order<0, T>, s, order);
  }
}

template class UnitTriangle<Device, double>;
template class UnitTriangle<Device, float>;

}  // namespace weir
