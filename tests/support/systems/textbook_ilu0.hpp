// The textbook block ILU(0) of a block CSR matrix (Saad 2003, algorithm 10.4 on blocks): L has unit diagonal blocks.
// B = 1 gives the scalar one; `as_scalars` turns any matrix into its scalar twin on the same pattern of blocks.
#pragma once
#include <map>

#include "tests/support/systems/block_matrices.hpp"

namespace weir::test {

// Issue: equal to the sequential textbook to 1e-12 relative. Float factors: eps of float times the growth over a few
// rows.
inline constexpr double same = 1e-12, same_in_float = 1e-5;

// b x b, row-major.
inline Numbers block_product(int b, const Numbers& x, const Numbers& y) {
  Numbers z(x.size());
  const auto at = [b](int i, int j) { return static_cast<std::size_t>(i * b + j); };
  for (int i = 0; i < b; ++i)
    for (int j = 0; j < b; ++j)
      for (int k = 0; k < b; ++k) z[at(i, j)] += x[at(i, k)] * y[at(k, j)];
  return z;
}
inline Numbers block_inverse(int b, const Numbers& x) {
  Numbers inverse(x.size());
  Dense d(b);
  d.a = x;
  for (int j = 0; j < b; ++j) {
    Numbers unit(static_cast<std::size_t>(b));
    unit[static_cast<std::size_t>(j)] = 1;
    const Numbers column = dense_solve(d, unit);
    for (int i = 0; i < b; ++i) inverse[static_cast<std::size_t>(i * b + j)] = column[static_cast<std::size_t>(i)];
  }
  return inverse;
}

struct TextbookIlu0 {
  BlockCsrData factors;  // L_ij below the diagonal, U_ij on and above, on the pattern of A

  explicit TextbookIlu0(const BlockCsrData& A) : factors(A) {
    for (int i = 0; i < A.rows(); ++i) {
      auto row = row_of(i);
      for (auto& [k, Lik] : row) {
        if (k >= i) break;
        auto pivot = row_of(k);
        Lik = block_product(A.block, Lik, block_inverse(A.block, pivot.at(k)));
        for (auto& [j, Aij] : row)
          if (j > k && pivot.count(j)) Aij = minus(Aij, block_product(A.block, Lik, pivot.at(j)));
      }
      store(i, row);
    }
  }

  Numbers solve(Numbers b) const {
    const int B = factors.block, rows = factors.rows();
    const auto subtract = [&](int i, const Numbers& block, int j) {
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c)
          b[static_cast<std::size_t>(i * B + r)] -=
              block[static_cast<std::size_t>(r * B + c)] * b[static_cast<std::size_t>(j * B + c)];
    };
    for (int i = 0; i < rows; ++i)
      for (const auto& [j, block] : row_of(i))
        if (j < i) subtract(i, block, j);
    for (int i = rows - 1; i >= 0; --i) {
      const auto row = row_of(i);
      for (const auto& [j, block] : row)
        if (j > i) subtract(i, block, j);
      Dense d(B);
      d.a = row.at(i);
      const auto from = b.begin() + std::int64_t{i} * B;
      const Numbers x = dense_solve(d, Numbers(from, from + B));
      std::copy(x.begin(), x.end(), from);
    }
    return b;
  }

  std::map<int, Numbers> row_of(int i) const {
    std::map<int, Numbers> row;
    const std::int64_t bb = std::int64_t{factors.block} * factors.block;
    for (auto e = factors.row_start[static_cast<std::size_t>(i)];
         e < factors.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      row[factors.column[static_cast<std::size_t>(e)]] =
          Numbers(factors.value.begin() + e * bb, factors.value.begin() + (e + 1) * bb);
    return row;
  }

 private:
  void store(int i, const std::map<int, Numbers>& row) {
    auto to = factors.value.begin() +
              factors.row_start[static_cast<std::size_t>(i)] * std::int64_t{factors.block} * factors.block;
    for (const auto& [j, block] : row) to = std::copy(block.begin(), block.end(), to);
  }
};

// The same matrix with blocks of one entry.
inline BlockCsrData as_scalars(const BlockCsrData& A) {
  BlockCsrData s;
  s.row_start = {0};
  const int B = A.block;
  for (int i = 0; i < A.rows(); ++i)
    for (int r = 0; r < B; ++r) {
      for (auto e = A.row_start[static_cast<std::size_t>(i)]; e < A.row_start[static_cast<std::size_t>(i) + 1]; ++e)
        for (int c = 0; c < B; ++c) {
          s.column.push_back(A.column[static_cast<std::size_t>(e)] * B + c);
          s.value.push_back(A.value[static_cast<std::size_t>((e * B + r) * B + c)]);
        }
      s.row_start.push_back(static_cast<std::int64_t>(s.column.size()));
    }
  return s;
}

// A matrix like that of a flow code: a cell of an nx x ny grid of quadrilaterals couples to its neighbours; every
// `triangle`-th cell also to a diagonal one (cells around a node of degree 3), so that elimination changes blocks off
// the diagonal. Diagonally dominant by `dominance`. order[position] = cell.
inline BlockCsrData mesh_like(int nx, int ny, int B, unsigned seed, const std::vector<int>& order,
                              double dominance = 1.2, int triangle = 7) {
  const int cells = nx * ny;
  std::vector<int> position(static_cast<std::size_t>(cells));
  for (int p = 0; p < cells; ++p) position[static_cast<std::size_t>(order[static_cast<std::size_t>(p)])] = p;
  std::vector<std::set<int>> pattern(static_cast<std::size_t>(cells));
  const auto couple = [&](int a, int b) {
    const int p = position[static_cast<std::size_t>(a)], q = position[static_cast<std::size_t>(b)];
    pattern[static_cast<std::size_t>(p)].insert(q);
    pattern[static_cast<std::size_t>(q)].insert(p);
  };
  for (int c = 0; c < cells; ++c) {
    const int i = c % nx, j = c / nx;
    couple(c, c);
    if (i + 1 < nx) couple(c, c + 1);
    if (j + 1 < ny) couple(c, c + nx);
    if (i + 1 < nx && j + 1 < ny && c % triangle == 0) couple(c, c + nx + 1);
  }
  BlockCsrData d;
  d.block = B;
  d.row_start = {0};
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < cells; ++i) {
    Numbers sum(static_cast<std::size_t>(B));
    std::size_t diagonal = 0;
    for (const int j : pattern[static_cast<std::size_t>(i)]) {
      d.column.push_back(j);
      if (j == i) diagonal = d.value.size();
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c) {
          d.value.push_back(uniform(generator));
          if (j != i || r != c) sum[static_cast<std::size_t>(r)] += std::abs(d.value.back());
        }
    }
    for (int r = 0; r < B; ++r)
      d.value[diagonal + static_cast<std::size_t>(r * B + r)] = dominance * sum[static_cast<std::size_t>(r)];
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return d;
}

// Three block rows, the second of which is empty.
inline BlockCsrData row_without_a_diagonal() {
  BlockCsrData data;
  data.block = 2;
  data.row_start = {0, 1, 1, 2};
  data.column = {0, 2};
  data.value = {1, 0, 0, 1, 1, 0, 0, 1};
  return data;
}

// Error message of M for a matrix that it refuses.
template <class Space>
std::string refusal(Preconditioner<Space>& M, const BlockCsrData& data) {
  try {
    const BlockCsr<Space> A(data);
    M.setup(A);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

inline std::vector<int> natural_order(int cells) {
  std::vector<int> order(static_cast<std::size_t>(cells));
  for (int c = 0; c < cells; ++c) order[static_cast<std::size_t>(c)] = c;
  return order;
}

// mesh_like on 6 x 5 cells; two of its block rows hold zeros alone.
inline BlockCsrData mesh_like_with_two_singular_rows(int B) {
  BlockCsrData data = mesh_like(6, 5, B, 19, natural_order(30));
  for (const std::size_t i : {7, 20})
    std::fill_n(data.value.begin() + data.row_start[i] * B * B, B * B * (data.row_start[i + 1] - data.row_start[i]),
                0.0);
  return data;
}

inline std::vector<int> random_order(int cells, unsigned seed) {
  std::vector<int> order = natural_order(cells);
  std::mt19937 generator(seed);
  std::shuffle(order.begin(), order.end(), generator);
  return order;
}
// By diagonals i + j, which is what reverse Cuthill-McKee makes of such a grid.
inline std::vector<int> diagonal_order(int nx, int ny) {
  std::vector<int> order = natural_order(nx * ny);
  std::stable_sort(order.begin(), order.end(), [nx](int a, int b) { return a % nx + a / nx > b % nx + b / nx; });
  return order;
}

}  // namespace weir::test
