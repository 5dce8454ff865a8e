#include "tests/benchmarks/many.hpp"

#include <cstdio>

#include "solvers/c/lockstep.hpp"
#include "solvers/matrix/block/many_products.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {
namespace {

// Convection and diffusion on m^3 points with blocks of `block`.
BlockCsrData system_of(int m, int block) {
  BlockCsrData A;
  A.block = block;
  A.row_start = {0};
  const auto add = [&](bool is_there, int column, double value) {
    if (!is_there) return;
    A.column.push_back(column);
    for (int r = 0; r < block; ++r)
      for (int c = 0; c < block; ++c) A.value.push_back(r == c ? value : 0.01 * (r - c));
  };
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) {
        const int row = (k * m + j) * m + i;
        add(k > 0, row - m * m, -1);
        add(j > 0, row - m, -1);
        add(i > 0, row - 1, -1.3);
        add(true, row, 6.1);
        add(i < m - 1, row + 1, -0.7);
        add(j < m - 1, row + m, -1);
        add(k < m - 1, row + m * m, -1);
        A.row_start.push_back(static_cast<std::int64_t>(A.column.size()));
      }
  return A;
}

}  // namespace

int bench_many(const Report& report, bool quick) {
  set_threads(1);
  const double triad = triad_bytes_per_second(1, true);
  std::printf("one thread, processor time, triad %.1f GB/s; ms per vector, and the bytes' limit\n", 1e-9 * triad);
  Table table({"block", "work                 ", "vectors", "      ms", "   limit", "limit / ms", "against 1"});
  nlohmann::json rows = nlohmann::json::array();
  for (const int block : {1, 4}) {
    const BlockCsr<Host> A(system_of(quick ? 12 : block == 1 ? 120 : 64, block));
    const auto M = make_preconditioner<Host>("block_ilu0", weir::Table());
    M->setup(A);
    const auto& applies = dynamic_cast<const AppliesMany<Host>&>(*M);
    const std::int64_t n = A.size();
    constexpr int most = 8;
    Array<double, Host> b(most * n), x(most * n);
    for (std::int64_t i = 0; i < b.size(); ++i) b.data()[i] = 1 + 1e-3 * static_cast<double>(i % 101);
    const auto bicgstab = [&] {
      KrylovOptions o;
      o.max_iterations = quick ? 2 : 10;
      o.tolerance = 1e-30;
      return make_krylov<Host>("bicgstab", o);
    };
    std::vector<std::unique_ptr<Krylov<Host>>> methods;
    for (int j = 0; j < most; ++j) methods.push_back(bicgstab());
    const double in_product = 16.0 * static_cast<double>(n), in_sweeps = 32.0 * static_cast<double>(n);
    const double matrix = static_cast<double>(A.apply_work().bytes) - in_product,
                 factors = static_cast<double>(M->apply_work().bytes) - in_sweeps;
    const auto measure = [&](const char* work, double shared, double own, const std::function<void(int)>& f) {
      double alone = 0;
      for (const int k : {1, 3, 8}) {
        const double ms = 1e3 * best_processor_seconds([&] { f(k); }, 3, quick ? 0 : 1) / k;
        const double limit = 1e3 * (shared / k + own) / triad;
        if (k == 1) alone = ms;
        table.row({std::to_string(block), work, std::to_string(k), number(ms), own > 0 ? number(limit) : "",
                   own > 0 ? number(limit / ms, "%.2f") : "", number(alone / ms, "%.2f")});
        rows.push_back({{"block", block}, {"work", work}, {"vectors", k}, {"milliseconds", ms}, {"limit", limit}});
      }
    };
    measure("product", matrix, in_product, [&](int k) {
      std::vector<csr_products::OneProduct> of;
      for (int j = 0; j < k; ++j) of.push_back({Product::apply, nullptr, b.data() + j * n, x.data() + j * n});
      csr_products::products(A.view(), of);
    });
    measure("block_ilu0", factors, in_sweeps, [&](int k) {
      std::vector<OneOfMany> of;
      for (int j = 0; j < k; ++j) of.push_back({b.data() + j * n, x.data() + j * n});
      applies.apply_many(of);
    });
    measure("bicgstab+block_ilu0", 0, 0, [&](int k) {
      std::fill(x.data(), x.data() + x.size(), 0.0);
      solve_in_lockstep(A, *M, k, [&](int j, const Matrix<Host>& Aj, const Preconditioner<Host>& Mj) {
        return methods[static_cast<std::size_t>(j)]->solve(Aj, Mj, View<const double>(b.data() + j * n, n),
                                                           View<double>(x.data() + j * n, n));
      });
    });
  }
  report.write("many", rows);
  return 0;
}

}  // namespace weir::bench
