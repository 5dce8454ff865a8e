#include <ostream>

#include "miniapps/artificial_compressibility/run.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "miniapps/incompressible/info.hpp"
#include "miniapps/structured/output.hpp"

namespace weir {
namespace {

struct CoupledMemory {
  std::int64_t flow = 0;    // fields, right-hand side, update
  std::int64_t matrix = 0;  // blocks
  std::int64_t solver = 0;  // work vectors, factors
  std::int64_t process = std::int64_t{14} << 20;
  std::int64_t total() const { return flow + matrix + solver + process; }
};

CoupledMemory memory(const IncompressibleCase& c, const Table& config) {
  const CoupledCells cells = coupled_cells(c, c.unknowns());
  const std::int64_t word = sizeof(double), count = cells.extents().count(), n = cells.unknowns;
  CoupledMemory m;
  m.flow = word * n * (3 * std::int64_t{cells.padded_count()} + 2 * count);
  m.matrix = word * count * n * n * (cells.dim == 2 ? 5 : 7);
  const Table flow = config.table("linear").table("flow");
  if (flow.get("refresh", "always") != "always") m.matrix *= 2;  // and the one that the preconditioner was made from
  const Table preconditioner = flow.table("preconditioner");
  const std::string type = preconditioner.get("type", default_flow_preconditioner);
  const double vectors = work_vectors(flow.get("method", default_flow_method), "none", flow) + 2;
  m.solver = static_cast<std::int64_t>(vectors * static_cast<double>(word * count * n));
  if (type == "block_ilu0" || type == "block_jacobi")
    m.solver += count * n * n * (preconditioner.get("factors", "double") == "float" ? 4 : 8);
  return m;
}

}  // namespace

MemoryEstimate coupled_memory_estimate(const IncompressibleCase& c, const Table& config) {
  const CoupledMemory m = memory(c, config);
  return {m.flow, m.matrix + m.solver, 0, m.process};
}

RunHeader coupled_header(const IncompressibleCase& c) {
  RunHeader h = incompressible_header(c);
  h.unknowns = h.cells * c.unknowns();
  h.history.clear();
  for (const char* name : {"residual_p", "residual_u", "residual_v", "residual_w"})
    if (c.dim() == 3 || name != std::string("residual_w")) h.history.emplace_back(name);
  if (c.turbulence == Turbulence::k_omega)
    for (const char* name : {"residual_k", "residual_omega"}) h.history.emplace_back(name);
  for (const char* name : {"sub_iterations", "pseudo_cfl", "max_divergence", "kinetic_energy", "rate"})
    h.history.emplace_back(name);
  if (c.time.steady) {
    h.last_step = c.coupled.max_steps;
    h.converged = "residual";
    h.tolerance = c.coupled.tolerance;
  }
  std::erase_if(h.quantities, [&](const std::string& q) { return c.time.steady && q == "rate"; });
  h.quantities.emplace_back("residual");
  return h;
}

void info_coupled(const Table& config, const IncompressibleCase& c, int ranks, std::ostream& out) {
  const FlowOutput output(config, c);
  const RunHeader h = coupled_header(c);
  const CoupledMemory m = memory(c, config);
  const auto megabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  out << "miniapp    " << h.miniapp << "\ngrid       " << h.grid << "\ncells      " << h.cells << "\nunknowns   "
      << h.unknowns << ", " << c.unknowns() << " a cell\nflow       "
      << flow_solver<Host>(config.table("linear")).describe() << "\n";
  out.setf(std::ios::fixed);
  out.precision(1);
  out << "memory     " << megabytes(m.total()) << " MB: fields " << megabytes(m.flow) << ", matrix "
      << megabytes(m.matrix) << ", solver " << megabytes(m.solver) << ", program " << megabytes(m.process) << "\n";
  const RankOptions options = read_rank_options(config);
  if (ranks > 1) out << "           " << text_over_ranks(coupled_memory_estimate(c, config), c, options, ranks) << "\n";
}

}  // namespace weir
