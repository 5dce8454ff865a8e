// The coupled scheme beside the memory, one core: nanoseconds a cell for the residual (RHS of Luo et al. 2015), the
// Jacobian (AFILL and TSD), a plain fill of the Jacobian's array in the same run, factorisation, one triangular solve
// and one product.
//   bench_coupled [--csv FILE] [--quick]
#include <cstring>

#include "inputs/case.hpp"
#include "miniapps/incompressible/coupled/scheme.hpp"
#include "solvers/preconditioner/block_ilu0.hpp"
#include "tests/benchmarks/bench.hpp"

using namespace weir;
using bench::number;

namespace {

std::string case_text(int n, bool is_3d) {
  const std::string side = std::to_string(n), zero = is_3d ? ", 0.0]" : "]";
  std::string text = "[grid]\ncells = [" + side + ", " + side + (is_3d ? ", " + side : "") +
                     "]\n[flow]\nscheme = \"artificial_compressibility\"\nviscosity = 0.001\n[time]\nsteady = true\n"
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
  for (int i = 0; i < 3; ++i) flow.advance(0, timings, [] {});
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

}  // namespace

int main(int argc, char** argv) {
  std::string csv;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--csv") && i + 1 < argc) csv = argv[++i];
    if (!std::strcmp(argv[i], "--quick")) quick = true;
  }
  bench::set_threads(1);
  std::printf("nanoseconds a cell, one core; triad %.2f GB/s\n", 1e-9 * bench::triad_bytes_per_second(1, true));
  bench::Table table({"cells, n", "residual", "Jacobian", "plain fill", "ratio", "factors", "solve", "product"}, csv);
  measure(table, quick ? 64 : 256, false);
  for (const int side : {15, 33, 65})
    if (!quick || side < 65) measure(table, side, true);
}
