// fast_poisson compared with what bounds it in the same run: FFTW's own forward and inverse 3D cosine transform of the
// same size (planned with FFTW_MEASURE), the dgemm of BLAS on 1024 x 1024, and the triad. Neumann all round.
//   bench_fast_poisson [threads...]      default: 1 2
#include <cblas.h>
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "mesh/structured/grid.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"
#include "tests/benchmarks/bench.hpp"

using namespace weir;
using bench::number;

namespace {

SeparableOperator neumann(Extents e, const Stretching& stretching) {
  SeparableOperator op;
  const int n[] = {e.nx, e.ny, e.nz};
  for (std::size_t d = 0; d < 3; ++d)
    op.direction[d] = cell_centred_direction(make_grid_line(n[d], 0, 1, n[d] > 1 ? stretching : Stretching{}).faces,
                                             EndCondition::neumann, EndCondition::neumann);
  return op;
}

double fftw_seconds(Extents e) {
  const auto count = static_cast<std::size_t>(e.count());
  std::vector<double> a(count), b(count);
  const int n[] = {e.nz, e.ny, e.nx}, rank = e.nz == 1 ? 2 : 3, *first = e.nz == 1 ? n + 1 : n;
  const std::vector<fftw_r2r_kind> to(3, FFTW_REDFT10), back(3, FFTW_REDFT01);
  fftw_plan p = fftw_plan_r2r(rank, first, a.data(), b.data(), to.data(), FFTW_MEASURE);
  fftw_plan q = fftw_plan_r2r(rank, first, b.data(), a.data(), back.data(), FFTW_MEASURE);
  std::fill(a.begin(), a.end(), 1.0);
  const double s = bench::best_seconds([&] {
    fftw_execute(p);
    fftw_execute(q);
  });
  fftw_destroy_plan(p);
  fftw_destroy_plan(q);
  return s;
}

double dgemm_flops_per_second() {
  constexpr int n = 1024;
  const std::vector<double> a(n * n, 1.0), b(n * n, 1.0);
  std::vector<double> c(n * n);
  const double s = bench::best_seconds([&] {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
  });
  return 2.0 * n * n * n / s;
}

// |b - A x| / |b| in the 2-norm.
double relative_residual(const SeparableOperator& op, const Array<double, Host>& b, const Array<double, Host>& x) {
  const SeparableStencil<Host> A(op);
  Array<double, Host> r(b.size());
  const double rr = A.residual_dot(b, x, r);
  double bb = 0;
  for (std::int64_t i = 0; i < b.size(); ++i) bb += b.data()[i] * b.data()[i];
  return std::sqrt(rr / bb);
}

void measure(bench::Table& table, Extents e, const Stretching& stretching, int threads, double fftw) {
  const SeparableOperator op = neumann(e, stretching);
  FastPoisson<Host> M;
  const double setup = M.setup(SeparableStencil<Host>(op)).seconds;
  Array<double, Host> x(e.count()), b(e.count());
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(0.37 * static_cast<double>(i));
  SeparableStencil<Host>(op).apply(x, b);
  const double solve = bench::best_seconds([&] { M.apply(b, x); }, 5, 0.5);
  const std::string size = std::to_string(e.nx) + "x" + std::to_string(e.ny) + "x" + std::to_string(e.nz);
  table.row({size + " " + stretching.type, std::to_string(threads), number(1e3 * setup), number(1e3 * solve),
             number(1e-9 * 16 * static_cast<double>(x.size()) / solve), number(solve / fftw, "%.2f"),
             number(relative_residual(op, b, x), "%.1e"), M.describe()});
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> thread_counts;
  for (int i = 1; i < argc; ++i) thread_counts.push_back(std::atoi(argv[i]));
  if (thread_counts.empty()) thread_counts = {1, 2};
  bench::set_threads(1);
  std::printf("one core: triad %.1f GB/s, dgemm %.1f Gflop/s\n", 1e-9 * bench::triad_bytes_per_second(1),
              1e-9 * dgemm_flops_per_second());
  bench::Table table({"grid", "threads", "setup ms", "solve ms", "r, z GB/s", "/ FFTW 1 core", "residual", "method"});
  for (const Extents e : {Extents{64, 64, 64}, Extents{128, 128, 128}, Extents{192, 192, 192}, Extents{128, 128, 1},
                          Extents{512, 512, 1}}) {
    bench::set_threads(1);
    const double fftw = fftw_seconds(e);
    table.row({std::to_string(e.nx) + " FFTW cosine transforms", "1", "", number(1e3 * fftw), "", "1", "", ""});
    for (const int threads : thread_counts)
      for (const Stretching& s : {Stretching{"uniform", 0}, Stretching{"tanh", 2.0}}) {
        bench::set_threads(threads);
        measure(table, e, s, threads, fftw);
      }
  }
}
