// block_ilu0 on the host: microseconds per cell for factorisation, triangular solve (both sweeps) and residual,
// compared with the bytes they must move and the triad of the same run (Luo et al. 2015, Figs. 9, 10). PETSc's: `weir
// bench peers`.
//   bench_block_ilu [--csv FILE] [--quick]
// Bytes per cell, n x n blocks of doubles, vectors counted once:
//   factorisation 7 blocks read, 1 written | solve 3 + 3 of A and twice d, r read, z written, read and written |
//   residual 7, b x r
#include <omp.h>

#include <cmath>
#include <cstring>

#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/support/systems/block_systems.hpp"

using namespace weir;
using bench::number;

namespace {

struct Bytes {
  double factor, solve, residual;
};
Bytes bytes_a_cell(int n) {
  const double block = 8.0 * n * n, vector = 8.0 * n;
  return {8 * block, 8 * block + 4 * vector, 7 * block + 3 * vector};
}

class Report {
 public:
  explicit Report(const std::string& csv)
      : table_({"cells, n", "threads", "factor us", "solve us", "residual us", "factor GB/s", "solve GB/s",
                "resid GB/s", "solve/triad", "resid/triad"},
               csv) {
    for (int t = 1; t <= 2; ++t) {
      bench::set_threads(t);
      triad_[t] = bench::triad_bytes_per_second(t, t == 1);
      std::printf("triad, %d thread(s): %.2f GB/s\n", t, 1e-9 * triad_[t]);
    }
  }

  void row(const std::string& name, int threads, double cells, const Bytes& bytes, double factor, double solve,
           double residual) {
    const auto rate = [&](double b, double seconds) { return b * cells / seconds; };
    const auto us = [&](double seconds) { return number(1e6 * seconds / cells); };
    table_.row({name, std::to_string(threads), us(factor), us(solve), us(residual),
                number(1e-9 * rate(bytes.factor, factor)), number(1e-9 * rate(bytes.solve, solve)),
                number(1e-9 * rate(bytes.residual, residual)), number(rate(bytes.solve, solve) / triad_[threads]),
                number(rate(bytes.residual, residual) / triad_[threads])});
  }

 private:
  bench::Table table_;
  double triad_[3] = {};
};

// One thread: processor time, so that the table can be made next to other programs.
double seconds(int threads, const std::function<void()>& f) {
  return threads == 1 ? bench::best_processor_seconds(f) : bench::best_seconds(f);
}

void measure(Report& report, Extents cells, int n) {
  const test::BlockSystem system = test::random_system(cells, n, 1);
  const std::string name = std::to_string(cells.nx) + "^3, n = " + std::to_string(n);
  const double count = cells.count();
  Array<double, Host> b(system.b), x(static_cast<std::int64_t>(system.b.size())), r(x.size());
  {
    BlockStencil<Host> A(cells, n);
    A.upload(system.values);
    for (const bool in_float : {false, true})
      for (int threads = 1; threads <= 2; ++threads) {
        bench::set_threads(threads);
        BlockIlu0<Host> M({.float_factors = in_float});
        M.setup(A);
        const double factor = seconds(threads, [&] { M.update(A); });
        const double residual = seconds(threads, [&] { A.residual(b, x, r); });
        const double solve = seconds(threads, [&] { M.apply(b, x); });
        Bytes bytes = bytes_a_cell(n);
        if (in_float) {
          bytes.factor -= 4.0 * n * n;
          bytes.solve -= 8.0 * n * n;
        }
        report.row(name + (in_float ? ", float factors" : ""), threads, count, bytes, factor, solve, residual);
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string csv;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--csv") && i + 1 < argc) csv = argv[++i];
    if (!std::strcmp(argv[i], "--quick")) quick = true;
  }
  Report report(csv);
  for (const int n : {4, 6})
    for (const int side : {15, 33, 65})
      if (!quick || side < 65) measure(report, {side, side, side}, n);
  // Fig. 10: n^2 I J K constant.
  const double entries = quick ? 1e6 : 9e6;
  for (const int n : {1, 2, 3, 5, 8, 10, 16, 22, 32}) {
    const int side = static_cast<int>(std::cbrt(entries / (n * n)));
    measure(report, {side, side, side}, n);
  }
}
