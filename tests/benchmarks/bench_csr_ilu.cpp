// FGMRES + block_ilu0 and its asynchronous forms on a system of the size of a compressible case: milliseconds an
// iteration, and its parts with the bytes they must move, compared with the triad. PETSc's FGMRES: `weir bench peers`.
//   bench_csr_ilu [--csv FILE] [--side N] [--iterations N] [--threads N]
// About 3/2 N^2 cells (93: 13 k, as a NACA0012 mesh). Bytes: product and solve 8 (4) n^2 + 4 per block,
// vectors once.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/flow_system.hpp"

using namespace weir;
using bench::number;

namespace {

struct Settings {
  std::string csv;
  int side = 93, iterations = 15, threads = 2;
};

double seconds(int threads, const std::function<void()>& f) {
  return threads == 1 ? bench::best_processor_seconds(f) : bench::best_seconds(f, 3, 1.0);
}

class Report {
 public:
  Report(const bench::FlowSystem& system, const Settings& o)
      : system_(system),
        o_(o),
        table_({"solver", "threads", "setup ms", "apply ms", "A x ms", "ms per iteration", "of it basis", "iterations",
                "residual", "apply GB/s", "/triad"},
               o.csv) {
    for (int t = 1; t <= 2; ++t) {
      bench::set_threads(t);
      triad_[t] = bench::triad_bytes_per_second(t, t == 1);
      std::printf("triad, %d thread(s): %.2f GB/s\n", t, 1e-9 * triad_[t]);
    }
    bench::set_threads(1);
  }

  // preconditioner: the lines of its table.
  void ours(const std::string& method, const std::string& preconditioner, int threads) {
    bench::set_threads(threads);
    const BlockCsr<Host> A(system_.A);
    auto M = make_preconditioner<Host>(read_case_text(preconditioner, "benchmark"));
    M->setup(A);
    KrylovOptions options;
    options.tolerance = 0;
    options.max_iterations = o_.iterations;
    auto krylov = make_krylov<Host>(method, options);
    const Array<double, Host> b(system_.b);
    Array<double, Host> x(b.size()), y(b.size());
    const double setup = seconds(threads, [&] { M->update(A); });
    const double apply = seconds(threads, [&] { M->apply(b, x); });
    const double product = seconds(threads, [&] { A.apply(b, y); });
    SolveResult result;
    const double solve = seconds(threads, [&] {
      std::fill(x.data(), x.data() + x.size(), 0.0);
      result = krylov->solve(A, *M, b, x);
    });
    double bb = 0;
    for (const double v : system_.b) bb += v * v;
    const bool in_float = preconditioner.find("float") != std::string::npos;
    std::string name = preconditioner;
    std::replace(name.begin(), name.end(), '\n', ' ');
    row(method + " " + name, threads, setup, apply, product, solve, result.reduce_seconds, result.iterations,
        result.residual / std::sqrt(bb), in_float ? 4 : 8);
  }

 private:
  void row(const std::string& name, int threads, double setup, double apply, double product, double solve, double basis,
           int iterations, double residual, int bytes_an_entry) {
    const double blocks = static_cast<double>(system_.A.column.size()),
                 vector = 8.0 * static_cast<double>(system_.b.size());
    const double rate = (blocks * (16 * bytes_an_entry + 4) + 4 * vector) / apply;
    const auto ms = [](double s) { return number(1e3 * s); };
    table_.row({name, std::to_string(threads), ms(setup), ms(apply), ms(product), ms(solve / iterations),
                basis > 0 ? ms(basis / iterations) : "", std::to_string(iterations), number(residual),
                number(1e-9 * rate), number(rate / triad_[threads])});
  }

  const bench::FlowSystem& system_;
  const Settings& o_;
  bench::Table table_;
  double triad_[3] = {};
};

}  // namespace

int main(int argc, char** argv) {
  Settings o;
  for (int i = 1; i + 1 < argc; ++i) {
    if (!std::strcmp(argv[i], "--csv")) o.csv = argv[i + 1];
    if (!std::strcmp(argv[i], "--side")) o.side = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--iterations")) o.iterations = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--threads")) o.threads = std::atoi(argv[i + 1]);
  }
  const bench::FlowSystem system = bench::flow_system(o.side);
  std::printf("%d cells, %zu blocks of 4 x 4\n", system.A.rows(), system.A.column.size());
  Report report(system, o);
  for (int threads = 1; threads <= o.threads; ++threads) {
    report.ours("fgmres", "type='block_ilu0'", threads);
    report.ours("fgmres", "type='block_ilu0'\nfactors='float'", threads);
    report.ours("fgmres", "type='async_block_ilu0'", threads);
    report.ours("fgmres", "type='async_block_ilu0'\nchunk=64\nbuild_sweeps=2\napply_sweeps=2", threads);
    report.ours("fgmres", "type='async_ilu0'", threads);
  }
}
