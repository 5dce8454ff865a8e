#include <fmt/format.h>

#include <ostream>

#include "mesh/ordering/make_ordering.hpp"
#include "mesh/unstructured/make_mesh.hpp"
#include "mesh/unstructured/renumber.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/compressible/flow.hpp"
#include "miniapps/compressible/output.hpp"
#include "miniapps/driver/lab.hpp"
#include "solvers/parallel/rank_map.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

std::string scheme_line(const CompressibleCase& c) {
  constexpr const char* fluxes[] = {"Roe", "HLLC", "AUSM+", "van Leer", "Rusanov"};
  std::string text = fmt::format("{}, order {}", fluxes[static_cast<int>(c.scheme.flux)], c.scheme.order);
  if (c.turbulence.is_on)
    text += fmt::format(", {} (advection order {})", c.turbulence.is_sst ? "Menter's SST" : "Spalart-Allmaras",
                        c.turbulence.order);
  if (c.scheme.order == 1) return text;
  text += c.scheme.gradient == GradientScheme::least_squares ? ", least squares" : ", Green-Gauss";
  if (c.scheme.limiter == Limiter::venkatakrishnan) text += ", Venkatakrishnan's limiter";
  if (c.scheme.limiter == Limiter::barth_jespersen) text += ", Barth & Jespersen's limiter";
  if (c.scheme.limiter == Limiter::michalak) text += ", limiter of Michalak & Ollivier-Gooch";
  return text;
}

std::string step_line(const CompressibleCase& c) {
  const PseudoTimeOptions& o = c.pseudo_time;
  std::string text = c.is_unsteady() ? fmt::format("BDF2, dt {:g}; inside: ", c.time.dt) : "";
  text += o.dual_products ? "Newton, products by dual numbers"
          : o.matrix_free ? "Newton, matrix-free"
                          : "backward Euler, first-order Jacobian";
  text += fmt::format(", CFL {:g} to {:g}, tolerance {:g}", o.cfl_start, o.cfl_max, o.tolerance);
  return o.coarse_meshes > 0 ? text + fmt::format(", started on coarser meshes (at most {})", o.coarse_meshes) : text;
}

std::vector<std::string> warnings_of(const CompressibleCase& c) {
  constexpr double transonic = 0.7;  // aerofoils have shocks from about this Mach number
  const bool is_smooth = c.initial.kind == FlowKind::isentropic_vortex || c.initial.kind == FlowKind::ringleb;
  if (c.gas.mach < transonic || is_smooth || c.scheme.order == 1 || c.scheme.limiter != Limiter::none) return {};
  return {fmt::format("Mach {:g} with order 2 and without [numerics] limiter: shocks will overshoot", c.gas.mach)};
}

}  // namespace

UnstructuredMesh read_ordered_mesh(const Table& config, std::string& ordering, std::vector<CellRange>* lines,
                                   CellNumbers* numbers) {
  MeshOrigin origin;
  const UnstructuredMesh mesh = make_mesh(config.table("mesh"), &origin);
  const Ordering order = make_ordering(mesh, read_ordering(config.table("ordering")));
  ordering = order.name;
  if (!order.lines.empty()) ordering += fmt::format(", {} lines", order.lines.size());
  if (lines) *lines = order.lines;
  if (numbers) *numbers = {origin.grid, order.order};
  return renumber_cells(mesh, order.order);
}

CompressibleMemory compressible_memory(const MeshFacts& mesh, const CompressibleCase& c, const Table& config) {
  constexpr std::int64_t megabyte = 1 << 20;
  const int values = c.turbulence.equations();
  const std::int64_t state = values * static_cast<std::int64_t>(sizeof(double));
  const std::int64_t cells = mesh.cells, blocks = cells + 2 * mesh.interior_faces;
  const Table linear = config.table("linear").table("flow");
  const MatrixSize J{static_cast<double>(cells), static_cast<double>(blocks), values,
                     c.pseudo_time.float_jacobian ? 4 : 8};
  CompressibleMemory m;
  m.mesh = mesh.bytes;
  m.flow = cells * (5 * state + 8) + space_bytes(mesh, c);
  m.matrix = static_cast<std::int64_t>(J.csr_bytes());
  m.solver = static_cast<std::int64_t>(
      linear_solver_bytes(linear, compressible_system.method, compressible_system.preconditioner, J));
  // the origin, and the state at the start of a solve
  if (linear.get("refresh", "always") != "always") m.flow += 2 * cells * state;
  if (c.is_unsteady()) m.flow += 2 * cells * state;
  m.kept = (c.is_unsteady() ? 3 : 2) * cells * state;
  m.process = 16 * megabyte;
  return m;
}

std::vector<std::string> compressible_columns(const CompressibleCase& c, const std::vector<FlowBoundary>& boundary) {
  std::vector<std::string> columns = {
      "residual_density", "residual_momentum_x", "residual_momentum_y", "residual_energy", "lift", "drag", "moment"};
  for (const FlowBoundary& b : boundary) add_wall_names(b, columns);
  for (const HistoryPoint& p : c.points) columns.push_back("point_" + p.name);
  columns.insert(columns.end(), {"linear_iterations", "order"});
  if (c.turbulence.is_on) columns.emplace_back("residual_turbulence");
  return columns;
}

RunHeader compressible_header(const CompressibleCase& c, const MeshFacts& mesh,
                              const std::vector<FlowBoundary>& boundary) {
  RunHeader h;
  h.miniapp = "compressible";
  h.grid = fmt::format("{} triangles, {} quadrilaterals", mesh.triangles, mesh.cells - mesh.triangles);
  h.cells = mesh.cells;
  h.unknowns = c.turbulence.equations() * h.cells;
  h.end_time = c.time.end;
  if (!c.is_unsteady()) {
    h.last_step = c.pseudo_time.max_steps;
    h.converged = "residual_drop";
    h.tolerance = c.pseudo_time.tolerance;
  }
  h.history = compressible_columns(c, boundary);
  h.quantities = quantity_names(c, boundary);
  h.notes = {{"scheme", scheme_line(c)}, {"steps", step_line(c)}};
  h.warnings = warnings_of(c);
  return h;
}

void info_compressible(const Table& config, int ranks, std::ostream& out) {
  const CompressibleCase c = read_compressible_case(config);
  std::string ordering;
  const UnstructuredMesh mesh = read_ordered_mesh(config, ordering);
  const std::vector<FlowBoundary> boundary = read_flow_boundary(config, c, mesh);
  const CompressibleOutput output(config, c, boundary, mesh);
  const RunHeader h = compressible_header(c, mesh, boundary);
  const CompressibleMemory m = compressible_memory(mesh, c, config);
  const auto megabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  out << "miniapp    " << h.miniapp << "\nmesh       " << h.grid << "\nordering   " << ordering << "\nmarkers    ";
  for (std::size_t i = 0; i < mesh.patches.size(); ++i)
    out << (i ? ", " : "") << mesh.patches[i].name << " (" << mesh.patches[i].count << " faces)";
  out << "\ncells      " << h.cells << "\nunknowns   " << h.unknowns << "\n";
  for (const auto& [label, text] : h.notes) out << fmt::format("{:<10} {}\n", label, text);
  read_halo_options(config.table("ranks"));
  read_reduction(config.table("ranks"));
  read_lab(config, {compressible_system});
  out << "flow       " << compressible_system.solver<Host>(config.table("linear")).describe() << "\n";
  for (const std::string& warning : h.warnings) out << "warning    " << warning << "\n";
  out << fmt::format(
      "memory     {:.1f} MB: mesh {:.1f}, flow {:.1f}, matrix {:.1f}, solver {:.1f}, copy of the state {:.1f}, program "
      "{:.1f}; {:.0f} bytes per cell\n",
      megabytes(m.total()), megabytes(m.mesh), megabytes(m.flow), megabytes(m.matrix), megabytes(m.solver),
      megabytes(m.kept), megabytes(m.process),
      static_cast<double>(m.total() - m.process) / static_cast<double>(h.cells));
  if (ranks > 1)
    out << fmt::format("           {:.1f} MB over {} ranks, {:.1f} MB on the root rank, which holds the whole mesh\n",
                       megabytes(m.total() + (ranks - 1) * m.process), ranks, megabytes(m.each_of(ranks)));
}

}  // namespace weir
