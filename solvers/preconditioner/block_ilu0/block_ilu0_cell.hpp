// One cell of block_ilu0 by the threads of a workgroup with shared memory (Luo et al. 2015, Algs. 9 and 10), for the kernels of
// the forms "workgroup" and "one_launch". A workgroup has `cells` cells side by side; every thread of it must call these
// functions, those without a cell (cell < 0) too, because they hold barriers.
#pragma once
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_device.hpp"

namespace weir::block_ilu0 {

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

// Alg. 9: eq. (1) of one cell by n x n threads; s: shared, most_before blocks.
template <class T>
__device__ inline void factorise_cell(const DeviceFactors<T>& f, int cell, int u, int v, double* s) {
  const BlockStencilView& A = f.A;
  const int n = A.n, nn = n * n, end = A.first + A.slots;
  int l = 0;
  for (int t = A.first; t < end && cell >= 0; ++t) {
    const int to = neighbour_before(A, cell, t);
    if (to < 0) continue;
    const double* alpha = A.block(cell, t) + u;
    const T* inverse = f.block(to) + v * n;
    double sum = 0;
    for (int w = 0; w < n; ++w) sum += alpha[w * n] * inverse[w];
    s[l++ * nn + v * n + u] = sum;
  }
  __syncthreads();
  double d = cell >= 0 ? A.entry(cell, slot::delta, u, v) : 1;
  l = 0;
  for (int t = A.first; t < end && cell >= 0; ++t) {
    const int to = neighbour_before(A, cell, t);
    if (to < 0) continue;
    const double *back = A.block(to, 6 - t) + v * n, *sl = s + l++ * nn + u;  // the opposite slot
    for (int w = 0; w < n; ++w) d -= sl[w * n] * back[w];
  }
  __syncthreads();
  bool usable = true;
  d = f.pivoting ? inverted_entry_pivoting(d, n, u, v, s, usable) : inverted_entry(d, n, u, v, s, usable);
  if (cell < 0) return;
  f.block(cell)[v * n + u] = static_cast<T>(d);
  if (u == 0 && v == 0) f.bad[cell] = usable ? 0 : 1;
}

// Alg. 10: one sweep's step for one cell by n x g threads: thread (u, h) adds up the columns h, h + g, ... of row u, and
// thread (u, 0) adds those g sums, in order. s: shared, (g + 1) n values.
template <bool Forward, class T>
__device__ inline void solve_cell(const DeviceFactors<T>& f, int cell, int u, int h, int g, double* s, const double* r,
                                  double* x) {
  const BlockStencilView& A = f.A;
  const int n = A.n;
  double* z = s + g * n;
  double sum = 0;
  for (int t = A.first; t < A.first + A.slots && cell >= 0; ++t) {
    const int to = Forward ? neighbour_before(A, cell, t) : neighbour_after(A, cell, t);
    if (to < 0) continue;
    const double *block = A.block(cell, t) + u, *xt = x + std::int64_t{to} * n;
    for (int v = h; v < n; v += g) sum += block[v * n] * xt[v];
  }
  s[h * n + u] = sum;
  __syncthreads();
  const std::int64_t at = std::int64_t{cell} * n + u;
  if (h == 0) {
    double rest = Forward && cell >= 0 ? r[at] : 0;
    for (int j = 0; j < g; ++j) rest -= s[j * n + u];
    z[u] = rest;
  }
  __syncthreads();
  sum = 0;
  for (int v = h; v < n && cell >= 0; v += g) sum += f.block(cell)[v * n + u] * z[v];
  s[h * n + u] = sum;
  __syncthreads();
  if (h == 0 && cell >= 0) {
    double y = Forward ? 0 : x[at];
    for (int j = 0; j < g; ++j) y += s[j * n + u];
    x[at] = y;
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
    return sizeof(double) * static_cast<std::size_t>(factor_threads() * most);
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
    shared_from = qw * nn * most;
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

}  // namespace weir::block_ilu0
