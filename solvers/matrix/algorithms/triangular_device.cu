// One sweep on the device: one thread an unknown, so the n threads of a row read each column of a block side by side,
// and no thread needs what another of its row computes.
//
// "levels": the order of launches is the order of the levels. "one_launch": a row is finished once its n threads have
// stored; a barrier, then one of them releases the row's flag; whoever needs it acquires the flag. Workgroups draw rows
// in level order, so the one with the lowest unfinished ticket waits for finished rows only: no co-residency is needed.
// Flags count sweeps and are never reset.
#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/matrix/algorithms/triangular.hpp"

namespace weir {
namespace triangular {

constexpr int threads_a_workgroup = 256;

template <class T>
struct Sweep {
  TriangleView<T> t;
  const T* scale;
  const double* b;
  double* x;
};

// Unknown u of the row at position p. Load reads x, which other workgroups may have written in this launch.
template <class T>
WEIR_HD inline void solve_unknown(const Sweep<T>& s, int p, int u) {
  const int n = s.t.block;
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
}

template <class T>
void solve_level(const Sweep<T>& s, int from, int to) {
  const int n = s.t.block;
  for_each<Device>((to - from) * n, [=] WEIR_HD(int q) { solve_unknown(s, from + q / n, q % n); });
}

// The levels [first, end) by one workgroup.
template <class T>
__global__ void solve_small_levels(Sweep<T> s, const int* level_start, int first, int end) {
  const int n = s.t.block;
  for (int l = first; l < end; ++l) {
    const int from = level_start[l], items = (level_start[l + 1] - from) * n;
    for (int q = static_cast<int>(threadIdx.x); q < items; q += static_cast<int>(blockDim.x))
      solve_unknown(s, from + q / n, q % n);
    __syncthreads();
  }
}

// What the launch of a whole sweep hands out: ticket c is the positions chunk[c] .. chunk[c + 1] - 1, all of one level.
struct Tickets {
  unsigned* drawn;
  unsigned first;  // the counter before the launch
  const int* chunk;
  int chunks;
  int* finished;  // a row: the turn it was last finished in
  int turn;
};

template <class T>
__global__ void solve_all(Sweep<T> s, Tickets tickets) {
  WEIR_SHARED(unsigned, ticket, [1]);
  const int n = s.t.block, me = static_cast<int>(threadIdx.x);
  for (;;) {
    __syncthreads();
    if (me == 0) ticket[0] = atomicAdd(tickets.drawn, 1u) - tickets.first;
    __syncthreads();
    const int c = static_cast<int>(ticket[0]);
    if (c >= tickets.chunks) return;
    const int p = tickets.chunk[c] + me / n;
    const bool busy = p < tickets.chunk[c + 1];
    for (std::int64_t e = busy ? s.t.start[p] + me % n : 0; busy && e < s.t.start[p + 1]; e += n)
      while (load_acquire(tickets.finished + s.t.column[e]) != tickets.turn) {
      }
    __syncthreads();  // what one thread of a row has acquired, all may read
    if (busy) solve_unknown(s, p, me % n);
    __syncthreads();
    if (busy && me % n == 0) store_release(tickets.finished + s.t.order[p], tickets.turn);
  }
}

}  // namespace triangular

namespace {

// Tickets of at most one workgroup's rows, none across two levels.
std::vector<int> chunks_of(const Levels& levels, int block) {
  const int rows = std::max(1, triangular::threads_a_workgroup / block);
  std::vector<int> chunk;
  for (int l = 0; l < levels.count(); ++l)
    for (int p = levels.start[static_cast<std::size_t>(l)]; p < levels.start[static_cast<std::size_t>(l) + 1];
         p += rows)
      chunk.push_back(p);
  chunk.push_back(static_cast<int>(levels.row.size()));
  return chunk;
}

std::vector<LevelLaunch> launches_of(const Levels& levels, int block) {
  const int small = std::max(1, 2 * triangular::threads_a_workgroup / block);
  std::vector<LevelLaunch> launches;
  for (int l = 0; l < levels.count(); ++l) {
    if (l > 0 && levels.size(l) <= small && levels.size(l - 1) <= small)
      launches.back().end = l + 1;
    else
      launches.push_back({l, l + 1});
  }
  return launches;
}

}  // namespace

template <class T>
UnitTriangle<Device, T>::UnitTriangle(const TriangularRows& rows, Triangle side, int block, const SweepOptions& options)
    : block_(block), form_(options.form) {
  const Levels levels(rows, side);
  level_start_ = levels.start;
  order_host_ = levels.row;
  launches_ = launches_of(levels, block);
  if (form_ == SweepForm::one_launch) {
    chunk_ = Array<int, Device>(chunks_of(levels, block));
    finished_ = Array<int, Device>(std::vector<int>(levels.row.size(), 0));
    drawn_ = Array<unsigned, Device>(std::vector<unsigned>(1, 0));
    for (int l = 0; l < levels.count(); ++l) widest_ = std::max(widest_, levels.size(l));
  }
  std::vector<std::int64_t> start{0};
  std::vector<int> column;
  for (const int i : levels.row) {
    column.insert(column.end(), rows.column.begin() + rows.first(i), rows.column.begin() + rows.end(i));
    start.push_back(static_cast<std::int64_t>(column.size()));
  }
  order_ = Array<int, Device>(levels.row);
  column_ = Array<int, Device>(column);
  start_ = Array<std::int64_t, Device>(start);
  starts_ = Array<int, Device>(level_start_);
  value_ = Array<T, Device>(static_cast<std::int64_t>(column.size()) * block * block);
}

template <class T>
TriangleView<T> UnitTriangle<Device, T>::view() {
  return {static_cast<int>(order_.size()), block_, order_.data(), start_.data(), column_.data(), value_.data()};
}

template <class T>
std::vector<int> UnitTriangle<Device, T>::positions() const {
  std::vector<int> position(order_host_.size());
  for (std::size_t p = 0; p < order_host_.size(); ++p)
    position[static_cast<std::size_t>(order_host_[p])] = static_cast<int>(p);
  return position;
}

template <class T>
std::int64_t UnitTriangle<Device, T>::bytes() const {
  return value_.size() * static_cast<std::int64_t>(sizeof(T)) +
         4 * (order_.size() + column_.size() + starts_.size() + finished_.size()) + 8 * start_.size();
}

template <class T>
void UnitTriangle<Device, T>::solve(const T* scale, const double* b, double* x) {
  const triangular::Sweep<T> s{view(), scale, b, x};
  if (form_ == SweepForm::one_launch) return solve_in_one_launch(s);
  for (const LevelLaunch& l : launches_) {
    if (l.end == l.first + 1) {
      triangular::solve_level(s, level_start_[static_cast<std::size_t>(l.first)],
                              level_start_[static_cast<std::size_t>(l.end)]);
    } else {
      launch({.grid = 1, .block = triangular::threads_a_workgroup, .name = "small levels"},
             triangular::solve_small_levels<T>, s, static_cast<const int*>(starts_.data()), l.first, l.end);
    }
  }
}

// As many workgroups as the widest level keeps busy, half of the next one waiting: more would only wait.
template <class T>
void UnitTriangle<Device, T>::solve_in_one_launch(const triangular::Sweep<T>& s) {
  const int chunks = static_cast<int>(chunk_.size()) - 1, rows = std::max(1, triangular::threads_a_workgroup / block_);
  const auto grid = static_cast<unsigned>(std::max(1, (widest_ + rows - 1) / rows * 3 / 2));
  turn_ = turn_ % 0x3fffffff + 1;  // never 0, which the flags start from
  const triangular::Tickets tickets{drawn_.data(), tickets_, chunk_.data(), chunks, finished_.data(), turn_};
  tickets_ += static_cast<unsigned>(chunks) + grid;  // each workgroup draws one too many
  launch({.grid = grid, .block = triangular::threads_a_workgroup, .name = "triangular sweep"}, triangular::solve_all<T>,
         s, tickets);
}

template class UnitTriangle<Device, double>;
template class UnitTriangle<Device, float>;

}  // namespace weir
