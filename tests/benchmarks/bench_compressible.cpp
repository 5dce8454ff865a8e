// bench_compressible [SIDE | FILE ...]: residual, Jacobian and time-step scale of the compressible discretisation, one
// thread, in processor time, on boxes of SIDE x SIDE quadrilaterals and on meshes from files, cells in reverse
// Cuthill-McKee order.
#include <cmath>
#include <cstdlib>

#include "mesh/ordering/make_ordering.hpp"
#include "mesh/read/read_mesh.hpp"
#include "mesh/unstructured/renumber.hpp"
#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/support/systems/box_mesh.hpp"

namespace weir::bench {
namespace {

std::vector<double> swirl(const UnstructuredMesh& mesh, const GasModel& gas) {
  std::vector<double> U;
  for (const auto& c : mesh.centre) {
    const double s = std::sin(6 * c[0]), t = std::cos(6 * c[1]), rho = 1 + 0.1 * s * t, u = 0.8 + 0.2 * t, v = 0.2 * s;
    const double p = 1 / (gas.gamma * gas.mach * gas.mach) * (1 + 0.05 * s);
    U.insert(U.end(), {rho, rho * u, rho * v, p / (gas.gamma - 1) + 0.5 * rho * (u * u + v * v)});
  }
  return U;
}

const char* const flux_names[] = {"roe", "hllc", "ausm_plus", "van_leer", "rusanov"};

// One row of the table: milliseconds, nanoseconds a face, and the rate of the least bytes it must move.
void row(Table& table, const UnstructuredMesh& mesh, const std::string& what, const std::function<void()>& f,
         double bytes_a_cell) {
  const double s = best_processor_seconds(f);
  table.row({std::to_string(mesh.cells()), what, number(1e3 * s), number(1e9 * s / mesh.faces()),
             number(bytes_a_cell * mesh.cells() / s / 1e9, "%.1f")});
}

void measure(Table& table, const UnstructuredMesh& mesh) {
  const GasModel gas{.mach = 0.5, .reynolds = 5000};
  BoundaryCondition far;
  far.outside = {1, 1, 0, 1 / (gas.gamma * gas.mach * gas.mach)};
  const std::vector<BoundaryCondition> conditions(mesh.patches.size(), far);
  const Array<double, Host> U(swirl(mesh, gas));
  Array<double, Host> R(U.size()), scale(mesh.cells());
  BlockCsr<Host> J(jacobian_pattern(mesh));
  const double faces = static_cast<double>(mesh.faces()) / mesh.cells();
  for (int flux = 0; flux < 5; ++flux) {
    Discretisation<Host> d(mesh, gas, {.flux = static_cast<FluxScheme>(flux)}, conditions);
    const std::string name = flux_names[flux];
    // U, W twice, gradients twice, fluxes twice, geometry, links, R.
    row(
        table, mesh, name + " residual", [&] { d.residual(U, R); }, 32 * 4 + 128 + faces * (64 + 72 + 48));
    row(
        table, mesh, name + " jacobian", [&] { d.jacobian(U, J); }, 32 * 3 + 128 + faces * (72 + 8 + 2 * 256));
    if (flux > 0) continue;
    d.set_order(1);
    row(
        table, mesh, name + " residual, first order", [&] { d.residual(U, R); }, 32 * 4 + faces * (64 + 72 + 16));
    row(
        table, mesh, "time step scale", [&] { d.time_step_scale(U, scale); }, 32 * 2 + 8 + faces * (32 + 8));
    std::printf("%d cells: Jacobian %.0f bytes per cell\n", mesh.cells(),
                static_cast<double>(J.blocks()) * (16 * 8 + 4) / mesh.cells());
  }
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  using namespace weir;
  bench::set_threads(1);
  std::printf("triad, one thread: %.1f GB/s\n", bench::triad_bytes_per_second(1, true) / 1e9);
  bench::Table table({"cells", "what", "ms", "ns/face", "GB/s"});
  std::vector<std::string> meshes(argv + 1, argv + argc);
  if (meshes.empty()) meshes = {"115", "460"};
  for (const std::string& name : meshes) {
    const int side = std::atoi(name.c_str());
    const auto mesh = side > 0 ? test::box_mesh({.nx = side, .ny = side, .kind = test::CellKind::quads})
                               : build_mesh(read_description(name));
    bench::measure(table, renumber_cells(mesh, make_ordering(mesh, {}).order));
  }
}
