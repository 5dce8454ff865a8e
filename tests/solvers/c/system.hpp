// A system and a solver of weir.h for its tests.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "solvers/c/weir.h"

namespace weir::test::c {

// Convection and diffusion on n x n points, not symmetric; block > 1: unknowns of a point are coupled by a small random
// block.
struct System {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  int rows, block;

  System(int n, int block_size, unsigned seed = 1) : rows(n * n), block(block_size) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> small(-0.1, 0.1);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const auto add = [&](bool is_there, int to, double a) {
          if (!is_there) return;
          column.push_back(to);
          for (int r = 0; r < block; ++r)
            for (int c = 0; c < block; ++c) value.push_back((r == c ? a : 0) + (block > 1 ? small(random) : 0));
        };
        const int row = j * n + i;
        add(j > 0, row - n, -1);
        add(i > 0, row - 1, -1.4);
        add(true, row, 4.6);
        add(i < n - 1, row + 1, -0.6);
        add(j < n - 1, row + n, -1);
        start.push_back(static_cast<std::int64_t>(column.size()));
      }
  }
  int size() const { return rows * block; }
  weir_csr csr() const { return {sizeof(weir_csr), 0, rows, block, 64, start.data(), column.data(), value.data()}; }
  std::vector<double> product(const std::vector<double>& x, bool is_transposed) const {
    std::vector<double> y(x.size());
    for (int i = 0; i < rows; ++i)
      for (std::int64_t e = start[i]; e < start[i + 1]; ++e)
        for (int r = 0; r < block; ++r)
          for (int c = 0; c < block; ++c) {
            const int to = i * block + r, from = column[e] * block + c;
            const double a = value[(e * block + r) * block + c];
            is_transposed ? y[from] += a * x[to] : y[to] += a * x[from];
          }
    return y;
  }
};

inline std::vector<double> random_vector(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> v(n);
  for (double& x : v) x = number(random);
  return v;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

struct Solver {
  weir_solver_t* handle = nullptr;
  explicit Solver(const std::string& options) {
    EXPECT_EQ(weir_create(options.c_str(), &handle), WEIR_OK) << weir_error(nullptr);
  }
  ~Solver() { weir_destroy(handle); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  std::string error() const { return weir_error(handle); }
};

inline const std::string gmres = "method = \"gmres\"\ntolerance = 1e-12\npreconditioner = { type = \"block_ilu0\" }";

}  // namespace weir::test::c
