// block_ilu0 on the device for blocks up to 32: a whole factorisation or sweep in one launch, as the conclusion of Luo
// et al. 2015 suggests, so that small hyperplanes need no launch of their own; a workgroup takes a few cells (Algs. 8
// to 10). Workgroups draw groups of cells by ticket in hyperplane order and wait for the flags of their neighbours. The
// workgroup with the lowest unfinished ticket waits for finished ones only: no co-residency is needed. Flags count
// turns (one per sweep) and are never reset. Every sum has a fixed order: runs repeat bit for bit.
//
// Order: results are written, then a barrier, then one thread per cell releases the flag; a thread acquires the flag,
// then a barrier, then all threads of the workgroup read.
#include <algorithm>

#include "backend/dialect.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

namespace weir::block_ilu0 {

// One cell by the threads of a workgroup with shared memory (Algs. 9 and 10). The functions contain barriers: every
// thread of the workgroup calls them, also those without a cell (cell < 0).

// Alg. 9, lines 6 to 11: thread (u, v) holds d^uv and returns (d^-1)^uv. Row and column r pass through two buffers of n
// x n in turn, so that one barrier per step suffices.
template <int N>
__device__ inline double inverted_entry(double d, int block, int u, int v, double* s, bool& usable) {
  const int n = N > 0 ? N : block;
  for (int r = 0; r < n; ++r) {
    double* t = s + (r & 1) * n * n;
    const bool in_row = u == r, in_column = v == r;
    if (in_row || in_column) t[v * n + u] = d;
    __syncthreads();
    const double pivot = t[r * n + r], inverse = 1 / pivot;
    usable = usable && pivot != 0 && pivot - pivot == 0;
    if (in_row)
      d = in_column ? inverse : d * inverse;
    else
      d = in_column ? -d * inverse : d - t[r * n + u] * (t[v * n + r] * inverse);
  }
  return d;
}

// The same with the largest entry of each column as its pivot. All of d passes through the buffer, so that a thread can
// take over the entry of the exchanged row; the exchanges are undone on the columns at the end.
template <int N>
__device__ inline double inverted_entry_pivoting(double d, int block, int u, int v, double* s, bool& usable) {
  const int n = N > 0 ? N : block;
  int source = v;
  for (int r = 0; r < n; ++r) {
    double* t = s + (r & 1) * n * n;
    t[v * n + u] = d;
    __syncthreads();
    int p = r;
    for (int w = r + 1; w < n; ++w)
      if (fabs(t[r * n + w]) > fabs(t[r * n + p])) p = w;
    const int from = u == r ? p : u == p ? r : u;
    source = source == r ? p : source == p ? r : source;
    const double pivot = t[r * n + p], inverse = 1 / pivot, mine = t[v * n + from];
    usable = usable && pivot != 0 && pivot - pivot == 0;
    if (u == r)
      d = v == r ? inverse : mine * inverse;
    else
      d = v == r ? -mine * inverse : mine - t[r * n + from] * (t[v * n + p] * inverse);
  }
  double* t = s + (n & 1) * n * n;
  t[v * n + u] = d;
  __syncthreads();
  return t[source * n + u];
}

// Entries that thread (u, v) of a cell reads before it waits for other cells: of d, and of the blocks to and from the
// three slots before it. Further neighbours before it (periodic directions) are read later.
template <int N>
struct OwnEntries {
  static constexpr int ahead = 3;
  double to_others[ahead], back[ahead], d = 1;

  __device__ OwnEntries(const Blocks<N>& A, const CellLinks& links) {
    const int cell = links.cell();
    for (int t = 0; t < ahead; ++t) {
      const int to = linked<true>(links, t, false);
      to_others[t] = back[t] = 0;
      if (to < 0) continue;
      to_others[t] = A(cell, t);
      back[t] = A(to, slot::eta - t);  // the opposite slot
    }
    if (cell >= 0) d = A(cell, slot::delta);
  }
};

// Alg. 9: eq. (1) of one cell by n x n threads; s: shared, 3 most_before blocks. Each thread reads one entry of each
// block, so that a block is one contiguous read; the products take them from shared memory.
template <int N, class T>
__device__ inline void factorise_cell(const DeviceFactors<T>& f, const Blocks<N>& A, const OwnEntries<N>& own,
                                      const CellLinks& links, int u, int v, int most, double* s) {
  const int n = N > 0 ? N : f.A.n, nn = n * n, entry = v * n + u, cell = links.cell();
  constexpr int ahead = OwnEntries<N>::ahead;
  const bool wraps = most > ahead;
  double *inverse = s + most * nn, *back = inverse + most * nn, product[slot::count];
  int l = 0;
  for (int t = 0; t < slot::count; ++t) {
    const int to = linked<true>(links, t, wraps);
    if (to < 0) continue;
    const int at = l++ * nn + entry;
    s[at] = t < ahead ? own.to_others[t] : A(cell, t);
    back[at] = t < ahead ? own.back[t] : A(to, slot::eta - t);
    inverse[at] = static_cast<double>(f.inverted[std::int64_t{to} * nn + entry]);
  }
  __syncthreads();
  l = 0;
  for (int t = 0; t < slot::count; ++t) {
    product[t] = 0;
    if (linked<true>(links, t, wraps) < 0) continue;
    const double *alpha = s + l * nn + u, *column = inverse + l++ * nn + v * n;
    for (int w = 0; w < n; ++w) product[t] += alpha[w * n] * column[w];
  }
  __syncthreads();
  l = 0;
  for (int t = 0; t < slot::count; ++t)
    if (linked<true>(links, t, wraps) >= 0) s[l++ * nn + entry] = product[t];
  __syncthreads();
  double d = own.d;
  for (int k = 0; k < l; ++k) {
    const double *row = s + k * nn + u, *column = back + k * nn + v * n;
    for (int w = 0; w < n; ++w) d -= row[w * n] * column[w];
  }
  __syncthreads();
  bool usable = true;
  d = f.pivoting ? inverted_entry_pivoting<N>(d, n, u, v, s, usable) : inverted_entry<N>(d, n, u, v, s, usable);
  if (cell < 0) return;
  f.inverted[std::int64_t{cell} * nn + entry] = static_cast<T>(d);
  if (u == 0 && v == 0) f.bad[cell] = usable ? 0 : 1;
}

// Values that thread (u, h) of a cell reads before it waits for other cells: its place in column h of each block, and
// of the vectors. With periodic directions any slot may lead back.
template <bool Forward, class T>
struct OwnValues {
  double block[slot::count], inverse = 0, right = 0;

  __device__ OwnValues(const DeviceFactors<T>& f, const CellLinks& links, bool wraps, int u, int h, const double* r,
                       const double* x) {
    const int n = f.A.n, from = h * n + u, cell = links.cell();
    const Blocks<0> A(f.A, from);
    for (int t = 0; t < slot::count; ++t) block[t] = linked<Forward>(links, t, wraps) >= 0 ? A(cell, t) : 0;
    if (cell < 0) return;
    inverse = f.inverted[std::int64_t{cell} * n * n + from];
    if (h == 0) right = (Forward ? r : x)[std::int64_t{cell} * n + u];
  }
};

// Alg. 10: one cell of a sweep by n x g threads: thread (u, h) sums the columns h, h + g, ... of row u, and thread (u,
// 0) adds those g sums in order. s: shared, (g + 1) n values.
template <bool Forward, class T>
__device__ inline void solve_cell(const DeviceFactors<T>& f, const OwnValues<Forward, T>& own, const CellLinks& links,
                                  bool wraps, int u, int h, int g, double* s, double* x) {
  const int n = f.A.n, cell = links.cell();
  double *z = s + g * n, xh[slot::count];
  for (int t = 0; t < slot::count; ++t) {
    const int to = linked<Forward>(links, t, wraps);
    xh[t] = to < 0 ? 0 : x[std::int64_t{to} * n + h];
  }
  double sum = 0;
  for (int t = 0; t < slot::count; ++t) {
    const int to = linked<Forward>(links, t, wraps);
    if (to < 0) continue;
    sum += own.block[t] * xh[t];
    if (h + g >= n) continue;
    const double *block = f.A.block(cell, t) + u, *xt = x + std::int64_t{to} * n;
    for (int v = h + g; v < n; v += g) sum += block[v * n] * xt[v];
  }
  s[h * n + u] = sum;
  __syncthreads();
  if (h == 0) {
    double rest = Forward ? own.right : 0;
    for (int j = 0; j < g; ++j) rest -= s[j * n + u];
    z[u] = rest;
  }
  __syncthreads();
  sum = own.inverse * z[h];
  for (int v = h + g; v < n && cell >= 0; v += g) sum += f.block(cell)[v * n + u] * z[v];
  s[h * n + u] = sum;
  __syncthreads();
  if (h == 0 && cell >= 0) {
    double y = Forward ? 0 : own.right;
    for (int j = 0; j < g; ++j) y += s[j * n + u];
    x[std::int64_t{cell} * n + u] = y;
  }
}

// Division of a workgroup into cells (Alg. 8), in a factorisation (n x n threads per cell) and in a sweep (n x g).
template <int N>
struct Mapping {
  int n, groups_of_columns, cells;

  WEIR_HD explicit Mapping(int block)
      : n(N > 0 ? N : block), groups_of_columns(n < 8 ? n : 8), cells(cells_a_workgroup(n)) {}
  WEIR_HD int factor_threads() const { return cells * n * n; }
  WEIR_HD int solve_threads() const { return cells * n * groups_of_columns; }
  std::size_t factor_shared(int most) const {
    return 3 * sizeof(double) * static_cast<std::size_t>(factor_threads() * most);
  }
  std::size_t solve_shared() const {
    return sizeof(double) * static_cast<std::size_t>(cells * n * (groups_of_columns + 1));
  }
};

// Role of a thread in a group of places of f.links.
template <int N>
struct FactorThread {
  int cell, u, v, shared_from;  // cell: index in the group
  __device__ FactorThread(const Mapping<N>& m, int most) {
    const int nn = m.n * m.n, e = static_cast<int>(threadIdx.x);
    u = e % m.n;
    v = e / m.n % m.n;
    cell = e / nn;
    shared_from = 3 * cell * nn * most;
  }
};
struct SolveThread {
  int cell, u, h, shared_from;
  __device__ explicit SolveThread(const Mapping<0>& m) {
    const int a_cell = m.n * m.groups_of_columns, e = static_cast<int>(threadIdx.x);
    u = e % m.n;
    h = e / m.n % m.groups_of_columns;
    cell = e / a_cell;
    shared_from = cell * (a_cell + m.n);
  }
};

namespace {

// The next ticket of this launch, the same for all threads of the workgroup. Between two calls the barriers of
// wait_for_neighbours and announce are passed: all threads have read a ticket before the next one is drawn.
__device__ int next_group(const Tickets& tickets) {
  WEIR_SHARED(unsigned, drawn, [1]);
  if (threadIdx.x == 0) drawn[0] = atomicAdd(tickets.counter, 1u) - tickets.start;
  __syncthreads();
  return static_cast<int>(drawn[0]);
}

// The threads of a cell (each with its own slots) wait for the neighbours on one side.
template <bool Forward, class T>
__device__ void wait_for_neighbours(const DeviceFactors<T>& f, int place, int thread, int threads, int turn) {
  const CellLinks& links = f.links[place];
  for (int t = thread; t < slot::count; t += threads) {
    const int to = linked<Forward>(links, t, true);
    if (to >= 0) wait_until(f.finished + to, turn);
  }
  __syncthreads();
}

template <class T>
__device__ void announce(const DeviceFactors<T>& f, int cell, bool one_of_cell, int turn) {
  __syncthreads();
  if (one_of_cell && cell >= 0) store_release(f.finished + cell, turn);
}

// Most threads per workgroup, for the register limit.
constexpr int most_threads(int N) { return N > 0 ? 256 : 1024; }

template <int N, class T>
__global__ __launch_bounds__(most_threads(N)) void factorise_all(DeviceFactors<T> f, Tickets tickets, int groups,
                                                                 int most, int turn) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping<N> m(f.A.n);
  const FactorThread<N> me(m, most);
  const Blocks<N> A(f.A, me.v * m.n + me.u);
  for (int q = next_group(tickets); q < groups; q = next_group(tickets)) {
    const int place = q * m.cells + me.cell;
    const CellLinks links = f.links[place];
    const OwnEntries<N> own(A, links);
    wait_for_neighbours<true>(f, place, me.v * m.n + me.u, m.n * m.n, turn);
    factorise_cell(f, A, own, links, me.u, me.v, most, s + me.shared_from);
    announce(f, links.cell(), me.u == 0 && me.v == 0, turn);
  }
}

template <bool Forward, class T>
__global__ __launch_bounds__(256) void sweep_all(DeviceFactors<T> f, Tickets tickets, int groups, int turn, bool wraps,
                                                 const double* r, double* x) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping<0> m(f.A.n);
  const SolveThread me(m);
  for (int q = next_group(tickets); q < groups; q = next_group(tickets)) {
    const int place = (Forward ? q : groups - 1 - q) * m.cells + me.cell;
    const CellLinks links = f.links[place];
    const OwnValues<Forward, T> own(f, links, wraps, me.u, me.h, r, x);
    wait_for_neighbours<Forward>(f, place, me.h * m.n + me.u, m.n * m.groups_of_columns, turn);
    solve_cell(f, own, links, wraps, me.u, me.h, m.groups_of_columns, s + me.shared_from, x);
    announce(f, links.cell(), me.u == 0 && me.h == 0, turn);
  }
}

// As many workgroups as the widest hyperplane keeps busy, and half of the next one: more would only wait.
unsigned workgroups(const Hyperplanes& levels) {
  return static_cast<unsigned>(std::max(1, levels.widest_groups() * 3 / 2));
}

}  // namespace

template <class T>
void factorise_in_one_launch(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns) {
  const int groups = levels.groups(), most = most_before(f.A.periodic);
  const unsigned grid = workgroups(levels);
  with_size(f.A.n, [&]<int N>(std::integral_constant<int, N>) {
    const Mapping<N> m(f.A.n);
    launch({.grid = grid,
            .block = static_cast<unsigned>(m.factor_threads()),
            .shared_bytes = m.factor_shared(most),
            .name = "block_ilu0 factorisation"},
           factorise_all<N, T>, f, turns.draw(groups, grid), groups, most, turns.next());
  });
}

template <class T>
void solve_in_one_launch(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns, AwaitedVector& awaited,
                         const double* r, double* z) {
  if (sweep_in_order(f, levels, awaited, r, z)) return;
  const Mapping<0> m(f.A.n);
  const int groups = levels.groups();
  const unsigned grid = workgroups(levels);
  const bool wrap = wraps(f.A.periodic);
  const LaunchConfig config{.grid = grid,
                            .block = static_cast<unsigned>(m.solve_threads()),
                            .shared_bytes = m.solve_shared(),
                            .name = "block_ilu0 sweep"};
  launch(config, sweep_all<true, T>, f, turns.draw(groups, grid), groups, turns.next(), wrap, r, z);
  launch(config, sweep_all<false, T>, f, turns.draw(groups, grid), groups, turns.next(), wrap, nullptr, z);
}

#define WEIR_INSTANTIATE(T)                                                                              \
  template void factorise_in_one_launch(const DeviceFactors<T>&, const Hyperplanes&, Turns&);            \
  template void solve_in_one_launch(const DeviceFactors<T>&, const Hyperplanes&, Turns&, AwaitedVector&, \
                                    const double*, double*);
WEIR_INSTANTIATE(double)
WEIR_INSTANTIATE(float)

}  // namespace weir::block_ilu0
