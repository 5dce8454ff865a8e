#include "solvers/diagnosis/examination.hpp"

#include <iterator>
#include <limits>

#include "base/at.hpp"
#include "mesh/graph/graph_tools.hpp"

namespace weir {
namespace {

// Row i of L U in the pattern of A (Saad, Iterative Methods, algorithm 10.4). place: of each column in row i, else
// -1. Returns the largest magnitude among the terms of the pivot.
double eliminate_row(BlockCsrData& A, int i, const std::vector<std::int64_t>& pivot, std::vector<std::int64_t>& place) {
  const auto from = A.row_start[i], to = A.row_start[i + 1];
  for (auto e = from; e < to; ++e) place[A.column[e]] = e;
  double largest = pivot[i] >= 0 ? std::abs(A.value[pivot[i]]) : 0;
  for (auto e = from; e < to && A.column[e] < i; ++e) {
    const int k = A.column[e];
    const double factor = A.value[e] / A.value[pivot[k]];
    A.value[e] = factor;
    for (auto u = pivot[k] + 1; u < A.row_start[k + 1]; ++u) {
      const auto here = place[A.column[u]];
      if (here < 0) continue;
      A.value[here] -= factor * A.value[u];
      if (here == pivot[i]) largest = std::max(largest, std::abs(factor * A.value[u]));
    }
  }
  for (auto e = from; e < to; ++e) place[A.column[e]] = -1;
  return largest;
}

}  // namespace

Graph graph_of_pattern(const BlockCsrData& A, const BlockCsrData& T) {
  Graph g;
  g.start.reserve(at(A.rows()) + 1);
  for (int i = 0; i < A.rows(); ++i) {
    std::set_union(A.column.begin() + A.row_start[i], A.column.begin() + A.row_start[i + 1],
                   T.column.begin() + T.row_start[i], T.column.begin() + T.row_start[i + 1],
                   std::back_inserter(g.neighbour));
    const auto from = g.neighbour.begin() + g.start.back();
    g.neighbour.erase(std::remove(from, g.neighbour.end(), i), g.neighbour.end());
    g.start.push_back(static_cast<std::int64_t>(g.neighbour.size()));
  }
  return g;
}

std::vector<int> pieces_of(const Graph& g) {
  std::vector<int> piece(at(g.vertices()), -1), stack;
  int count = 0;
  for (int root = 0; root < g.vertices(); ++root) {
    if (piece[root] >= 0) continue;
    piece[root] = count;
    stack.assign(1, root);
    while (!stack.empty()) {
      const int v = stack.back();
      stack.pop_back();
      for (auto e = g.start[v]; e < g.start[v + 1]; ++e)
        if (int& p = piece[g.neighbour[e]]; p < 0) {
          p = count;
          stack.push_back(g.neighbour[e]);
        }
    }
    ++count;
  }
  return piece;
}

BlockCsrData permuted(const BlockCsrData& A, const Order& order) {
  const Order position = inverse(order);
  BlockCsrData P;
  P.symmetric = A.symmetric;
  P.constant_null_space = A.constant_null_space;
  P.row_start.push_back(0);
  std::vector<std::pair<int, double>> row;
  for (const int i : order) {
    row.clear();
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) row.emplace_back(position[A.column[e]], A.value[e]);
    std::ranges::sort(row);
    for (const auto& [column, value] : row) {
      P.column.push_back(column);
      P.value.push_back(value);
    }
    P.row_start.push_back(static_cast<std::int64_t>(P.column.size()));
  }
  return P;
}

Pivots ilu0_pivots(BlockCsrData A) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  Pivots found;
  const std::vector<double> largest = largest_in_rows(A);
  std::vector<std::int64_t> pivot(at(A.rows()), -1), place(at(A.rows()), -1);
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
      if (A.column[e] == i) pivot[i] = e;
  for (int i = 0; i < A.rows(); ++i) {
    const auto d = pivot[i];
    const double before = d >= 0 ? A.value[d] : 0;
    const double made_of = eliminate_row(A, i, pivot, place);
    const double value = d >= 0 ? A.value[d] : 0;
    if (!(std::abs(value) > rounding * made_of) || !std::isfinite(value)) {
      found.bad_row = i;
      found.bad_value = value;
      found.diagonal = before;
      return found;
    }
    if (const double ratio = std::abs(value) / largest[i]; ratio < found.least_ratio) {
      found.least_ratio = ratio;
      found.least_row = i;
    }
  }
  return found;
}

}  // namespace weir
