// Free sweeps on host threads (algorithms 4 and 5 of Kashi & Nadarajah 2020) with vectors over the block: one parallel
// region for all sweeps, chunks of rows fetched in the order of the loop, no synchronisation between sweeps. On one
// thread: the same arithmetic with plain loads. A sweep of the factorisation reads A once, writes the factors once and
// reads U once per product; a solve sweep reads its factor once: bound by memory.
#include <omp.h>

#include <algorithm>
#include <atomic>

#include "solvers/matrix/algorithms/relaxed_lanes.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/matrix/block/block_product.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"

namespace weir::async_ilu {
namespace {

// Pointer to read a block or vector from: a private copy of shared memory, or the memory itself.
template <bool Shared, int N>
[[gnu::always_inline]] inline const double* read(const double* p, double* copy) {
  if constexpr (!Shared) return p;
  lanes::load_relaxed<N>(p, copy);
  return copy;
}
template <bool Shared, int N>
[[gnu::always_inline]] inline void write(double* p, const double* v) {
  if constexpr (Shared)
    lanes::store_relaxed<N>(p, v);
  else
    std::copy_n(v, N, p);
}

template <int N>
void load_entry(const AsyncView& f, std::int64_t source, int i, int j, double* block) {
  for (int v = 0; v < N; ++v)
    for (int u = 0; u < N; ++u) block[v * N + u] = f.A[source + u * N + v];
  if (!f.scale) return;
  for (int v = 0; v < N; ++v)
    for (int u = 0; u < N; ++u) block[v * N + u] = block[v * N + u] * f.scale[i * N + u] * f.scale[j * N + v];
}

template <bool Shared, int N>
void form_target(const AsyncView& f, const Entries& entries, std::int64_t e, int i, int j, double* block) {
  constexpr int NN = N * N;
  double l[NN], u[NN];
  load_entry<N>(f, entries.source[e], i, j, block);
  for (std::int64_t p = entries.products[e]; p < entries.products[e + 1]; ++p)
    lanes::product<true>(lanes::FixedBlock<N>(N), block,
                         read<Shared, NN>(f.L + std::int64_t{f.product[p].lower} * NN, l),
                         read<Shared, NN>(f.U + std::int64_t{f.product[p].upper} * NN, u));
}

template <bool Shared, int N>
void sweep_row(const AsyncView& f, int i) {
  constexpr int NN = N * N;
  alignas(64) double block[NN], inverse[NN], product[NN];
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    const int j = f.lower.column[e];
    form_target<Shared, N>(f, f.lower, e, i, j, block);
    lanes::product<false>(lanes::FixedBlock<N>(N), product, block,
                          read<Shared, NN>(f.inverse + std::int64_t{j} * NN, inverse));
    write<Shared, NN>(f.L + e * NN, product);
  }
  form_target<Shared, N>(f, f.diagonal, i, i, i, block);
  const int replaced = lanes::invert_or_replace(lanes::FixedBlock<N>(N), block) ? 0 : 1;
  std::atomic_ref(f.replaced[i]).store(replaced, std::memory_order_relaxed);
  write<Shared, NN>(f.inverse + std::int64_t{i} * NN, block);
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e) {
    form_target<Shared, N>(f, f.upper, e, i, f.upper.column[e], block);
    write<Shared, NN>(f.U + e * NN, block);
  }
}

template <bool Shared, int N>
[[gnu::always_inline]] inline void write(double* p, const typename lanes::FixedBlock<N>::Vector& v) {
  if constexpr (!Shared) return v.store(p);
  alignas(64) double mine[N];
  v.store(mine);
  lanes::store_relaxed<N>(p, mine);
}

template <bool Shared, int N>
void forward_row(const AsyncView& f, int i, const double* r, double* y) {
  using Vector = typename lanes::FixedBlock<N>::Vector;
  alignas(64) double x[N];
  for (int u = 0; u < N && f.scale; ++u) x[u] = r[i * N + u] * f.scale[i * N + u];
  Vector s(lanes::FixedBlock<N>{N}, f.scale ? x : r + std::int64_t{i} * N);
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e)
    s.subtract_product(f.L + e * N * N, read<Shared, N>(y + std::int64_t{f.lower.column[e]} * N, x));
  write<Shared, N>(y + std::int64_t{i} * N, s);
}

template <bool Shared, int N>
void backward_row(const AsyncView& f, int i, const double* y, double* z) {
  using Vector = typename lanes::FixedBlock<N>::Vector;
  alignas(64) double x[N];
  Vector s(lanes::FixedBlock<N>{N}, y + std::int64_t{i} * N), out(lanes::FixedBlock<N>{N});
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e)
    s.subtract_product(f.U + e * N * N, read<Shared, N>(z + std::int64_t{f.upper.column[e]} * N, x));
  out.add_product(f.inverse + std::int64_t{i} * N * N, s);
  write<Shared, N>(z + std::int64_t{i} * N, out);
}

// row(i, sweep) for all rows, `sweeps` times, by the threads of the enclosing parallel region.
template <class F>
void draw_rows(int rows, int sweeps, int chunk, bool backward, const F& row) {
  for (int s = 0; s < sweeps; ++s) {
#pragma omp for schedule(dynamic, chunk) nowait
    for (int q = 0; q < rows; ++q) row(backward ? rows - 1 - q : q, s);
  }
}

template <int N>
void sweep(const AsyncView& f, int sweeps, int chunk) {
  if (omp_get_max_threads() == 1) {
    for (int s = 0; s < sweeps; ++s)
      for (int i = 0; i < f.rows; ++i) sweep_row<false, N>(f, i);
    return;
  }
#pragma omp parallel
  draw_rows(f.rows, sweeps, chunk, false, [&](int i, int) { sweep_row<true, N>(f, i); });
}

template <int N>
void solve_alone(const AsyncView& f, int sweeps, const double* r, double* y, double* z) {
  for (int s = 0; s < sweeps; ++s)
    for (int i = 0; i < f.rows; ++i) forward_row<false, N>(f, i, r, y);
  for (int s = 0; s < sweeps; ++s)
    for (int i = f.rows - 1; i >= 0; --i) backward_row<false, N>(f, i, y, z);
  for (int q = 0; q < f.rows * N && f.scale; ++q) z[q] *= f.scale[q];
}

template <int N>
void solve(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z) {
  // One thread never reads what it has not written in this solve: nothing to clear.
  if (omp_get_max_threads() == 1) return solve_alone<N>(f, sweeps, r, y, z);
  const int size = f.rows * N;
#pragma omp parallel
  {
#pragma omp for simd schedule(static)
    for (int q = 0; q < size; ++q) y[q] = 0;
    draw_rows(f.rows, sweeps, chunk, false, [&](int i, int) { forward_row<true, N>(f, i, r, y); });
#pragma omp barrier
#pragma omp for simd schedule(static)
    for (int q = 0; q < size; ++q) z[q] = 0;
    draw_rows(f.rows, sweeps, chunk, true, [&](int i, int) { backward_row<true, N>(f, i, y, z); });
    if (f.scale) {
#pragma omp barrier
#pragma omp for simd schedule(static)
      for (int q = 0; q < size; ++q) z[q] *= f.scale[q];
    }
  }
}

// Number of reads of row i in sweep s whose row was last stored before this sweep; 0 in a sequential sweep. The stamp
// is read before the value, so that a read that just misses counts as stale.
int count_stale(const Entries& entries, int i, int s, int* stamp) {
  int stale = 0;
  for (std::int64_t e = entries.start[i]; e < entries.start[i + 1]; ++e)
    stale += std::atomic_ref(stamp[entries.column[e]]).load(std::memory_order_relaxed) <= s;
  return stale;
}

// A solve that counts stale reads in its last sweep each way. stamp: 1 + the sweep that last stored a row.
template <int N>
void solve_and_count(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z, int* stamp,
                     double* stale) {
  const auto counted = [&](const Entries& entries, int i, int s, const auto& row) {
    const int count = count_stale(entries, i, s, stamp);
    row();
    std::atomic_ref(stamp[i]).store(s + 1, std::memory_order_relaxed);
    if (s == sweeps - 1) stale[i] += count;
  };
  const auto clear = [&](double* x) {
#pragma omp for schedule(static)
    for (int i = 0; i < f.rows; ++i) {
      stamp[i] = 0;
      std::fill_n(x + std::int64_t{i} * N, N, 0.0);
    }
  };
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < f.rows; ++i) stale[i] = 0;
    clear(y);
    draw_rows(f.rows, sweeps, chunk, false,
              [&](int i, int s) { counted(f.lower, i, s, [&] { forward_row<true, N>(f, i, r, y); }); });
#pragma omp barrier
    clear(z);
    draw_rows(f.rows, sweeps, chunk, true,
              [&](int i, int s) { counted(f.upper, i, s, [&] { backward_row<true, N>(f, i, y, z); }); });
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 0; i < f.rows; ++i) {
      const std::int64_t reads = f.lower.start[i + 1] - f.lower.start[i] + f.upper.start[i + 1] - f.upper.start[i];
      stale[i] = reads > 0 ? stale[i] / static_cast<double>(reads) : 0;
    }
  }
}

// f(N) with the block size N as a compile-time constant; larger blocks have been refused.
template <class F>
void with_block(int n, const F& f) {
  block_host::with_block<8>(n, [&](auto N) {
    if constexpr (N.value > 0) f(N);
    return 0;
  });
}

}  // namespace

bool needs_guess() { return omp_get_max_threads() > 1; }

void sweep_host(const AsyncView& f, int sweeps, int chunk) {
  with_block(f.n, [&](auto N) { sweep<N.value>(f, sweeps, chunk); });
}
void solve_host(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z) {
  with_block(f.n, [&](auto N) { solve<N.value>(f, sweeps, chunk, r, y, z); });
}

void count_stale_reads_host(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z,
                            int* stamp, double* stale) {
  with_block(f.n, [&](auto N) { solve_and_count<N.value>(f, sweeps, chunk, r, y, z, stamp, stale); });
}

}  // namespace weir::async_ilu
