#include "solvers/preconditioner/aggregation/smoothed_levels.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/buckets.hpp"

namespace weir::aggregation {
namespace {

template <class F>
void each_entry(const BlockCsrData& A, int row, const F& f) {
  for (std::int64_t e = A.row_start[row]; e < A.row_start[row + 1]; ++e) f(e, A.column[e], A.value[e]);
}

SparseRows transposed(const SparseRows& A, int columns) {
  struct Entry {
    int row;
    double value;
  };
  const auto by_columns = into_buckets<Entry, std::int64_t>(at(columns), [&](const auto& put) {
    for (int i = 0; i < A.rows(); ++i)
      for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) put(A.column[e], Entry{i, A.value[e]});
  });
  SparseRows T;
  T.row_start = by_columns.start;
  T.column.reserve(by_columns.item.size());
  T.value.reserve(by_columns.item.size());
  for (const Entry& e : by_columns.item) {
    T.column.push_back(e.row);
    T.value.push_back(e.value);
  }
  return T;
}

// A B, row by row (Gustavson 1978); columns as they come.
template <class Rows>
SparseRows product(const Rows& A, const SparseRows& B, int columns) {
  SparseRows C;
  std::vector<std::int64_t> place(at(columns), -1);
  for (int i = 0; i < A.rows(); ++i) {
    const auto first = static_cast<std::int64_t>(C.column.size());
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
      for (std::int64_t f = B.row_start[A.column[e]]; f < B.row_start[A.column[e] + 1]; ++f) {
        std::int64_t& to = place[B.column[f]];
        if (to < first) {
          to = static_cast<std::int64_t>(C.column.size());
          C.column.push_back(B.column[f]);
          C.value.push_back(0);
        }
        C.value[to] += A.value[e] * B.value[f];
      }
    C.row_start.push_back(static_cast<std::int64_t>(C.column.size()));
  }
  return C;
}

// The diagonal of A_F, and 4 / (3 lambda).
std::vector<double> filtered_diagonal(const BlockCsrData& A, const std::vector<char>& strong, double& omega) {
  std::vector<double> d(at(A.rows()));
  double lambda = 1;
  for (int i = 0; i < A.rows(); ++i) {
    double diagonal = 0, weak = 0, sizes = 0;
    each_entry(A, i, [&](std::int64_t e, int j, double a) {
      if (j == i)
        diagonal = a;
      else if (strong[e])
        sizes += std::abs(a);
      else
        weak += a;
    });
    const bool may_lump = (diagonal + weak) * diagonal > 0;
    d[i] = may_lump ? diagonal + weak : diagonal;
    if (d[i] != 0) lambda = std::max(lambda, 1 + sizes / std::abs(d[i]));
  }
  omega = 4 / (3 * lambda);
  return d;
}

SparseRows smoothed_prolongation(const BlockCsrData& A, const std::vector<char>& strong, const std::vector<int>& of_row,
                                 int aggregates) {
  double omega = 0;
  const std::vector<double> d = filtered_diagonal(A, strong, omega);
  SparseRows P;
  std::vector<std::int64_t> place(at(aggregates), -1);
  for (int i = 0; i < A.rows(); ++i) {
    const auto first = static_cast<std::int64_t>(P.column.size());
    const auto add = [&](int J, double value) {
      if (J < 0) return;
      if (place[J] < first) {
        place[J] = static_cast<std::int64_t>(P.column.size());
        P.column.push_back(J);
        P.value.push_back(0);
      }
      P.value[place[J]] += value;
    };
    const double step = d[i] != 0 ? omega / d[i] : 0;
    add(of_row[i], d[i] != 0 ? 1 - omega : 1);
    each_entry(A, i, [&](std::int64_t e, int j, double a) {
      if (strong[e]) add(of_row[j], -step * a);
    });
    P.row_start.push_back(static_cast<std::int64_t>(P.column.size()));
  }
  return P;
}

}  // namespace

std::vector<double> diagonal_of(const BlockCsrData& A) {
  std::vector<double> d(at(A.rows()), 0);
  for (int i = 0; i < A.rows(); ++i)
    each_entry(A, i, [&](std::int64_t, int j, double a) {
      if (j == i) d[i] = a;
    });
  return d;
}

double gershgorin_bound(const BlockCsrData& A) {
  const std::vector<double> d = diagonal_of(A);
  double bound = 1;
  for (int i = 0; i < A.rows(); ++i) {
    double sizes = 0;
    each_entry(A, i, [&](std::int64_t, int, double a) { sizes += std::abs(a); });
    if (d[i] != 0) bound = std::max(bound, sizes / std::abs(d[i]));
  }
  return bound;
}

std::vector<char> strong_couplings(const BlockCsrData& A, double strength) {
  std::vector<double> largest(at(A.rows()), 0);
  for (int i = 0; i < A.rows(); ++i)
    each_entry(A, i, [&](std::int64_t, int j, double a) {
      if (j != i) largest[i] = std::max(largest[i], std::abs(a));
    });
  std::vector<char> strong(A.column.size(), 0);
  for (int i = 0; i < A.rows(); ++i)
    each_entry(A, i, [&](std::int64_t e, int j, double a) {
      strong[e] = j != i && a != 0 && std::abs(a) >= strength * std::min(largest[i], largest[j]);
    });
  return strong;
}

std::vector<int> neighbourhoods(const BlockCsrData& A, const std::vector<char>& strong, int& aggregates) {
  std::vector<int> of_row(at(A.rows()), -1);
  aggregates = 0;
  const auto join_free_neighbours = [&](int i) {
    of_row[i] = aggregates;
    each_entry(A, i, [&](std::int64_t e, int j, double) {
      if (strong[e] && of_row[j] < 0) of_row[j] = aggregates;
    });
    ++aggregates;
  };
  for (int i = 0; i < A.rows(); ++i) {
    bool is_free = of_row[i] < 0, has_neighbours = false;
    if (!is_free) continue;
    each_entry(A, i, [&](std::int64_t e, int j, double) {
      if (!strong[e]) return;
      has_neighbours = true;
      is_free = is_free && of_row[j] < 0;
    });
    if (is_free && has_neighbours) join_free_neighbours(i);
  }
  const std::vector<int> first = of_row;
  for (int i = 0; i < A.rows(); ++i) {
    if (first[i] >= 0) continue;
    double most = 0;
    each_entry(A, i, [&](std::int64_t e, int j, double a) {
      if (!strong[e] || first[j] < 0 || !(std::abs(a) > most)) return;
      most = std::abs(a);
      of_row[i] = first[j];
    });
  }
  for (int i = 0; i < A.rows(); ++i) {
    bool has_neighbours = false;
    each_entry(A, i, [&](std::int64_t e, int, double) { has_neighbours = has_neighbours || strong[e]; });
    if (of_row[i] < 0 && has_neighbours) join_free_neighbours(i);
  }
  return of_row;
}

SmoothedStep smoothed_step(const BlockCsrData& A, double strength) {
  SmoothedStep s;
  int aggregates = 0;
  const std::vector<char> strong = strong_couplings(A, strength);
  const std::vector<int> of_row = neighbourhoods(A, strong, aggregates);
  s.prolongation = smoothed_prolongation(A, strong, of_row, aggregates);
  s.restriction = transposed(s.prolongation, aggregates);
  // Transposing the symmetric product sorts its columns.
  SparseRows coarse =
      transposed(product(s.restriction, product(A, s.prolongation, aggregates), aggregates), aggregates);
  s.coarse = {1,    std::move(coarse.row_start), std::move(coarse.column), std::move(coarse.value),
              true, A.constant_null_space};
  return s;
}

}  // namespace weir::aggregation
