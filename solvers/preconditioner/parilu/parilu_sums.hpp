// Sums of a row of A - L U on one host thread, and a row of a sweep made of them. Included by .cpp files only.
//
// n = 1: a row of U is taken four entries at a time with a mask, hence the room reserved after the entries. Values
// outside of the row's pattern are summed as well and never read: a store is cheaper than a mispredicted branch, and
// nothing is cleared, since a row overwrites its pattern first. Blocks: found by column, so that only those of the
// pattern are computed.
#pragma once
#include <algorithm>
#include <cmath>

#include "solvers/matrix/algorithms/relaxed_lanes.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {

// Shared: other threads read and write L, U and the inverses at the same time.
template <bool Shared>
struct ScalarSums {
  double* value;  // by column
  double l = 0;   // the last quotient

  static constexpr std::int64_t nn() { return 1; }
  double* at(int j) const { return value + j; }
  void open(int j) { value[j] = 0; }
  void open(const RowsView& r, int i) {
    for (std::int64_t e = r.start[i]; e < r.start[i + 1]; ++e) value[r.column[e]] = 0;
  }
  void close(int) {}
  void close(const RowsView&, int) {}
  void load(const BlockCsrView& A, int i) {
    const int* column = A.column.data();
    const double* a = A.value.data();
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) value[column[e]] = a[e];
  }
  void write(double* to, const double* v) const {
    if constexpr (Shared)
      lanes::store_relaxed<1>(to, v);
    else
      *to = *v;
  }
  // to = the sum of column k times U_kk^-1
  const double* divide(int k, const double* inverse, double* to) {
    double factor = 0;
    if constexpr (Shared) lanes::load_relaxed<1>(inverse + k, &factor);
    l = value[k] * (Shared ? factor : inverse[k]);
    write(to, &l);
    return &l;
  }
  // minus x times row k of U
  [[gnu::always_inline]] void subtract(const double* x, const RowsView& U, int k) {
    typedef std::int64_t Bits __attribute__((vector_size(32)));
    static constexpr Bits whole[5] = {{}, {-1}, {-1, -1}, {-1, -1, -1}, {-1, -1, -1, -1}};
    const std::int64_t end = U.start[k + 1];
    const double factor = *x;
    for (std::int64_t u = U.start[k]; u < end; u += 4) {
      const std::int64_t left = end - u;
      alignas(32) double copy[4];
      if constexpr (Shared) lanes::load_relaxed<4>(U.value + u, copy);
      lanes::Quad q = lanes::load_quad(Shared ? copy : U.value + u);
      q = factor * reinterpret_cast<lanes::Quad>(reinterpret_cast<Bits>(q) & whole[left < 4 ? left : 4]);
      const int* j = U.column + u;
      value[j[0]] -= q[0];
      value[j[1]] -= q[1];
      value[j[2]] -= q[2];
      value[j[3]] -= q[3];
    }
  }
  // Inverts the diagonal; false if it is singular and replaced by 1.
  bool invert(int i) {
    const bool usable = lanes::usable_pivot(value[i]);
    value[i] = usable ? 1 / value[i] : 1;
    return usable;
  }
};

// Block: lanes::FixedBlock<N> or lanes::RuntimeBlock. Always with relaxed loads: a copy costs little compared with a
// product.
template <class Block>
struct BlockSums {
  Block block;
  double* value;            // blocks in the order of opening
  int* place;               // place of the block of a column, or -1
  double *quotient, *copy;  // a block each
  int opened = 0;

  int n() const { return block.size(); }
  std::int64_t nn() const { return std::int64_t{n()} * n(); }
  double* at(int j) const { return value + place[j] * nn(); }

  void open(int j) {
    place[j] = opened++;
    std::fill_n(at(j), nn(), 0.0);
  }
  void close(int j) { place[j] = -1; }
  void open(const RowsView& r, int i) {
    for (std::int64_t e = r.start[i]; e < r.start[i + 1]; ++e) open(r.column[e]);
  }
  void close(const RowsView& r, int i) {
    for (std::int64_t e = r.start[i]; e < r.start[i + 1]; ++e) close(r.column[e]);
    opened = 0;
  }
  void load(const BlockCsrView& A, int i) {
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const int j = A.column.data()[e];
      if (place[j] < 0) continue;
      const double* a = A.value.data() + e * nn();
      double* to = at(j);
      for (int v = 0; v < n(); ++v)
        for (int u = 0; u < n(); ++u) to[v * n() + u] = a[u * n() + v];
    }
  }
  const double* read(const double* from) {
    lanes::load_relaxed(nn(), from, copy);
    return copy;
  }
  void write(double* to, const double* v) const { lanes::store_relaxed(nn(), to, v); }
  const double* divide(int k, const double* inverse, double* to) {
    lanes::product<false>(block, quotient, at(k), read(inverse + k * nn()));
    write(to, quotient);
    return quotient;
  }
  [[gnu::noinline]] void subtract(const double* x, const RowsView& U, int k) {
    for (std::int64_t u = U.start[k]; u < U.start[k + 1]; ++u)
      if (place[U.column[u]] >= 0) lanes::product<true>(block, at(U.column[u]), x, read(U.value + u * nn()));
  }
  bool invert(int i) { return lanes::invert_or_replace(lanes::RuntimeBlock(n()), at(i)); }
};

// Old: L_ik of the previous sweep; else the L_ik that this row has just computed.
template <bool Old, class Sums>
void sweep_row(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, Sums& sums, int i) {
  const std::int64_t nn = sums.nn();
  sums.open(i);
  sums.open(in.lower, i);
  sums.open(in.upper, i);
  sums.load(A, i);
  for (std::int64_t e = in.lower.start[i]; e < in.lower.start[i + 1]; ++e) {
    const int k = in.lower.column[e];
    const double* l = in.lower.value + e * nn;
    if constexpr (!Old) l = sums.divide(k, in.inverse, out.lower.value + e * nn);
    sums.subtract(l, in.upper, k);
  }
  for (std::int64_t e = in.lower.start[i]; Old && e < in.lower.start[i + 1]; ++e)
    sums.divide(in.lower.column[e], in.inverse, out.lower.value + e * nn);
  for (std::int64_t e = in.upper.start[i]; e < in.upper.start[i + 1]; ++e)
    sums.write(out.upper.value + e * nn, sums.at(in.upper.column[e]));
  out.replaced[i] = sums.invert(i) ? 0 : 1;
  sums.write(out.inverse + i * nn, sums.at(i));
  sums.close(i);
  sums.close(in.lower, i);
  sums.close(in.upper, i);
}

}  // namespace weir::parilu
