// block_ilu0, form "workgroup": a launch a hyperplane; each workgroup takes a few cells of it (Luo et al. 2015, Algs. 8 to 10).
// Every sum has a fixed order: runs repeat bit for bit.
#include <algorithm>

#include "backend/dialect.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

namespace weir::block_ilu0 {

// One cell of block_ilu0 by the threads of a workgroup with shared memory (Luo et al. 2015, Algs. 9 and 10), for the kernels of
// the forms "workgroup" and "one_launch". A workgroup has `cells` cells side by side; every thread of it must call these
// functions, those without a cell (cell < 0) too, because they hold barriers.

// Alg. 9, lines 6 to 11: thread (u, v) holds d^uv and gets (d^-1)^uv. Row and column r travel through two buffers of n x n
// in turn, so that one barrier a step is enough.
__device__ inline double inverted_entry(double d, int n, int u, int v, double* s, bool& usable) {
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

// The same with the largest entry of each column as its pivot. All of d travels, so that a thread can take over the entry
// of the row that is exchanged with its own; the exchanges are undone on the columns at the end.
__device__ inline double inverted_entry_pivoting(double d, int n, int u, int v, double* s, bool& usable) {
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

// What thread (u, v) of a cell needs in a factorisation that no other cell computes, read before the cell waits for others: its entry
// of d, and of the blocks towards the three slots behind and back; of more neighbours before it (periodic directions) later.
struct OwnEntries {
  static constexpr int slots = 7, ahead = 3;
  double to_others[ahead], back[ahead], d = 1;

  template <class T>
  __device__ OwnEntries(const DeviceFactors<T>& f, int cell, int entry) {
    const BlockStencilView& A = f.A;
    for (int t = 0; t < ahead; ++t) {
      const int to = cell < 0 || t < A.first ? -1 : neighbour_before(A, cell, t);
      to_others[t] = back[t] = 0;
      if (to < 0) continue;
      to_others[t] = A.block(cell, t)[entry];
      back[t] = A.block(to, slots - 1 - t)[entry];  // the opposite slot
    }
    if (cell >= 0) d = A.block(cell, slot::delta)[entry];
  }
};

// Alg. 9: eq. (1) of one cell by n x n threads; s: shared, most_before blocks three times. Each thread reads one entry of each block, so
// that a block is one stretch of memory, and the products take them from shared memory.
template <class T>
__device__ inline void factorise_cell(const DeviceFactors<T>& f, const OwnEntries& own, int cell, int u, int v,
                                      int most, double* s) {
  const BlockStencilView& A = f.A;
  const int n = A.n, nn = n * n, entry = v * n + u, end = A.first + A.slots;
  double *inverse = s + most * nn, *back = inverse + most * nn, product[OwnEntries::slots];
  unsigned before = 0;  // a bit a slot
  int l = 0;
  for (int t = 0; t < OwnEntries::slots; ++t) {
    const int to = cell < 0 || t < A.first || t >= end ? -1 : neighbour_before(A, cell, t);
    if (to < 0) continue;
    before |= 1u << t;
    const int at = l++ * nn + entry;
    s[at] = t < OwnEntries::ahead ? own.to_others[t] : A.block(cell, t)[entry];
    back[at] = t < OwnEntries::ahead ? own.back[t] : A.block(to, OwnEntries::slots - 1 - t)[entry];
    inverse[at] = static_cast<double>(f.block(to)[entry]);
  }
  __syncthreads();
  l = 0;
  for (int t = 0; t < OwnEntries::slots; ++t) {
    product[t] = 0;
    if (!(before >> t & 1)) continue;
    const double *alpha = s + l * nn + u, *column = inverse + l++ * nn + v * n;
    for (int w = 0; w < n; ++w) product[t] += alpha[w * n] * column[w];
  }
  __syncthreads();
  l = 0;
  for (int t = 0; t < OwnEntries::slots; ++t)
    if (before >> t & 1) s[l++ * nn + entry] = product[t];
  __syncthreads();
  double d = own.d;
  for (int k = 0; k < l; ++k) {
    const double *row = s + k * nn + u, *column = back + k * nn + v * n;
    for (int w = 0; w < n; ++w) d -= row[w * n] * column[w];
  }
  __syncthreads();
  bool usable = true;
  d = f.pivoting ? inverted_entry_pivoting(d, n, u, v, s, usable) : inverted_entry(d, n, u, v, s, usable);
  if (cell < 0) return;
  f.block(cell)[entry] = static_cast<T>(d);
  if (u == 0 && v == 0) f.bad[cell] = usable ? 0 : 1;
}

// What thread (u, h) of a cell needs in a sweep that no other cell computes, read before the cell waits for others: its place in
// column h of each block, and of the vectors. Any slot may lead back where directions are periodic.
template <bool Forward, class T>
struct OwnValues {
  static constexpr int slots = 7;
  double block[slots], inverse = 0, right = 0;
  int to[slots];

  __device__ OwnValues(const DeviceFactors<T>& f, int cell, int u, int h, const double* r, const double* x) {
    const int n = f.A.n, from = h * n + u, end = f.A.first + f.A.slots;
    for (int t = 0; t < slots; ++t) {
      to[t] = -1;
      block[t] = 0;
      if (cell < 0 || t < f.A.first || t >= end) continue;
      to[t] = Forward ? neighbour_before(f.A, cell, t) : neighbour_after(f.A, cell, t);
      if (to[t] >= 0) block[t] = f.A.block(cell, t)[from];
    }
    if (cell < 0) return;
    inverse = f.block(cell)[from];
    if (h == 0) right = (Forward ? r : x)[std::int64_t{cell} * n + u];
  }
};

// Alg. 10: one sweep's step for one cell by n x g threads: thread (u, h) adds up the columns h, h + g, ... of row u, and
// thread (u, 0) adds those g sums, in order. s: shared, (g + 1) n values.
template <bool Forward, class T>
__device__ inline void solve_cell(const DeviceFactors<T>& f, const OwnValues<Forward, T>& own, int cell, int u, int h,
                                  int g, double* s, double* x) {
  const BlockStencilView& A = f.A;
  const int n = A.n;
  double *z = s + g * n, xh[OwnValues<Forward, T>::slots];
  for (int t = 0; t < OwnValues<Forward, T>::slots; ++t) xh[t] = own.to[t] < 0 ? 0 : x[std::int64_t{own.to[t]} * n + h];
  double sum = 0;
  for (int t = 0; t < OwnValues<Forward, T>::slots; ++t) {
    if (own.to[t] < 0) continue;
    sum += own.block[t] * xh[t];
    if (h + g >= n) continue;
    const double *block = A.block(cell, t) + u, *xt = x + std::int64_t{own.to[t]} * n;
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

// How a workgroup is cut into cells (Alg. 8), in a factorisation (n x n threads a cell) and in a sweep (n x g).
struct Mapping {
  int n, groups_of_columns, cells;

  WEIR_HD explicit Mapping(int block)
      : n(block), groups_of_columns(block < 8 ? block : 8), cells(cells_a_workgroup(block)) {}
  WEIR_HD int factor_threads() const { return cells * n * n; }
  WEIR_HD int solve_threads() const { return cells * n * groups_of_columns; }
  std::size_t factor_shared(int most) const {
    return 3 * sizeof(double) * static_cast<std::size_t>(factor_threads() * most);
  }
  std::size_t solve_shared() const {
    return sizeof(double) * static_cast<std::size_t>(cells * n * (groups_of_columns + 1));
  }
};

// What the thread of a workgroup does in group q of f.order.
struct FactorThread {
  int cell, u, v, shared_from;
  template <class T>
  __device__ FactorThread(const DeviceFactors<T>& f, const Mapping& m, int q, int most) {
    const int nn = m.n * m.n, e = static_cast<int>(threadIdx.x), qw = e / nn;
    u = e % m.n;
    v = e / m.n % m.n;
    cell = f.order[q * m.cells + qw];
    shared_from = 3 * qw * nn * most;
  }
};
struct SolveThread {
  int cell, u, h, shared_from;
  template <class T>
  __device__ SolveThread(const DeviceFactors<T>& f, const Mapping& m, int q) {
    const int a_cell = m.n * m.groups_of_columns, e = static_cast<int>(threadIdx.x), qw = e / a_cell;
    u = e % m.n;
    h = e / m.n % m.groups_of_columns;
    cell = f.order[q * m.cells + qw];
    shared_from = qw * (a_cell + m.n);
  }
};

namespace {

// A workgroup may have 1,024 threads (n = 32): 64 registers a thread, which the compiler must keep to.
template <class T>
__global__ __launch_bounds__(1024) void factorise_plane(DeviceFactors<T> f, int first_group, int most) {
  WEIR_DYNAMIC_SHARED(double, s);
  const FactorThread me(f, Mapping(f.A.n), first_group + static_cast<int>(blockIdx.x), most);
  const OwnEntries own(f, me.cell, me.v * f.A.n + me.u);
  factorise_cell(f, own, me.cell, me.u, me.v, most, s + me.shared_from);
}

template <bool Forward, class T>
__global__ void sweep_plane(DeviceFactors<T> f, int first_group, const double* r, double* x) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping m(f.A.n);
  const SolveThread me(f, m, first_group + static_cast<int>(blockIdx.x));
  const OwnValues<Forward, T> own(f, me.cell, me.u, me.h, r, x);
  solve_cell(f, own, me.cell, me.u, me.h, m.groups_of_columns, s + me.shared_from, x);
}

template <bool Forward, class T>
void launch_sweep(const DeviceFactors<T>& f, const Hyperplanes& levels, int p, const double* r, double* x) {
  const Mapping m(f.A.n);
  const int first = levels.first_group(p), groups = levels.first_group(p + 1) - first;
  launch({.grid = static_cast<unsigned>(groups),
          .block = static_cast<unsigned>(m.solve_threads()),
          .shared_bytes = m.solve_shared(),
          .name = "block_ilu0 sweep of a hyperplane"},
         sweep_plane<Forward, T>, f, first, r, x);
}

// block_ilu0, form "one_launch": a whole factorisation or sweep in one launch, which the conclusion of Luo et al. 2015 asks
// for, so that small hyperplanes do not pay a launch each. Workgroups draw groups of cells by ticket in hyperplane order
// and wait for the flags of the neighbours they need. The workgroup with the lowest unfinished ticket waits for finished
// ones only, so it always goes on: no co-residency is needed. Flags count turns (one a sweep) and are never reset.
//
// Order: results are written, then a barrier, then one thread a cell releases the flag; a thread acquires the flag, then a
// barrier, then all threads of the workgroup read. Every sum has a fixed order: runs repeat bit for bit.

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
__global__ __launch_bounds__(1024) void factorise_all(DeviceFactors<T> f, Tickets tickets, int groups, int most,
                                                      int turn) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping m(f.A.n);
  for (int q = next_group(tickets); q < groups; q = next_group(tickets)) {
    const FactorThread me(f, m, q, most);
    const OwnEntries own(f, me.cell, me.v * m.n + me.u);
    wait_for_neighbours<true>(f, me.cell, me.v * m.n + me.u, m.n * m.n, turn);
    factorise_cell(f, own, me.cell, me.u, me.v, most, s + me.shared_from);
    announce(f, me.cell, me.u == 0 && me.v == 0, turn);
  }
}

template <bool Forward, class T>
__global__ void sweep_all(DeviceFactors<T> f, Tickets tickets, int groups, int turn, const double* r, double* x) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping m(f.A.n);
  for (int q = next_group(tickets); q < groups; q = next_group(tickets)) {
    const SolveThread me(f, m, Forward ? q : groups - 1 - q);
    const OwnValues<Forward, T> own(f, me.cell, me.u, me.h, r, x);
    wait_for_neighbours<Forward>(f, me.cell, me.h * m.n + me.u, m.n * m.groups_of_columns, turn);
    solve_cell(f, own, me.cell, me.u, me.h, m.groups_of_columns, s + me.shared_from, x);
    announce(f, me.cell, me.u == 0 && me.h == 0, turn);
  }
}

// As many workgroups as the widest hyperplane keeps busy, half of the next one waiting: more would only wait.
unsigned workgroups(const Hyperplanes& levels) {
  return static_cast<unsigned>(std::max(1, levels.widest_groups() * 3 / 2));
}

}  // namespace

template <class T>
void WorkgroupForm<T>::factorise(const DeviceFactors<T>& f, const Hyperplanes& levels) {
  const Mapping m(f.A.n);
  const int most = most_before(f.A.periodic);
  for (int p = 0; p < levels.count(); ++p) {
    const int first = levels.first_group(p), groups = levels.first_group(p + 1) - first;
    launch({.grid = static_cast<unsigned>(groups),
            .block = static_cast<unsigned>(m.factor_threads()),
            .shared_bytes = m.factor_shared(most),
            .name = "block_ilu0 factorisation of a hyperplane"},
           factorise_plane<T>, f, first, most);
  }
}

template <class T>
void WorkgroupForm<T>::solve(const DeviceFactors<T>& f, const Hyperplanes& levels, const double* r, double* z) {
  for (int p = 0; p < levels.count(); ++p) launch_sweep<true>(f, levels, p, r, z);
  for (int p = levels.count() - 1; p >= 0; --p) launch_sweep<false>(f, levels, p, nullptr, z);
}

template struct WorkgroupForm<double>;
template struct WorkgroupForm<float>;

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
