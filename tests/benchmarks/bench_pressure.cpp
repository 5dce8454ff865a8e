// Pressure systems of the flow codes under refinement: closed cavities, which are singular, and the flow around a
// cylinder that cuts its cells, to 1e-8 of |b| from zero, by geometric and algebraic multigrid and by hypre's where it
// is.
//   bench_pressure [threads = 1] [finest cells a side in 2D = 256] [repeats = 3] [part of the solvers' names]
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "inputs/case.hpp"
#include "mesh/structured/grid.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/support/systems/body_poisson.hpp"
#include "tests/support/systems/dense.hpp"

using namespace weir;
using bench::number;

namespace {

// Neumann conditions all round, cells as those of inputs/incompressible/cavity_re1000.toml: tanh, 0.8 in 2D; more in
// 3D.
SeparableStencil<Host> cavity(const Extents& cells, double stretching) {
  SeparableOperator op;
  const int n[] = {cells.nx, cells.ny, cells.nz};
  for (std::size_t d = 0; d < 3; ++d)
    op.direction[d] =
        cell_centred_direction(make_grid_line(n[d], 0, 1, {n[d] > 1 ? "tanh" : "uniform", stretching}).faces,
                               EndCondition::neumann, EndCondition::neumann);
  return SeparableStencil<Host>(op);
}

const std::vector<std::pair<const char*, const char*>> solvers = {
    {"cg+multigrid", "method = \"cg\"\npreconditioner = { type = \"multigrid\" }"},
    {"cg+aggregation", "method = \"cg\"\npreconditioner = { type = \"aggregation\", pre = 1 }"},
    {"fgmres+aggregation K",
     "method = \"fgmres\"\npreconditioner = { type = \"aggregation\", pre = 1, cycle = \"K\" }"},
    {"cg+aggregation smoothed",
     "method = \"cg\"\npreconditioner = { type = \"aggregation\", interpolation = \"smoothed\" }"},
    {"hypre:cg+boomeramg", "method = \"hypre:cg+boomeramg\""},
    {"amgcl:cg+smoothed_aggregation", "method = \"amgcl:cg+smoothed_aggregation\""}};

struct Settings {
  int repeats = 3;
  std::string wanted;  // part of the solvers' names
};

void measure(bench::Table& table, const std::string& name, const Matrix<Host>& A, const std::vector<double>& b,
             const Settings& o) {
  const std::vector<std::string> there = peer_libraries();
  const Array<double, Host> B(b);
  Array<double, Host> x(A.size());
  for (const auto& [label, text] : solvers) {
    const std::string library = peer_name(label).library;
    if (std::string(label).find(o.wanted) == std::string::npos) continue;
    if (!library.empty() && std::find(there.begin(), there.end(), library) == there.end()) continue;
    const auto solver = make_any_solver<Host>(
        read_case_text("tolerance = 1e-8\nmax_iterations = 400\n" + std::string(text), "bench_pressure"));
    solver->setup(A);
    const double setup_seconds = bench::best_seconds([&] { solver->setup(A); }, o.repeats, 0);
    SolveResult result;
    const double seconds = bench::best_seconds(
        [&] {
          std::fill(x.data(), x.data() + x.size(), 0.0);
          result = solver->solve(A, B, x);
        },
        o.repeats, 0);
    table.row({name, label, std::to_string(result.iterations), to_string(result.reason),
               number(1e3 * setup_seconds, "%.2f"), number(1e3 * seconds, "%.2f"),
               number(static_cast<double>(solver->setup_info().bytes) / 8 / A.size(), "%.1f")});
  }
}

// Random numbers without a mean.
std::vector<double> compatible_numbers(int n) {
  std::vector<double> b = test::random_numbers(n, 1);
  return test::minus(b, std::vector<double>(b.size(), test::mean(b)));
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1, finest = argc > 2 ? std::atoi(argv[2]) : 256;
  const Settings o{argc > 3 ? std::atoi(argv[3]) : 3, argc > 4 ? argv[4] : ""};
  bench::set_threads(threads);
  std::printf("to 1e-8 of |b|, %d thread(s), best of %d\n", threads, o.repeats);
  bench::Table table(
      {"system", "solver                       ", "iterations", "ended", "set-up ms", "solve ms", "vectors"});
  for (int n = finest / 4; n <= finest; n *= 2) {
    const std::string cells = std::to_string(n) + "^2";
    const auto plane = cavity({n, n, 1}, 0.8);
    measure(table, "closed cavity " + cells, plane, compatible_numbers(plane.size()), o);
    const test::BodyOptions body{.cells = {n, n, 1}, .stretching = 0.8, .body = test::Body::cylinder};
    measure(table, "cylinder " + cells, test::pressure_matrix<Host>(body), test::right_hand_side(body), o);
  }
  for (int n = finest / 16; n <= finest / 4; n *= 2) {
    const auto box = cavity({n, n, n}, 1.5);
    measure(table, "closed stretched cavity " + std::to_string(n) + "^3", box, compatible_numbers(box.size()), o);
  }
  return 0;
}
