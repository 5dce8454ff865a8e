#include "tests/benchmarks/kernels.hpp"

#include <omp.h>

#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {
namespace {

struct Row {
  std::string kernel;
  int threads;
  double bytes;
  Spread seconds;
  double triad;
  double bytes_per_second() const { return bytes / seconds.min; }
};

using Rows = std::vector<Row>;
using Vec = Array<double, Host>;

SeparableOperator neumann_box(int n, bool stretched) {
  SeparableOperator op;
  for (auto& d : op.direction) {
    std::vector<double> faces{0};
    for (int i = 0; i < n; ++i) faces.push_back(faces.back() + (stretched ? 1 + 0.9 * (i % 7) : 1.0));
    d = cell_centred_direction(faces, EndCondition::neumann, EndCondition::neumann);
  }
  return op;
}

void measure(Rows& rows, const std::string& kernel, int threads, double triad, std::int64_t bytes,
             const std::function<void()>& f) {
  rows.push_back({kernel, threads, static_cast<double>(bytes), spread_of_seconds(f), triad});
}

// The 7-point pattern of n^3 cells with blocks of B x B.
BlockCsrData block_stencil(int n, int B) {
  BlockCsrData d;
  d.block = B;
  d.row_start.push_back(0);
  const auto add = [&](bool inside, int column, double value) {
    if (!inside) return;
    d.column.push_back(column);
    d.value.insert(d.value.end(), static_cast<std::size_t>(B * B), value);
  };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const int c = (k * n + j) * n + i;
        add(k > 0, c - n * n, -1);
        add(j > 0, c - n, -1);
        add(i > 0, c - 1, -1);
        add(true, c, 6);
        add(i + 1 < n, c + 1, -1);
        add(j + 1 < n, c + n, -1);
        add(k + 1 < n, c + n * n, -1);
        d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
      }
  return d;
}

// apply moves two vectors, residual three.
void matrix_rows(Rows& rows, const std::string& name, const Matrix<Host>& A, int threads, double triad) {
  const std::int64_t vector = 8 * std::int64_t{A.size()}, bytes = A.apply_work().bytes;
  Vec x(A.size()), y(A.size()), b(A.size());
  for (std::int64_t i = 0; i < A.size(); ++i) x.data()[i] = b.data()[i] = 1e-3 * static_cast<double>(i % 1000);
  measure(rows, name + " apply", threads, triad, bytes, [&] { A.apply(x, y); });
  measure(rows, name + " apply_dot", threads, triad, bytes, [&] { A.apply_dot(x, y); });
  measure(rows, name + " residual", threads, triad, bytes + vector, [&] { A.residual(b, x, y); });
  measure(rows, name + " residual_dot", threads, triad, bytes + vector, [&] { A.residual_dot(b, x, y); });
}

// An iteration of cg moves: A p 2 vectors; r -= alpha q 3; x, p from z 5 (z = r where M is none); jacobi 3.
void cg_rows(Rows& rows, const Matrix<Host>& A, int threads, double triad) {
  const std::int64_t vector = 8 * std::int64_t{A.size()};
  Vec x(A.size()), b(A.size());
  for (std::int64_t i = 0; i < A.size(); ++i) b.data()[i] = static_cast<double>(i * 7919 % 1000) - 499.5;
  constexpr int iterations = 20;
  KrylovOptions o;
  o.tolerance = 0;
  o.max_iterations = iterations;
  for (const char* type : {"none", "jacobi"}) {
    auto krylov = make_krylov<Host>("cg", o);
    auto M = make_preconditioner<Host>(type, weir::Table());
    M->setup(A);
    const auto solve = [&] {
      std::fill(x.data(), x.data() + x.size(), 0.0);
      krylov->solve(A, *M, b, x);
    };
    Spread s = spread_of_seconds(solve, 3);
    for (double* seconds : {&s.min, &s.median, &s.max})
      *seconds /= iterations;  // start and true residual: about one more
    const int vectors = type == std::string("none") ? 10 : 13;
    rows.push_back({std::string("cg + ") + type + ", an iteration", threads, double(vectors * vector), s, triad});
  }
}

void print(const Rows& rows) {
  Table table({"kernel", "threads", "MB", "ms", "median", "GB/s", "of triad"});
  for (const auto& r : rows)
    table.row({r.kernel, std::to_string(r.threads), number(r.bytes / 1e6, "%.1f"), number(r.seconds.min * 1e3),
               number(r.seconds.median * 1e3), number(r.bytes_per_second() / 1e9),
               number(r.bytes_per_second() / r.triad, "%.2f")});
}

nlohmann::json as_json(const Rows& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const Row& r : rows)
    all.push_back({{"kernel", r.kernel},
                   {"threads", r.threads},
                   {"bytes", r.bytes},
                   {"seconds", bench::as_json(r.seconds)},
                   {"fraction_of_triad", r.bytes_per_second() / r.triad}});
  return all;
}

}  // namespace

int bench_kernels(const Report& report) {
  const int all = omp_get_max_threads();
  Rows rows;
  for (int threads = 1; threads <= std::min(2, all); ++threads) {
    set_threads(threads);
    const double triad = triad_bytes_per_second(threads);
    std::printf("triad, %d thread(s): %.3g GB/s\n", threads, triad / 1e9);
    constexpr int n = 128;
    const SeparableStencil<Host> stretched(neumann_box(n, true));
    matrix_rows(rows, "stencil 128^3, stretched:", stretched, threads, triad);
    cg_rows(rows, stretched, threads, triad);
    for (const auto& [cells, B] : {std::pair{128, 1}, std::pair{56, 4}, std::pair{48, 5}})
      matrix_rows(rows, "block CSR " + std::to_string(cells) + "^3, B = " + std::to_string(B) + ":",
                  BlockCsr<Host>(block_stencil(cells, B)), threads, triad);
  }
  set_threads(all);
  print(rows);
  report.write("kernels", as_json(rows));
  return 0;
}

}  // namespace weir::bench
