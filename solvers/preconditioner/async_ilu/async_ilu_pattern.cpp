// The symbolic part of async_ilu0 and async_block_ilu0.
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu_factors.hpp"

namespace weir::async_ilu {

template <class Space>
AsyncPattern::AsyncPattern(const BlockCsr<Space>& A, bool scalar)
    : rows(scalar ? A.size() : A.rows()), n(scalar ? 1 : A.block()) {
  const std::vector<std::int64_t> start = A.row_start().to_vector(), diagonal = A.diagonal().to_vector();
  const std::vector<int> column = A.column().to_vector();
  const int B = A.block();
  std::vector<int> columns;
  std::vector<std::int64_t> sources;
  for (int i = 0; i < A.rows(); ++i) {
    if (diagonal[at(i)] < 0)
      throw Error(Exit::usage, "asynchronous ILU(0): block row " + std::to_string(i) + " has no diagonal block" +
                                   (start[at(i)] == start[at(i) + 1] ? " (the row is empty)" : ""));
    for (int r = 0; r < (scalar ? B : 1); ++r) {
      columns.clear();
      sources.clear();
      for (std::int64_t e = start[at(i)]; e < start[at(i) + 1]; ++e)
        for (int c = 0; c < (scalar ? B : 1); ++c) {
          columns.push_back(scalar ? column[at(e)] * B + c : column[at(e)]);
          sources.push_back(e * B * B + r * B + c);
        }
      add_entries(scalar ? i * B + r : i, columns, sources);
    }
  }
  find_products();
}

void AsyncPattern::add_entries(int row, const std::vector<int>& column, const std::vector<std::int64_t>& source) {
  for (std::size_t e = 0; e < column.size(); ++e) {
    if (column[e] < row) {
      lower_column.push_back(column[e]);
      lower_source.push_back(source[e]);
    } else if (column[e] > row) {
      upper_column.push_back(column[e]);
      upper_source.push_back(source[e]);
    } else {
      diagonal_source.push_back(source[e]);
    }
  }
  lower_start.push_back(static_cast<std::int64_t>(lower_column.size()));
  upper_start.push_back(static_cast<std::int64_t>(upper_column.size()));
}

// Row by row: where[j] is the target (i, j) of the row at hand, numbered lower, diagonal, upper; the products of each
// are collected in ascending k.
void AsyncPattern::find_products() {
  std::vector<int> where(at(rows), -1);
  std::vector<std::vector<Product>> of;
  std::vector<Product> diagonal, upper;  // the lists of the lower entries come first, then these
  const auto store = [](const std::vector<Product>& list, std::vector<Product>& all, std::vector<std::int64_t>& ends) {
    all.insert(all.end(), list.begin(), list.end());
    ends.push_back(static_cast<std::int64_t>(all.size()));
  };
  for (int i = 0; i < rows; ++i) {
    const std::int64_t l0 = lower_start[at(i)], l1 = lower_start[at(i) + 1], u0 = upper_start[at(i)],
                       u1 = upper_start[at(i) + 1];
    const int lowers = static_cast<int>(l1 - l0), targets = lowers + 1 + static_cast<int>(u1 - u0);
    const auto column = [&](int t) {
      return t < lowers ? lower_column[at(l0 + t)] : t == lowers ? i : upper_column[at(u0 + t - lowers - 1)];
    };
    of.resize(std::max(of.size(), at(targets)));
    for (int t = 0; t < targets; ++t) {
      of[at(t)].clear();
      where[at(column(t))] = t;
    }
    for (std::int64_t l = l0; l < l1; ++l) {
      const int k = lower_column[at(l)];
      for (std::int64_t u = upper_start[at(k)]; u < upper_start[at(k) + 1]; ++u)
        if (const int t = where[at(upper_column[at(u)])]; t >= 0)
          of[at(t)].push_back({static_cast<int>(l), static_cast<int>(u)});
    }
    for (int t = 0; t < targets; ++t) {
      if (t < lowers)
        store(of[at(t)], product, lower_products);
      else if (t == lowers)
        store(of[at(t)], diagonal, diagonal_products);
      else
        store(of[at(t)], upper, upper_products);
      where[at(column(t))] = -1;
    }
  }
  const auto append = [&](const std::vector<Product>& list, std::vector<std::int64_t>& ends) {
    for (std::int64_t& e : ends) e += static_cast<std::int64_t>(product.size());
    product.insert(product.end(), list.begin(), list.end());
  };
  append(diagonal, diagonal_products);
  append(upper, upper_products);
}

template AsyncPattern::AsyncPattern(const BlockCsr<Host>&, bool);
template AsyncPattern::AsyncPattern(const BlockCsr<Device>&, bool);

}  // namespace weir::async_ilu
