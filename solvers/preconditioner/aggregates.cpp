#include "solvers/preconditioner/aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::aggregation {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// An undirected graph with weights, each edge from both ends.
struct Couplings {
  std::vector<std::int64_t> start{0};
  std::vector<int> neighbour;
  std::vector<double> weight;
  int rows() const { return static_cast<int>(start.size()) - 1; }
};

struct Edge {
  int to;
  double weight;
};

// Edges of the rows in any order, joined where they lead to the same neighbour.
template <class Join>
Couplings joined(std::vector<std::vector<Edge>>& edges, const Join& join) {
  Couplings graph;
  for (std::vector<Edge>& of_row : edges) {
    std::sort(of_row.begin(), of_row.end(), [](const Edge& a, const Edge& b) { return a.to < b.to; });
    const auto first = at(graph.start.back());
    for (const Edge& e : of_row) {
      if (graph.neighbour.size() > first && graph.neighbour.back() == e.to) {
        graph.weight.back() = join(graph.weight.back(), e.weight);
      } else {
        graph.neighbour.push_back(e.to);
        graph.weight.push_back(e.weight);
      }
    }
    graph.start.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
  }
  return graph;
}

Couplings couplings(const BlockCsrData& A) {
  std::vector<std::vector<Edge>> edges(at(A.rows()));
  const auto nn = std::int64_t{A.block} * A.block;
  for (int i = 0; i < A.rows(); ++i)
    for (std::int64_t e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e) {
      const int j = A.column[at(e)];
      if (i == j) continue;
      double square = 0;
      for (std::int64_t v = e * nn; v < (e + 1) * nn; ++v) square += A.value[at(v)] * A.value[at(v)];
      edges[at(i)].push_back({j, std::sqrt(square)});
      edges[at(j)].push_back({i, std::sqrt(square)});
    }
  return joined(edges, [](double a, double b) { return std::max(a, b); });
}

// Pairs along the strongest couplings, rows in ascending order: group[i], numbered by the first of each.
std::vector<int> matched(const Couplings& graph, double strength, int& groups) {
  std::vector<int> group(at(graph.rows()), -1);
  groups = 0;
  for (int i = 0; i < graph.rows(); ++i) {
    if (group[at(i)] >= 0) continue;
    double strongest = 0, best = 0;
    int partner = -1;
    for (std::int64_t e = graph.start[at(i)]; e < graph.start[at(i) + 1]; ++e) {
      const double w = graph.weight[at(e)];
      strongest = std::max(strongest, w);
      if (group[at(graph.neighbour[at(e)])] >= 0 || !(w > best)) continue;
      best = w;
      partner = graph.neighbour[at(e)];
    }
    group[at(i)] = groups;
    if (partner >= 0 && best >= strength * strongest) group[at(partner)] = groups;
    ++groups;
  }
  return group;
}

Couplings between_groups(const Couplings& graph, const std::vector<int>& group, int groups) {
  std::vector<std::vector<Edge>> edges(at(groups));
  for (int i = 0; i < graph.rows(); ++i)
    for (std::int64_t e = graph.start[at(i)]; e < graph.start[at(i) + 1]; ++e) {
      const int I = group[at(i)], J = group[at(graph.neighbour[at(e)])];
      if (I != J) edges[at(I)].push_back({J, graph.weight[at(e)]});
    }
  return joined(edges, [](double a, double b) { return a + b; });
}

}  // namespace

Aggregates find_aggregates(const BlockCsrData& A, int passes, double strength) {
  Aggregates a;
  a.of_row.resize(at(A.rows()));
  for (int i = 0; i < A.rows(); ++i) a.of_row[at(i)] = i;
  Couplings graph = couplings(A);
  int groups = A.rows();
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<int> group = matched(graph, strength, groups);
    for (int& I : a.of_row) I = group[at(I)];
    if (pass + 1 < passes) graph = between_groups(graph, group, groups);
  }
  a.start.assign(at(groups) + 1, 0);
  for (const int I : a.of_row) ++a.start[at(I) + 1];
  for (int I = 0; I < groups; ++I) a.start[at(I) + 1] += a.start[at(I)];
  a.member.resize(a.of_row.size());
  std::vector<int> next = a.start;
  for (int i = 0; i < A.rows(); ++i) a.member[at(next[at(a.of_row[at(i)])]++)] = i;
  return a;
}

CoarsePattern coarse_pattern(const BlockCsrData& A, const Aggregates& aggregates, bool full) {
  CoarsePattern coarse;
  const int rows = aggregates.count();
  coarse.matrix.block = A.block;
  coarse.matrix.symmetric = A.symmetric;
  coarse.matrix.row_start.assign(1, 0);
  coarse.source_start.assign(1, 0);
  std::vector<std::pair<int, std::int64_t>> blocks;  // column and source of a row's blocks
  for (int I = 0; I < rows; ++I) {
    blocks.clear();
    for (int m = aggregates.start[at(I)]; m < aggregates.start[at(I) + 1]; ++m) {
      const int i = aggregates.member[at(m)];
      for (std::int64_t e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e)
        blocks.emplace_back(aggregates.of_row[at(A.column[at(e)])], e);
    }
    std::sort(blocks.begin(), blocks.end());
    std::size_t b = 0;
    const auto take = [&](int J) {
      coarse.matrix.column.push_back(J);
      for (; b < blocks.size() && blocks[b].first == J; ++b) coarse.source.push_back(blocks[b].second);
      coarse.source_start.push_back(static_cast<std::int64_t>(coarse.source.size()));
    };
    for (int J = 0; full && J < rows; ++J) take(J);
    while (b < blocks.size()) take(blocks[b].first);
    coarse.matrix.row_start.push_back(static_cast<std::int64_t>(coarse.matrix.column.size()));
  }
  coarse.matrix.value.resize(coarse.matrix.column.size() * at(A.block * A.block));
  return coarse;
}

std::vector<RowRange> coarse_lines(const std::vector<RowRange>& lines, const Aggregates& aggregates) {
  std::vector<RowRange> coarse;
  for (const RowRange& line : lines) {
    RowRange of_line;
    for (int i = line.first; i < line.first + line.count; ++i) {
      const int I = aggregates.of_row[at(i)];
      if (aggregates.member[at(aggregates.start[at(I)])] != i) continue;
      if (of_line.count++ == 0) of_line.first = I;
    }
    if (of_line.count > 0) coarse.push_back(of_line);
  }
  return coarse;
}

}  // namespace weir::aggregation
