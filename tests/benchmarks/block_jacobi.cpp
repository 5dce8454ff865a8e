#include "tests/benchmarks/block_jacobi.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {
namespace {

// (I - 2 v v' / v'v) diag(1 .. 1/k): l2 condition number k, spread evenly in its logarithm from 1 to `hardest` over the
// rows, at random.
BlockCsrData blocks_of(int rows, int B, double hardest) {
  BlockCsrData d;
  d.block = B;
  d.row_start.push_back(0);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> v(static_cast<std::size_t>(B));
  for (int i = 0; i < rows; ++i) {
    const double k = std::pow(hardest, unit(random));
    double vv = 0;
    for (double& x : v) {
      x = unit(random) - 0.5;
      vv += x * x;
    }
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c) {
        const double q = (r == c) - 2 * v[static_cast<std::size_t>(r)] * v[static_cast<std::size_t>(c)] / vv;
        d.value.push_back(q * std::pow(k, -c / std::max(1.0, B - 1.0)));
      }
    d.column.push_back(i);
    d.row_start.push_back(i + 1);
  }
  return d;
}

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

constexpr int kinds = 2, in_double = 0, updates = 7;
constexpr const char* words[kinds] = {"double", "float"};

void measure(Table& table, int rows, int B, double hardest, int turns) {
  const BlockCsr<Host> A(blocks_of(rows, B, hardest));
  weir::Table floats;
  floats.put("storage", std::string("float"));
  const std::array<std::unique_ptr<Preconditioner<Host>>, kinds> M{
      make_preconditioner<Host>("block_jacobi", weir::Table()), make_preconditioner<Host>("block_jacobi", floats)};
  std::array<SetupInfo, kinds> info;
  for (std::size_t k = 0; k < kinds; ++k) info[k] = M[k]->setup(A);
  Array<double, Host> r(A.size()), z(A.size());
  for (std::int64_t i = 0; i < r.size(); ++i) r.data()[i] = 1e-3 * static_cast<double>(i % 1000);
  std::array<std::vector<double>, kinds> apply, update;  // ratios; of double: seconds
  std::vector<std::size_t> order{0, 1};
  std::mt19937 random(1);
  for (int turn = 0; turn < turns; ++turn) {
    std::array<double, kinds> a{}, u{};
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order)
      if (turn < updates) u[k] = seconds_of([&] { M[k]->update(A); });
    for (const std::size_t k : order) {
      M[k]->apply(r, z);
      a[k] = seconds_of([&] { M[k]->apply(r, z); });
    }
    for (std::size_t k = 0; k < kinds; ++k) {
      apply[k].push_back(k == in_double ? a[k] : a[k] / a[in_double]);
      if (turn < updates) update[k].push_back(k == in_double ? u[k] : u[k] / u[in_double]);
    }
  }
  for (std::size_t k = 0; k < kinds; ++k) {
    const double ms = 1e3 * median(apply[in_double]), update_ms = 1e3 * median(update[in_double]);
    table.row({std::to_string(B), std::to_string(rows), number(hardest, "%.0e"), words[k],
               number(static_cast<double>(info[k].bytes) / rows, "%.1f"),
               k == in_double ? number(ms) + " ms" : number(median(apply[k]), "%.2f"),
               k == in_double ? number(update_ms) + " ms" : number(median(update[k]), "%.2f")});
  }
}

}  // namespace

int bench_block_jacobi(const std::string& csv_path, bool quick) {
  Table table({"B", "block rows", "hardest", "storage", "bytes per block", "apply    ", "update   "}, csv_path);
  for (const auto& [B, rows] : {std::pair{4, 100000}, std::pair{5, 80000}, std::pair{8, 30000}, std::pair{4, 8000}})
    for (const double hardest : {10.0, 1e4, 1e9}) measure(table, quick ? rows / 100 : rows, B, hardest, quick ? 3 : 40);
  return 0;
}

}  // namespace weir::bench
