// The coupled scheme compared with the memory, one core: nanoseconds a cell for the residual (RHS of Luo et al. 2015),
// the Jacobian (AFILL and TSD), a plain fill of the Jacobian's array in the same run, factorisation, one triangular
// solve and one product. Then where the time of a time step of seven sub-iterations goes, as in Fig. 8 of that paper.
//   bench_coupled [--csv FILE] [--quick] [--breakdown]      the last: nothing else than the time step
#include <cstring>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/support/coupled_loop.hpp"

using namespace weir;
using bench::number;

namespace {

std::string case_text(int n, bool is_3d, const std::string& time = "steady = true\n") {
  const std::string side = std::to_string(n), zero = is_3d ? ", 0.0]" : "]";
  std::string text = "[grid]\ncells = [" + side + ", " + side + (is_3d ? ", " + side : "") +
                     "]\n[flow]\nscheme = \"artificial_compressibility\"\nviscosity = 0.001\n[time]\n" + time +
                     "[boundary]\n";
  for (const char* wall : {"x_min", "x_max", "y_min", "z_min", "z_max"})
    if (is_3d || wall[0] != 'z') text += std::string(wall) + " = { type = \"wall\" }\n";
  return text + "y_max = { type = \"wall\", velocity = [1.0, 0.0" + zero + " }\n";
}

void measure(bench::Table& table, int side, bool is_3d) {
  const Table config = read_case_text(case_text(side, is_3d), "bench");
  const IncompressibleCase c = read_incompressible_case(config);
  ArtificialCompressibility<Host> flow(c, config.table("linear"));
  flow.initialise();
  Timings timings;
  for (int i = 0; i < 3; ++i)
    if (flow.advance(0, timings, [] {}) != StepEnd::advanced)
      throw Error(Exit::solver_failed, "the cavity that the system is taken from did not advance");
  const CoupledCells cells = flow.cells();
  const CoupledView v = flow.view();
  const SideRules rules = side_rules(c, cells, 0);
  BlockStencil<Host> A(cells.extents(), cells.unknowns);
  Array<double, Host> b(A.size()), z(A.size());
  double* values = A.values().data();
  const std::int64_t entries = A.values().size();
  const auto seconds = [](const std::function<void()>& f) { return bench::best_processor_seconds(f, 5, 0.5); };
  double one = 0;
  const double fill = seconds([&] {
    one += 1;  // another value each time
    for (std::int64_t q = 0; q < entries; ++q) values[q] = one;
  });
  const double assembly = seconds([&] { assemble_jacobian<Host>(v, {}, rules, 0.1, A.stencil()); });
  const double rhs = seconds([&] { residual<Host>(v, {}, {}, b); });
  BlockIlu0<Host> M({});
  M.setup(A);
  const double factorisation = seconds([&] { M.update(A); });
  const double solve = seconds([&] { M.apply(b, z); });
  const double product = seconds([&] { A.apply(z, b); });
  const auto ns = [&](double s) { return number(1e9 * s / cells.extents().count()); };
  table.row({std::to_string(side) + (is_3d ? "^3" : "^2") + ", n = " + std::to_string(cells.unknowns), ns(rhs),
             ns(assembly), ns(fill), number(assembly / fill), ns(factorisation), ns(solve), ns(product)});
}

void break_down(int side, int steps) {
  bench::Table table({"linear solver", "part", "in the paper", "ms per step", "per cent"});
  for (const char* method : {"correction", "gmres"}) {
    const std::string in_time =
        std::string("end = 1000.0\ndt = 0.02\n[pseudo_time]\ncfl_start = 100.0\ntolerance = 0.0\nmax_steps = 7\n") +
        "[linear.flow]\nmethod = \"" + method + "\"\ntolerance = 0.0\nmax_iterations = 3\n";
    const test::CoupledLoop loop = test::coupled_loop<Host>(case_text(side, true, in_time), steps);
    for (const test::LoopPart& p : loop.parts) {
      if (p.seconds == 0) continue;  // no turbulence model
      table.row(
          {method, p.ours, p.paper, number(1e3 * p.seconds / steps), number(100 * p.seconds / loop.seconds, "%.1f")});
    }
    std::printf("%s: %s; %.4g ms a time step, %.0f %% of it in the linear solver\n", method, loop.describe().c_str(),
                1e3 * loop.seconds / steps, 100 * loop.solver_seconds() / loop.seconds);
  }
}

void kernels(const std::string& csv, bool quick) {
  std::printf("nanoseconds a cell, one core; triad %.2f GB/s\n", 1e-9 * bench::triad_bytes_per_second(1, true));
  bench::Table table({"cells, n", "residual", "Jacobian", "plain fill", "ratio", "factors", "solve", "product"}, csv);
  measure(table, quick ? 64 : 256, false);
  for (const int side : {15, 33, 65})
    if (!quick || side < 65) measure(table, side, true);
}

}  // namespace

int main(int argc, char** argv) {
  std::string csv;
  bool quick = false, kernels_too = true;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--csv") && i + 1 < argc) csv = argv[++i];
    if (!std::strcmp(argv[i], "--quick")) quick = true;
    if (!std::strcmp(argv[i], "--breakdown")) kernels_too = false;
  }
  const int side = quick ? 17 : 33;
  try {
    bench::set_threads(1);
    if (kernels_too) kernels(csv, quick);
    std::printf("\na time step of the lid-driven cube, %d^3, n = 4, one core\n", side);
    break_down(side, quick ? 1 : 10);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_coupled: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
