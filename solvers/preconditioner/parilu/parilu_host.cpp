// Sweeps, residual and candidates on host threads, a row at a time. The sums of a row are kept in work space of the
// thread (parilu_sums.hpp), to which each L_ik adds row k of U. A sweep reads 12 bytes of U and 8 of the work space per
// product of 2 flops; neighbouring rows share U in the cache, so that load and store units set the pace.
#include <omp.h>
#include <algorithm>
#include <bit>

#include "solvers/preconditioner/parilu/parilu_sums.hpp"

namespace weir::parilu {
namespace {

constexpr int chunk = 256;  // rows fetched by a thread at once

// row(i, sums) for all rows; n = 1.
template <bool Shared, class F>
void with_scalar_sums(int rows, Work<Host>& work, const F& row) {
  double* value = work.value.reserve(std::int64_t{omp_get_max_threads()} * rows);
#pragma omp parallel if (rows > chunk)
  {
    ScalarSums<Shared> sums{value + std::int64_t{omp_get_thread_num()} * rows};
#pragma omp for schedule(dynamic, chunk)
    for (int i = 0; i < rows; ++i) row(i, sums);
  }
}

// lower, upper: the pattern whose sums a row opens.
template <class Block, class F>
void with_block_sums(Block block, int rows, const RowsView& lower, const RowsView& upper, Work<Host>& work,
                     const F& row) {
  std::int64_t longest = 0;
  const std::int64_t threads = omp_get_max_threads(), nn = std::int64_t{block.size()} * block.size();
#pragma omp parallel for schedule(static) reduction(max : longest)
  for (int i = 0; i < rows; ++i)
    longest = std::max(longest, lower.start[i + 1] - lower.start[i] + 1 + upper.start[i + 1] - upper.start[i]);
  int* place = work.place.reserve(threads * rows);
  std::fill_n(place, threads * rows, -1);
  double* value = work.value.reserve(threads * (longest + 2) * nn);
#pragma omp parallel if (rows > chunk)
  {
    const std::int64_t t = omp_get_thread_num();
    double* mine = value + t * (longest + 2) * nn;
    BlockSums<Block> sums{block, mine + 2 * nn, place + t * rows, mine, mine + nn};
#pragma omp for schedule(dynamic, chunk)
    for (int i = 0; i < rows; ++i) row(i, sums);
  }
}

// row(i, sums) for all rows in order, on one thread or on all. shared: other threads change what is read.
template <class F>
void for_rows_with_sums(const FactorsView& f, const RowsView& lower, const RowsView& upper, bool shared,
                        Work<Host>& work, const F& row) {
  if (f.n == 1 && shared) return with_scalar_sums<true>(f.rows, work, row);
  if (f.n == 1) return with_scalar_sums<false>(f.rows, work, row);
  lanes::with_block(f.n, [&](auto block) {
    if constexpr (!std::is_same_v<decltype(block), lanes::FixedBlock<1>>)
      with_block_sums(block, f.rows, lower, upper, work, row);
  });
}

// Insertion sort for the few candidates of a row.
void sort_few(int* from, int* to) {
  if (to - from > 32) return std::sort(from, to);
  for (int* p = from + 1; p < to; ++p) {
    const int v = *p;
    int* q = p;
    for (; q > from && q[-1] > v; --q) *q = q[-1];
    *q = v;
  }
}

// Candidates of row i, lower and upper ones in two lists. seen[j] == i: column j is in S or has been found.
struct RowCandidates {
  int lower = 0, upper = 0;
};
RowCandidates candidates_of_row(const BlockCsrView& A, const FactorsView& f, int i, int* seen, int* lower, int* upper) {
  RowCandidates n;
  for (const RowsView& s : {f.lower, f.upper})
    for (std::int64_t e = s.start[i]; e < s.start[i + 1]; ++e) seen[s.column[e]] = i;
  seen[i] = i;
  const auto offer = [&](int j) {  // branch-free: mispredictions dominate otherwise
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

// Consecutive rows of a thread, so that its lists are contiguous parts of F.
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

// Steps of ParILUT on one host thread, n = 1, rows in the order of elimination. A sweep then reads only what it has
// computed itself, a step needs only the pattern of the previous one, and the result is bit for bit that of the
// separate stages (tested). Left out are residuals of candidates, sweeps whose values are not used, and passes over
// memory:
//  grow   candidates of a row and their addition
//  keep   removal of small entries, and the sweep if the factors are final
//
// Columns of a row are collected as bits: they come out ascending without comparisons.

// One bit per column, and one bit per word that is not empty.
class Columns {
 public:
  Columns(int columns, std::vector<std::uint64_t>& memory) : words_((std::size_t(columns) >> 6) + 1) {
    const std::size_t all = words_ + (words_ >> 6) + 1;
    if (memory.size() < all) memory.resize(all);
    bits_ = memory.data();
    summary_ = bits_ + words_;
    std::fill_n(bits_, all, 0);
  }
  void add(int j) {
    bits_[j >> 6] |= std::uint64_t{1} << (j & 63);
    summary_[j >> 12] |= std::uint64_t{1} << (j >> 6 & 63);
  }
  void add(const int* column, std::int64_t from, std::int64_t to) {
    for (std::int64_t e = from; e < to; ++e) add(column[e]);
  }
  // f(j) for all columns, ascending, between first and last; empties the set.
  template <class F>
  void drain(int first, int last, const F& f) {
    for (int s = first >> 12; s <= last >> 12; ++s) {
      std::uint64_t words = std::exchange(summary_[s], 0);
      for (; words; words &= words - 1) {
        const int w = s << 6 | std::countr_zero(words);
        for (std::uint64_t bits = std::exchange(bits_[w], 0); bits; bits &= bits - 1)
          f(w << 6 | std::countr_zero(bits));
      }
    }
  }

 private:
  std::size_t words_;
  std::uint64_t *bits_, *summary_;
};

template <class T>
void extend(GrowingArray<T, Host>& g, std::int64_t count, std::int64_t used) {
  if (count * static_cast<std::int64_t>(sizeof(T)) <= g.bytes()) return;
  Array<T, Host> larger(count + count / 2);
  std::copy_n(g.data(), used, larger.data());
  g.take(std::move(larger));
}
// Makes room for `more` entries after the present ones.
void make_room(Rows<Host>& r, std::int64_t more) {
  const std::int64_t all = r.count + more + entries_behind;
  extend(r.column, all, r.count);
}

FactorsView factors(const FactorsView& like, const Rows<Host>& lower, const Rows<Host>& upper) {
  FactorsView f = like;
  f.lower = lower.view();
  f.upper = upper.view();
  return f;
}

// Appends row i of S u F to `lower` and `upper`.
void grow_row(const BlockCsrView& A, const FactorsView& S, int i, Columns& columns, Rows<Host>& lower,
              Rows<Host>& upper) {
  const int* a = A.column.data();
  const std::int64_t a0 = A.row_start[i], a1 = A.row_start[i + 1], l0 = S.lower.start[i], l1 = S.lower.start[i + 1],
                     u0 = S.upper.start[i], u1 = S.upper.start[i + 1];
  int first = std::min(i, a0 < a1 ? a[a0] : i), last = std::max(i, a0 < a1 ? a[a1 - 1] : i);
  if (l0 < l1) first = std::min(first, S.lower.column[l0]);
  if (u0 < u1) last = std::max(last, S.upper.column[u1 - 1]);
  std::int64_t most = a1 - a0 + l1 - l0 + u1 - u0;
  columns.add(a, a0, a1);
  columns.add(S.lower.column, l0, l1);
  columns.add(S.upper.column, u0, u1);
  for (std::int64_t e = l0; e < l1; ++e) {
    const int k = S.lower.column[e];
    const std::int64_t k0 = S.upper.start[k], k1 = S.upper.start[k + 1];
    if (k0 == k1) continue;
    columns.add(S.upper.column, k0, k1);
    last = std::max(last, S.upper.column[k1 - 1]);
    most += k1 - k0;
  }
  make_room(lower, most);
  make_room(upper, most);
  int *below = lower.column.data() + lower.count, *above = upper.column.data() + upper.count;
  columns.drain(first, last, [&](int j) {  // branch-free
    *below = j;
    *above = j;
    below += j < i;
    above += j > i;
  });
  lower.count = below - lower.column.data();
  upper.count = above - upper.column.data();
  lower.start.data()[i + 1] = lower.count;
  upper.start.data()[i + 1] = upper.count;
}

void begin(int rows, Rows<Host>& r) {
  r.start.reserve(rows + 1)[0] = 0;
  r.count = 0;
}

void keep_row(const RowsView& s, const double* norm, double threshold, int i, const RowsView& out) {
  std::int64_t to = out.start[i];
  for (std::int64_t e = s.start[i]; e < s.start[i + 1]; ++e) {
    out.column[to] = s.column[e];
    to += threshold == 0 || norm[e] >= threshold;
  }
  out.start[i + 1] = to;
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
                    &work.list[2 * t], work);
  lower.reserve(work.prefix_sum(work.lower_count.data(), rows, lower.start.reserve(rows + 1)), f.n);
  upper.reserve(work.prefix_sum(work.upper_count.data(), rows, upper.start.reserve(rows + 1)), f.n);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int t = 0; t < threads; ++t) {
    const Stretch r = rows_of_thread(rows, t, threads);
    const auto copy = [&](const RowsView& F, const std::vector<int>& list) {
      std::copy_n(list.begin(), F.start[r.to] - F.start[r.from], F.column + F.start[r.from]);
    };
    copy(lower.view(), work.list[2 * t]);
    copy(upper.view(), work.list[2 * t + 1]);
  }
}

template <>
void residual<Host>(const BlockCsrView& A, const FactorsView& f, const RowsView& lower, const RowsView& upper,
                    Work<Host>& work) {
  for_rows_with_sums(f, lower, upper, false, work, [&](int i, auto& sums) {
    if (lower.start[i] == lower.start[i + 1] && upper.start[i] == upper.start[i + 1]) return;
    const std::int64_t nn = sums.nn();
    sums.open(lower, i);
    sums.open(upper, i);
    sums.load(A, i);
    for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e)
      sums.subtract(f.lower.value + e * nn, f.upper, f.lower.column[e]);
    for (const RowsView& F : {lower, upper})
      for (std::int64_t e = F.start[i]; e < F.start[i + 1]; ++e)
        std::copy_n(sums.at(F.column[e]), nn, F.value + e * nn);
    sums.close(lower, i);
    sums.close(upper, i);
  });
}

template <>
void sweep<Host>(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, Work<Host>& work) {
  const bool old = in.inverse != out.inverse;
  for_rows_with_sums(in, in.lower, in.upper, !old && omp_get_max_threads() > 1, work, [&](int i, auto& sums) {
    old ? sweep_row<true>(A, in, out, sums, i) : sweep_row<false>(A, in, out, sums, i);
  });
}

void grow_in_order(const BlockCsrView& A, const FactorsView& S, Rows<Host>& lower, Rows<Host>& upper,
                   Work<Host>& work) {
  Columns columns(S.rows, work.bits);
  begin(S.rows, lower);
  begin(S.rows, upper);
  for (int i = 0; i < S.rows; ++i) grow_row(A, S, i, columns, lower, upper);
  lower.reserve(lower.count, 1);
  upper.reserve(upper.count, 1);
}

void keep_in_order(const BlockCsrView& A, const FactorsView& S, const Kept& L, const Kept& U, bool sweeps,
                   Rows<Host>& lower, Rows<Host>& upper, Work<Host>& work) {
  ScalarSums<false> sums{work.value.reserve(S.rows)};
  begin(S.rows, lower);
  begin(S.rows, upper);
  lower.reserve(S.lower.start[S.rows], 1);
  upper.reserve(S.upper.start[S.rows], 1);
  const FactorsView f = factors(S, lower, upper);
  for (int i = 0; i < S.rows; ++i) {
    keep_row(S.lower, L.norm, L.threshold, i, f.lower);
    keep_row(S.upper, U.norm, U.threshold, i, f.upper);
    if (sweeps) sweep_row<false>(A, f, f, sums, i);
  }
  lower.count = f.lower.start[S.rows];
  upper.count = f.upper.start[S.rows];
}

}  // namespace weir::parilu
