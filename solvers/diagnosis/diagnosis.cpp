#include "solvers/diagnosis/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"
#include "solvers/diagnosis/examination.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

constexpr double rounding = 1e-13;

void widen(Range& range, double size) {
  if (!(size > 0)) return;
  range.least = range.most == 0 ? size : std::min(range.least, size);
  range.most = std::max(range.most, size);
}

void look_at_rows(const BlockCsrData& A, Diagnosis& d) {
  d.shortest_row = std::numeric_limits<int>::max();
  for (int i = 0; i < A.rows(); ++i) {
    const auto from = A.row_start[i], to = A.row_start[i + 1];
    d.shortest_row = std::min(d.shortest_row, static_cast<int>(to - from));
    d.longest_row = std::max(d.longest_row, static_cast<int>(to - from));
    double others = 0, diagonal = 0, largest = 0;
    SumOfEntries sum;
    bool is_stored = false, has_positive = false;
    for (auto e = from; e < to; ++e) {
      const int j = A.column[e];
      const double value = A.value[e], size = std::abs(value);
      d.not_finite += !std::isfinite(value);
      d.stored_zeros += value == 0;
      widen(d.entry, size);
      sum.add(value);
      largest = std::max(largest, size);
      d.lower_bandwidth = std::max(d.lower_bandwidth, i - j);
      d.upper_bandwidth = std::max(d.upper_bandwidth, j - i);
      if (i == j) {
        diagonal = value;
        is_stored = true;
      } else {
        others += size;
        has_positive = has_positive || value > 0;
      }
    }
    const double size = std::abs(diagonal);
    if (largest == 0) d.empty_rows.add(i);
    if (!is_stored) d.missing_diagonal.add(i);
    if (is_stored && diagonal == 0) d.zero_diagonal.add(i);
    if (diagonal < 0) d.negative_diagonal.add(i);
    if (has_positive) d.positive_off_diagonal.add(i);
    if (largest == 0 || sum.says() != ConstantVector::not_null) d.zero_row_sums.add(i);
    if (others > size * (1 + rounding)) d.not_dominant.add(i);
    if (size > others * (1 + rounding)) d.strictly_dominant.add(i);
    const double dominance = others == 0 ? 0 : others / size;
    if (d.worst_row < 0 || dominance > d.worst_dominance) {
      d.worst_dominance = dominance;
      d.worst_row = i;
    }
    widen(d.row_size, largest);
    widen(d.diagonal, size);
  }
}

void look_at_columns(const BlockCsrData& T, Diagnosis& d) {
  for (int j = 0; j < T.rows(); ++j) {
    double largest = 0;
    SumOfEntries sum;
    for (auto e = T.row_start[j]; e < T.row_start[j + 1]; ++e) {
      sum.add(T.value[e]);
      largest = std::max(largest, std::abs(T.value[e]));
    }
    if (largest == 0) d.empty_columns.add(j);
    if (largest == 0 || sum.says() != ConstantVector::not_null) d.zero_column_sums.add(j);
    widen(d.column_size, largest);
  }
}

// Compares rows of A with those of its transpose.
void compare_with_mirror(const BlockCsrData& A, const BlockCsrData& T, Diagnosis& d) {
  std::int64_t off = 0, mirrored = 0;
  const std::vector<double> largest = largest_in_rows(A);
  double sum = 0;
  const auto meet = [&](int i, int j, double a, double t, bool both) {
    if (const double size = std::max(largest[i], largest[j]); size > 0)
      d.asymmetry = std::max(d.asymmetry, std::abs(a - t) / size);
    if (i == j) return;
    sum = std::max(sum, std::abs(a + t));
    off += 1 + both;
    mirrored += both ? 2 : 0;
  };
  for (int i = 0; i < A.rows(); ++i) {
    auto p = A.row_start[i], q = T.row_start[i];
    const auto p_end = A.row_start[i + 1], q_end = T.row_start[i + 1];
    while (p < p_end || q < q_end) {
      const int j = p < p_end ? A.column[p] : A.rows(), k = q < q_end ? T.column[q] : A.rows();
      if (j == k)
        meet(i, j, A.value[p++], T.value[q++], true);
      else if (j < k)
        meet(i, j, A.value[p++], 0, false);
      else
        meet(i, k, 0, T.value[q++], false);
    }
  }
  d.mirrored = off ? static_cast<double>(mirrored) / static_cast<double>(off) : 1;
  d.skewness = d.entry.most > 0 ? sum / d.entry.most : 0;
}

// Strongly connected components of the graph of the nonzeros (Tarjan 1972), without recursion.
void find_irreducible_blocks(const BlockCsrData& A, Diagnosis& d) {
  const int n = A.rows();
  std::vector<int> number(at(n), -1), low(at(n)), open, path;
  std::vector<std::int64_t> next(A.row_start.begin(), A.row_start.end() - 1);
  std::vector<char> is_open(at(n), 0);
  int count = 0;
  for (int root = 0; root < n; ++root) {
    if (number[root] >= 0) continue;
    path.assign(1, root);
    while (!path.empty()) {
      const int v = path.back();
      if (number[v] < 0) {
        number[v] = low[v] = count++;
        open.push_back(v);
        is_open[v] = 1;
      }
      int into = -1;
      for (auto& e = next[v]; e < A.row_start[v + 1] && into < 0; ++e) {
        const int w = A.column[e];
        if (A.value[e] == 0) continue;
        if (number[w] < 0)
          into = w;
        else if (is_open[w])
          low[v] = std::min(low[v], number[w]);
      }
      if (into >= 0) {
        path.push_back(into);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
      if (low[v] != number[v]) continue;
      int size = 0, w;
      do {
        w = open.back();
        open.pop_back();
        is_open[w] = 0;
        ++size;
      } while (w != v);
      ++d.irreducible_blocks;
      d.largest_irreducible = std::max(d.largest_irreducible, size);
    }
  }
}

}  // namespace

BlockCsrData transposed(const BlockCsrData& A) {
  BlockCsrData t;
  t.row_start.assign(A.row_start.size(), 0);
  t.column.resize(A.column.size());
  t.value.resize(A.value.size());
  for (const int j : A.column) ++t.row_start[j + 1];
  for (int i = 0; i < A.rows(); ++i) t.row_start[i + 1] += t.row_start[i];
  std::vector<std::int64_t> next(t.row_start.begin(), t.row_start.end() - 1);
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const auto to = at(next[A.column[e]]++);
      t.column[to] = i;
      t.value[to] = A.value[e];
    }
  return t;
}

bool Diagnosis::is_definite_for_sure() const {
  return is_symmetric() && negative_diagonal.count + zero_diagonal.count + missing_diagonal.count == 0 &&
         not_dominant.count == 0 &&
         (strictly_dominant.count == rows || (components == 1 && strictly_dominant.count > 0));
}

Diagnosis diagnose(const BlockCsrData& A) {
  Diagnosis d;
  d.rows = A.rows();
  d.entries = static_cast<std::int64_t>(A.column.size());
  look_at_rows(A, d);
  const BlockCsrData T = transposed(A);
  look_at_columns(T, d);
  compare_with_mirror(A, T, d);
  const Graph graph = graph_of_pattern(A, T);
  for (const int piece : pieces_of(graph)) d.components = std::max(d.components, piece + 1);
  d.rcm_bandwidth = bandwidth(graph, reverse_cuthill_mckee(graph));
  find_irreducible_blocks(A, d);
  d.block = detect_block(A);
  return d;
}

}  // namespace weir
