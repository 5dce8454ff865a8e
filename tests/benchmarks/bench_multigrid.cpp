// Poisson on a box, Neumann all round, to 1e-8 relative to |b|: cg + multigrid compared with hypre and PETSc on the same
// right-hand side in the same run, uniform and stretched grids.
//   bench_multigrid [cells = 128] [threads = 1] [repeats = 5]
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>

#include "mesh/structured/grid.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/peers/peers_poisson.hpp"

using namespace weir;
using bench::number;

namespace {

bench::PoissonProblem make_problem(int n, double stretching, int repeats) {
  bench::PoissonProblem p;
  p.repeats = repeats;
  for (auto& faces : p.faces) faces = make_grid_line(n, 0, 1, {stretching > 0 ? "tanh" : "uniform", stretching}).faces;
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double sum = 0, volume = 0;
  const auto each_cell = [&](auto&& f) {
    for (std::size_t k = 0; k + 1 < p.faces[2].size(); ++k)
      for (std::size_t j = 0; j + 1 < p.faces[1].size(); ++j)
        for (std::size_t i = 0; i + 1 < p.faces[0].size(); ++i)
          f((p.faces[0][i + 1] - p.faces[0][i]) * (p.faces[1][j + 1] - p.faces[1][j]) *
            (p.faces[2][k + 1] - p.faces[2][k]));
  };
  each_cell([&](double v) {
    p.b.push_back(v * uniform(generator));
    sum += p.b.back();
    volume += v;
  });
  std::size_t c = 0;
  each_cell([&](double v) { p.b[c++] -= v * sum / volume; });
  return p;
}

SeparableOperator operator_of(const bench::PoissonProblem& p) {
  SeparableOperator op;
  for (std::size_t d = 0; d < 3; ++d)
    op.direction[d] = cell_centred_direction(p.faces[d], EndCondition::neumann, EndCondition::neumann);
  return op;
}

bench::PeerResult ours(const bench::PoissonProblem& p, const std::string& method, const MultigridOptions& options) {
  const SeparableStencil<Host> A(operator_of(p));
  const Array<double, Host> b(p.b);
  Array<double, Host> x(b.size());
  bench::PeerResult result{"", 0, 1e30, 0, {}};
  Multigrid<Host> M(options);
  double first = 0;
  result.setup_seconds = bench::best_seconds([&] { M.setup(A); }, 1, 0);
  KrylovOptions k;
  k.tolerance = p.tolerance;
  const auto krylov = make_krylov<Host>(method, k);
  for (int r = 0; r < p.repeats; ++r) {
    x.upload(std::vector<double>(p.b.size(), 0.0));
    const double s = bench::best_seconds([&] { result.iterations = krylov->solve(A, M, b, x).iterations; }, 1, 0);
    if (r == 0) first = s;
    result.solve_seconds = std::min(result.solve_seconds, s);
  }
  result.setup_seconds +=
      std::max(0.0, first - result.solve_seconds);  // what the first solve costs more: its allocations
  result.x = x.to_vector();
  result.name = "weir " + method + " + " + M.describe();
  return result;
}

double relative_residual(const bench::PoissonProblem& p, const std::vector<double>& x) {
  const SeparableStencil<Host> A(operator_of(p));
  const Array<double, Host> b(p.b), X(x);
  Array<double, Host> r(b.size());
  double bb = 0;
  for (const double v : p.b) bb += v * v;
  return std::sqrt(A.residual_dot(b, X, r) / bb);
}

void compare(bench::Table& table, const std::string& grid, const bench::PoissonProblem& p, bench::Peers& peers) {
  std::vector<bench::PeerResult> theirs = peers.solve(p);
  std::vector<bench::PeerResult> all = {ours(p, "cg", {}), ours(p, "correction", {})};
  double best_solve = 0, best_first = 0;
  for (const auto& r : theirs) {
    best_solve = best_solve == 0 ? r.solve_seconds : std::min(best_solve, r.solve_seconds);
    const double first = r.setup_seconds + r.solve_seconds;
    best_first = best_first == 0 ? first : std::min(best_first, first);
  }
  all.insert(all.end(), theirs.begin(), theirs.end());
  for (const auto& r : all) {
    const double first = r.setup_seconds + r.solve_seconds;
    table.row({grid + " " + r.name, number(r.setup_seconds), number(r.solve_seconds), number(first),
               std::to_string(r.iterations), number(relative_residual(p, r.x), "%.1e"),
               best_solve > 0 ? number(best_solve / r.solve_seconds, "%.2f") : "",
               best_first > 0 ? number(best_first / first, "%.2f") : ""});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 128, threads = argc > 2 ? std::atoi(argv[2]) : 1,
            repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  bench::set_threads(threads);
  bench::Peers peers;
  std::printf("Poisson %d^3, Neumann, to 1e-8; %d thread(s); triad %.1f GB/s\n", n, threads,
              1e-9 * bench::triad_bytes_per_second(threads));
  bench::Table table(
      {"grid, solver", "setup s", "solve s", "first s", "iterations", "|r|/|b|", "peer/solve", "peer/first"});
  compare(table, "uniform", make_problem(n, 0, repeats), peers);
  compare(table, "tanh 2 ", make_problem(n, 2, repeats), peers);
  std::printf("peer/x: the best peer's time over this row's (peers run on one thread)\n");
  return 0;
}
