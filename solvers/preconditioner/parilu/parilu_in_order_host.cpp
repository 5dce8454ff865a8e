// Steps of ParILUT on one Host thread, n = 1, rows in the order of elimination. A sweep then reads nothing that it has not
// computed itself before: of the step before a step needs the pattern alone, and the result is bit for bit that of the
// separate stages (a test says so). What falls away: residuals of candidates, sweeps whose values nobody compares with a
// threshold or keeps, and passes over memory:
//   grow   the candidates of a row and their adding
//   keep   dropping what is small, and the sweep where the factors are final
//
// Columns of a row are collected as bits, so they come out ascending without a comparison.
#include <bit>

#include "solvers/preconditioner/parilu/parilu_sums.hpp"

namespace weir::parilu {
namespace {

// A bit a column, and a bit a word that is not empty.
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
  // f(j) for all columns, ascending; none is left. They lie between first and last.
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
// Room for `more` entries behind those that are there.
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

// Row i of S u F behind what `lower` and `upper` hold.
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
  columns.drain(first, last, [&](int j) {  // without a branch: it would be mispredicted
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
