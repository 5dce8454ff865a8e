#include "solvers/preconditioner/aggregation/aggregates.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"

namespace weir::aggregation {
namespace {

// Undirected weighted graph; each edge is stored from both ends.
struct Couplings {
  std::vector<std::int64_t> start{0};
  std::vector<int> neighbour;
  std::vector<float> weight;  // precision does not matter
  int rows() const { return static_cast<int>(start.size()) - 1; }
};

struct Edge {
  int to;
  float weight;
};

// The graph of the edges that visit_all(visit) passes to visit(from, to, weight), each time in the same order; parallel
// edges are joined.
template <class VisitAll, class Join>
Couplings joined(int rows, const VisitAll& visit_all, const Join& join) {
  std::vector<std::int64_t> next(at(rows) + 1, 0);
  visit_all([&](int from, int, float) { ++next[from + 1]; });
  for (int i = 0; i < rows; ++i) next[i + 1] += next[i];
  std::vector<Edge> edges(at(next.back()));
  visit_all([&](int from, int to, float weight) { edges[next[from]++] = {to, weight}; });
  Couplings graph;
  for (int i = 0; i < rows; ++i) {
    const auto first = edges.begin() + (i > 0 ? next[i - 1] : 0), last = edges.begin() + next[i];
    std::sort(first, last, [](const Edge& a, const Edge& b) { return a.to < b.to; });
    for (auto e = first; e != last; ++e) {
      if (e != first && graph.neighbour.back() == e->to) {
        graph.weight.back() = join(graph.weight.back(), e->weight);
      } else {
        graph.neighbour.push_back(e->to);
        graph.weight.push_back(e->weight);
      }
    }
    graph.start.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
  }
  return graph;
}

Couplings couplings(const Pattern& A, const std::vector<double>& size) {
  const auto visit_all = [&](const auto& visit) {
    for (int i = 0; i < A.rows(); ++i)
      for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
        const int j = A.column[e];
        if (i == j) continue;
        visit(i, j, static_cast<float>(size[e]));
        visit(j, i, static_cast<float>(size[e]));
      }
  };
  return joined(A.rows(), visit_all, [](float a, float b) { return std::max(a, b); });
}

// Pairs along the strongest couplings, rows in ascending order: group[i], numbered by the first of each.
std::vector<int> matched(const Couplings& graph, double strength, int& groups) {
  std::vector<int> group(at(graph.rows()), -1);
  groups = 0;
  for (int i = 0; i < graph.rows(); ++i) {
    if (group[i] >= 0) continue;
    float strongest = 0, best = 0;
    int partner = -1;
    for (std::int64_t e = graph.start[i]; e < graph.start[i + 1]; ++e) {
      const float w = graph.weight[e];
      strongest = std::max(strongest, w);
      if (group[graph.neighbour[e]] >= 0 || !(w > best)) continue;
      best = w;
      partner = graph.neighbour[e];
    }
    group[i] = groups;
    if (partner >= 0 && static_cast<double>(best) >= strength * static_cast<double>(strongest)) group[partner] = groups;
    ++groups;
  }
  return group;
}

Couplings between_groups(const Couplings& graph, const std::vector<int>& group, int groups) {
  const auto visit_all = [&](const auto& visit) {
    for (int i = 0; i < graph.rows(); ++i)
      for (std::int64_t e = graph.start[i]; e < graph.start[i + 1]; ++e) {
        const int I = group[i], J = group[graph.neighbour[e]];
        if (I != J) visit(I, J, graph.weight[e]);
      }
  };
  return joined(groups, visit_all, [](float a, float b) { return a + b; });
}

Aggregates with_members(std::vector<int> of_row, int count) {
  Aggregates a;
  a.of_row = std::move(of_row);
  a.start.assign(at(count) + 1, 0);
  for (const int I : a.of_row) ++a.start[I + 1];
  for (int I = 0; I < count; ++I) a.start[I + 1] += a.start[I];
  a.member.resize(a.of_row.size());
  std::vector<int> next = a.start;
  for (int i = 0; i < static_cast<int>(a.of_row.size()); ++i) a.member[next[a.of_row[i]]++] = i;
  return a;
}

}  // namespace

Aggregates aggregates_of(int rows, const std::vector<int>& of_row, const Archive& from) {
  from.require(static_cast<int>(of_row.size()) == rows, "aggregates");
  int count = 0;  // numbered in the order of their first members
  for (const int I : of_row) {
    from.require(I >= 0 && I <= count, "aggregates");
    count = std::max(count, I + 1);
  }
  return with_members(of_row, count);
}

Aggregates find_aggregates(const Pattern& A, const std::vector<double>& size, int passes, double strength) {
  std::vector<int> of_row(at(A.rows()));
  for (int i = 0; i < A.rows(); ++i) of_row[i] = i;
  Couplings graph = couplings(A, size);
  int groups = A.rows();
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<int> group = matched(graph, strength, groups);
    for (int& I : of_row) I = group[I];
    if (pass + 1 < passes) graph = between_groups(graph, group, groups);
  }
  return with_members(std::move(of_row), groups);
}

CoarsePattern coarse_pattern(const Pattern& A, const Aggregates& aggregates, bool full) {
  CoarsePattern p;
  p.coarse.row_start.assign(1, 0);
  p.column.reserve(A.column.size());
  for (const int j : A.column) p.column.push_back(aggregates.of_row[j]);
  p.into.resize(A.column.size());
  std::vector<int> columns;  // of a row of P^T A P
  for (int I = 0; I < aggregates.count(); ++I) {
    columns.clear();
    for (int J = 0; full && J < aggregates.count(); ++J) columns.push_back(J);
    const auto of_members = [&](const auto& visit) {
      for (int m = aggregates.start[I]; m < aggregates.start[I + 1]; ++m) {
        const int i = aggregates.member[m];
        for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) visit(e);
      }
    };
    of_members([&](std::int64_t e) { columns.push_back(p.column[e]); });
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    of_members([&](std::int64_t e) {
      const auto place = std::ranges::lower_bound(columns, p.column[e]);
      p.into[e] = static_cast<int>(place - columns.begin());
    });
    p.coarse.column.insert(p.coarse.column.end(), columns.begin(), columns.end());
    p.coarse.row_start.push_back(static_cast<std::int64_t>(p.coarse.column.size()));
  }
  return p;
}

std::vector<RowRange> coarse_lines(const std::vector<RowRange>& lines, const Aggregates& aggregates) {
  std::vector<RowRange> coarse;
  for (const RowRange& line : lines) {
    RowRange of_line;
    for (int i = line.first; i < line.first + line.count; ++i) {
      const int I = aggregates.of_row[i];
      if (aggregates.member[aggregates.start[I]] != i) continue;
      if (of_line.count++ == 0) of_line.first = I;
    }
    if (of_line.count > 0) coarse.push_back(of_line);
  }
  return coarse;
}

}  // namespace weir::aggregation
