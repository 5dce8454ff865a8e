#include "miniapps/artificial_compressibility/scheme.hpp"
#include "miniapps/incompressible/incompressible.hpp"

namespace weir {
namespace {

RunHeader coupled_header(const IncompressibleCase& c, const Table& config) {
  RunHeader h = structured_header(c);
  h.unknowns = h.cells * c.unknowns();
  h.history.clear();
  for (const char* name : {"residual_p", "residual_u", "residual_v", "residual_w"})
    if (c.dim() == 3 || name != std::string("residual_w")) h.history.emplace_back(name);
  if (c.turbulence == Turbulence::k_omega)
    for (const char* name : {"residual_k", "residual_omega"}) h.history.emplace_back(name);
  for (const char* name : {"sub_iterations", "pseudo_cfl", "max_divergence", "kinetic_energy", "rate"})
    h.history.emplace_back(name);
  add_history_columns(config, c, h);
  if (c.time.steady) {
    h.last_step = c.coupled.max_steps;
    h.converged = "residual";
    h.tolerance = c.coupled.tolerance;
  }
  std::erase_if(h.quantities, [&](const std::string& q) { return c.time.steady && q == "rate"; });
  h.quantities.emplace_back("residual");
  return h;
}

}  // namespace

StructuredPlan coupled_plan(const IncompressibleCase& c, const Table& config) {
  const CoupledCells cells = coupled_cells(c, c.unknowns());
  const std::int64_t word = sizeof(double), count = cells.extents().count(), n = cells.unknowns;
  const Table linear = config.table("linear"), flow = coupled_system.options(linear);
  std::int64_t matrix = word * count * n * n * (cells.dim == 2 ? 5 : 7);
  if (flow.get("refresh", "always") != "always") matrix *= 2;  // also the matrix from which the preconditioner was made
  const MatrixSize A{.rows = static_cast<double>(count), .block = static_cast<int>(n), .is_block_stencil = true};
  return {c,
          read_rank_options(config),
          coupled_header(c, config),
          {{"fields", word * n * (3 * std::int64_t{cells.padded_count()} + 2 * count)},
           {"matrix", matrix},
           {"solver", coupled_system.bytes(linear, A) + 2 * word * count * n}},
          2 * word * n * std::int64_t{cells.padded_count()}};
}

}  // namespace weir
