// Sweeps, residual and candidates on host threads, a row at a time. A row's sums stand by column (n = 1) or are found by
// column (n > 1) in work space of the thread: each L_ik takes row k of U through it.
//
// n = 1: a row of U is taken four entries at a time, whatever follows it being masked: so entries are reserved with
// some room behind them. Values off the row's pattern are added up as well, and never read: a store is cheaper than a branch that is
// mispredicted every other time, and nothing has to be cleared, since a row overwrites its pattern before it starts.
//
// A sweep reads 12 bytes of U and 8 of the work space a product, 2 flops: caches hold what neighbouring rows share, so
// the processor's load and store units set the pace.
#include <omp.h>

#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block_dense.hpp"
#include "solvers/matrix/block_product.hpp"
#include "solvers/matrix/relaxed_lanes.hpp"
#include "solvers/preconditioner/async_ilu_rows.hpp"
#include "solvers/preconditioner/parilu_factors.hpp"

namespace weir::parilu {
namespace {

constexpr int chunk = 256;  // rows that a thread draws at a time

// What others write meanwhile is copied with relaxed loads; else the memory itself.
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

// The sums of one row.
template <int N>
struct RowSums {
  static constexpr std::int64_t NN = N * N;
  double* value;  // n = 1: by column; else blocks in the order of opening
  int* place;     // n > 1: of a column's block, or -1
  int opened = 0;

  void open(int j) {
    if constexpr (N > 1) place[j] = opened++;
    std::fill_n(at(j), NN, 0.0);
  }
  void close(int j) {
    if constexpr (N > 1) place[j] = -1;
  }
  bool holds(int j) const { return N == 1 || place[j] >= 0; }
  double* at(int j) const { return value + (N == 1 ? j : place[j]) * NN; }

  void open(const RowsView& r, int i) {
    for (std::int64_t e = r.start[i]; e < r.start[i + 1]; ++e) open(r.column[e]);
  }
  void close(const RowsView& r, int i) {
    for (std::int64_t e = r.start[i]; N > 1 && e < r.start[i + 1]; ++e) close(r.column[e]);
    opened = 0;
  }
  void load(const BlockCsrView& A, int i) {
    const int* column = A.column.data();
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      if (!holds(column[e])) continue;
      const double* a = A.value.data() + e * NN;
      double* block = at(column[e]);
      for (int v = 0; v < N; ++v)
        for (int u = 0; u < N; ++u) block[v * N + u] = a[u * N + v];
    }
  }
  // minus l times row k of U
  template <bool Shared>
  [[gnu::always_inline]] void subtract(const double* l, const RowsView& U, int k) {
    if constexpr (N == 1) return subtract_by_fours<Shared>(*l, U, k);
    double copy[NN];
    for (std::int64_t u = U.start[k]; u < U.start[k + 1]; ++u) {
      const int j = U.column[u];
      if (holds(j)) lanes::product<true>(lanes::FixedBlock<N>(N), at(j), l, read<Shared, NN>(U.value + u * NN, copy));
    }
  }
  // Rows of U are a few entries long: four at a time, what follows the row masked, and no branch for each entry.
  template <bool Shared>
  [[gnu::always_inline]] void subtract_by_fours(double l, const RowsView& U, int k) {
    typedef std::int64_t Bits __attribute__((vector_size(32)));
    static constexpr Bits whole[5] = {{}, {-1}, {-1, -1}, {-1, -1, -1}, {-1, -1, -1, -1}};
    const std::int64_t end = U.start[k + 1];
    for (std::int64_t u = U.start[k]; u < end; u += 4) {
      const std::int64_t left = end - u;
      alignas(32) double v[4];
      lanes::Quad q = lanes::load_quad(read<Shared, 4>(U.value + u, v));
      q = l * reinterpret_cast<lanes::Quad>(reinterpret_cast<Bits>(q) & whole[left < 4 ? left : 4]);
      const int* j = U.column + u;
      value[j[0]] -= q[0];
      value[j[1]] -= q[1];
      value[j[2]] -= q[2];
      value[j[3]] -= q[3];
    }
  }
};

template <int N>
RowSums<N> sums_of_thread(const BlockCsrView& A, std::int64_t longest, Work<Host>& work) {
  const std::int64_t t = omp_get_thread_num(), values = N == 1 ? A.rows : longest * N * N;
  return {work.value.data() + t * values, work.place.data() + t * A.rows};
}

// Room for all threads; called outside of parallel regions.
template <int N>
std::int64_t reserve_sums(const BlockCsrView& A, const RowsView& lower, const RowsView& upper, Work<Host>& work) {
  std::int64_t longest = 0;
  const int threads = omp_get_max_threads();
  if constexpr (N > 1) {
#pragma omp parallel for schedule(static) reduction(max : longest)
    for (int i = 0; i < A.rows; ++i)
      longest = std::max(longest, lower.start[i + 1] - lower.start[i] + 1 + upper.start[i + 1] - upper.start[i]);
    int* place = work.place.reserve(std::int64_t{threads} * A.rows);
    std::fill_n(place, std::int64_t{threads} * A.rows, -1);
    work.value.reserve(threads * longest * N * N);
  } else {
    work.value.reserve(std::int64_t{threads} * A.rows);
  }
  return longest;
}

// row(i, sums) for all rows, drawn in their order, on one thread or on all.
template <int N, class F>
void for_rows_with_sums(const BlockCsrView& A, const RowsView& lower, const RowsView& upper, Work<Host>& work,
                        const F& row) {
  const std::int64_t longest = reserve_sums<N>(A, lower, upper, work);
#pragma omp parallel if (A.rows > chunk)
  {
    RowSums<N> sums = sums_of_thread<N>(A, longest, work);
#pragma omp for schedule(dynamic, chunk)
    for (int i = 0; i < A.rows; ++i) row(i, sums);
  }
}

template <int N>
bool invert(double* d) {
  if constexpr (N > 1) return async_ilu::invert_or_replace(N, d);
  const bool usable = lanes::usable_pivot(*d);
  *d = usable ? 1 / *d : 1;
  return usable;
}

// Old: L_ik is what the sweep before has left; else what this row has just computed.
template <bool Shared, bool Old, int N>
void sweep_row(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, RowSums<N>& sums, int i) {
  constexpr int NN = N * N;
  alignas(64) double copy[NN], l[NN];
  sums.open(i);
  sums.open(in.lower, i);
  sums.open(in.upper, i);
  sums.load(A, i);
  for (std::int64_t e = in.lower.start[i]; e < in.lower.start[i + 1]; ++e) {
    const int k = in.lower.column[e];
    if constexpr (Old) {
      sums.template subtract<Shared>(in.lower.value + e * NN, in.upper, k);
    } else {
      lanes::product<false>(lanes::FixedBlock<N>(N), l, sums.at(k), read<Shared, NN>(in.inverse + k * NN, copy));
      write<Shared, NN>(out.lower.value + e * NN, l);
      sums.template subtract<Shared>(l, in.upper, k);
    }
  }
  for (std::int64_t e = in.lower.start[i]; Old && e < in.lower.start[i + 1]; ++e) {
    const int k = in.lower.column[e];
    lanes::product<false>(lanes::FixedBlock<N>(N), out.lower.value + e * NN, sums.at(k), in.inverse + k * NN);
  }
  for (std::int64_t e = in.upper.start[i]; e < in.upper.start[i + 1]; ++e)
    write<Shared, NN>(out.upper.value + e * NN, sums.at(in.upper.column[e]));
  out.replaced[i] = invert<N>(sums.at(i)) ? 0 : 1;
  write<Shared, NN>(out.inverse + std::int64_t{i} * NN, sums.at(i));
  sums.close(i);
  sums.close(in.lower, i);
  sums.close(in.upper, i);
}

template <int N>
void sweep_rows(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, Work<Host>& work) {
  const bool old = in.inverse != out.inverse, shared = omp_get_max_threads() > 1;
  for_rows_with_sums<N>(A, in.lower, in.upper, work, [&](int i, RowSums<N>& sums) {
    if (old)
      sweep_row<false, true, N>(A, in, out, sums, i);
    else if (shared)
      sweep_row<true, false, N>(A, in, out, sums, i);
    else
      sweep_row<false, false, N>(A, in, out, sums, i);
  });
}

template <int N>
void residual_of_rows(const BlockCsrView& A, const FactorsView& f, const RowsView& lower, const RowsView& upper,
                      Work<Host>& work) {
  constexpr int NN = N * N;
  for_rows_with_sums<N>(A, lower, upper, work, [&](int i, RowSums<N>& sums) {
    if (lower.start[i] == lower.start[i + 1] && upper.start[i] == upper.start[i + 1]) return;
    sums.open(lower, i);
    sums.open(upper, i);
    sums.load(A, i);
    for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e)
      sums.template subtract<false>(f.lower.value + e * NN, f.upper, f.lower.column[e]);
    for (const RowsView& F : {lower, upper})
      for (std::int64_t e = F.start[i]; e < F.start[i + 1]; ++e)
        std::copy_n(sums.at(F.column[e]), NN, F.value + e * NN);
    sums.close(lower, i);
    sums.close(upper, i);
  });
}

// A row's candidates come one by one, a few in number.
void sort_few(int* from, int* to) {
  if (to - from > 32) return std::sort(from, to);
  for (int* p = from + 1; p < to; ++p) {
    const int v = *p;
    int* q = p;
    for (; q > from && q[-1] > v; --q) *q = q[-1];
    *q = v;
  }
}

// The candidates of row i behind list[used]: lower ones from the front, upper ones at the back of the room.
// seen[j] == i: column j is in S, or has been found.
struct RowCandidates {
  int lower = 0, upper = 0;
};
RowCandidates candidates_of_row(const BlockCsrView& A, const FactorsView& f, int i, int* seen, int* lower, int* upper) {
  RowCandidates n;
  for (const RowsView& s : {f.lower, f.upper})
    for (std::int64_t e = s.start[i]; e < s.start[i + 1]; ++e) seen[s.column[e]] = i;
  seen[i] = i;
  const auto offer = [&](int j) {  // without a branch: it would be mispredicted all the time
    const int fresh = seen[j] != i, above = j > i;
    seen[j] = i;
    lower[n.lower] = j;
    upper[n.upper] = j;
    n.lower += fresh & (above ^ 1);
    n.upper += fresh & above;
  };
  const int *column = A.column.data(), *Ucolumn = f.upper.column;
  for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) offer(column[e]);
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    const int k = f.lower.column[e];
    for (std::int64_t u = f.upper.start[k]; u < f.upper.start[k + 1]; ++u) offer(Ucolumn[u]);
  }
  sort_few(lower, lower + n.lower);
  sort_few(upper, upper + n.upper);
  return n;
}

// The rows of a thread: a stretch, so that its lists are stretches of F.
struct Stretch {
  int from, to;
};
Stretch rows_of_thread(int rows, int thread, int threads) {
  return {static_cast<int>(std::int64_t{rows} * thread / threads),
          static_cast<int>(std::int64_t{rows} * (thread + 1) / threads)};
}

std::int64_t grow(std::vector<int>& list, std::int64_t size) {
  if (static_cast<std::int64_t>(list.size()) < size) list.resize(static_cast<std::size_t>(size + size / 2));
  return size;
}

// lists[0]: lower candidates, lists[1]: upper ones.
void list_candidates(const BlockCsrView& A, const FactorsView& f, Stretch rows, int* seen, std::vector<int>* lists,
                     Work<Host>& work) {
  std::fill_n(seen, f.rows, -1);
  std::int64_t longest = 0;  // row of U
  for (int k = 0; k < f.rows; ++k) longest = std::max(longest, f.upper.start[k + 1] - f.upper.start[k]);
  std::int64_t lower = 0, upper = 0;
  for (int i = rows.from; i < rows.to; ++i) {
    const std::int64_t most = A.row_start[i + 1] - A.row_start[i] + 1 +
                              (f.lower.start[i + 1] - f.lower.start[i]) * longest;  // no row has more candidates
    grow(lists[0], lower + most);
    grow(lists[1], upper + most);
    const RowCandidates n = candidates_of_row(A, f, i, seen, lists[0].data() + lower, lists[1].data() + upper);
    work.lower_count.data()[i] = n.lower;
    work.upper_count.data()[i] = n.upper;
    lower += n.lower;
    upper += n.upper;
  }
}

// f(N) as a compile-time constant; larger blocks have been refused.
template <class F>
void with_block(int n, const F& f) {
  block_host::with_block(n, [&](auto N) {
    if constexpr (N.value > 0) f(N);
    return 0;
  });
}

}  // namespace

template <>
void find_candidates<Host>(const BlockCsrView& A, const FactorsView& f, Rows<Host>& lower, Rows<Host>& upper,
                           Work<Host>& work) {
  const int rows = f.rows, threads = rows > chunk ? omp_get_max_threads() : 1;
  work.lower_count.reserve(rows);
  work.upper_count.reserve(rows);
  work.place.reserve(std::int64_t{threads} * rows);
  if (work.list.size() < static_cast<std::size_t>(2 * threads)) work.list.resize(static_cast<std::size_t>(2 * threads));
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int t = 0; t < threads; ++t)
    list_candidates(A, f, rows_of_thread(rows, t, threads), work.place.data() + std::int64_t{t} * rows,
                    &work.list[static_cast<std::size_t>(2 * t)], work);
  lower.reserve(work.prefix_sum(work.lower_count.data(), rows, lower.start.reserve(rows + 1)), f.n);
  upper.reserve(work.prefix_sum(work.upper_count.data(), rows, upper.start.reserve(rows + 1)), f.n);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int t = 0; t < threads; ++t) {
    const Stretch r = rows_of_thread(rows, t, threads);
    const auto copy = [&](const RowsView& F, const std::vector<int>& list) {
      std::copy_n(list.begin(), F.start[r.to] - F.start[r.from], F.column + F.start[r.from]);
    };
    copy(lower.view(), work.list[static_cast<std::size_t>(2 * t)]);
    copy(upper.view(), work.list[static_cast<std::size_t>(2 * t) + 1]);
  }
}

template <>
void residual<Host>(const BlockCsrView& A, const FactorsView& f, const RowsView& lower, const RowsView& upper,
                    Work<Host>& work) {
  with_block(f.n, [&](auto N) { residual_of_rows<N.value>(A, f, lower, upper, work); });
}

template <>
void sweep<Host>(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, Work<Host>& work) {
  with_block(in.n, [&](auto N) { sweep_rows<N.value>(A, in, out, work); });
}

}  // namespace weir::parilu
