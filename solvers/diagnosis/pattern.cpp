#include "solvers/diagnosis/pattern.hpp"

#include <algorithm>
#include <iterator>

#include "base/at.hpp"
#include "mesh/graph/graph_tools.hpp"

namespace weir {

Graph graph_of_pattern(const BlockCsrData& A, const BlockCsrData& T) {
  Graph g;
  g.start.reserve(at(A.rows()) + 1);
  for (int i = 0; i < A.rows(); ++i) {
    std::set_union(A.column.begin() + A.row_start[at(i)], A.column.begin() + A.row_start[at(i) + 1],
                   T.column.begin() + T.row_start[at(i)], T.column.begin() + T.row_start[at(i) + 1],
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
    if (piece[at(root)] >= 0) continue;
    piece[at(root)] = count;
    stack.assign(1, root);
    while (!stack.empty()) {
      const int v = stack.back();
      stack.pop_back();
      for (auto e = g.start[at(v)]; e < g.start[at(v) + 1]; ++e)
        if (int& p = piece[at(g.neighbour[at(e)])]; p < 0) {
          p = count;
          stack.push_back(g.neighbour[at(e)]);
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
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e)
      row.emplace_back(position[at(A.column[at(e)])], A.value[at(e)]);
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      P.column.push_back(column);
      P.value.push_back(value);
    }
    P.row_start.push_back(static_cast<std::int64_t>(P.column.size()));
  }
  return P;
}

}  // namespace weir
