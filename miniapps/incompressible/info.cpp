#include "miniapps/artificial_compressibility/scheme.hpp"
#include "miniapps/driver/lab.hpp"
#include "miniapps/incompressible/fractional_step.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/incompressible/scalar_quantities.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/structured/run_structured.hpp"
#include "miniapps/structured/time/growth.hpp"

namespace weir {

StructuredPlan incompressible_plan(const IncompressibleCase& c, const Table& config) {
  if (c.scheme == Scheme::artificial_compressibility) return coupled_plan(c, config);
  const std::int64_t cells = c.grid.count(), word = sizeof(double);
  std::int64_t padded = 1, sides = 0;
  for (int d = 0; d < c.dim(); ++d) padded *= c.grid.cells(d) + 2;
  for (int d = 0; d < c.dim(); ++d)
    if (!c.is_periodic(d)) sides += 2 * 2 * c.dim() * (padded / (c.grid.cells(d) + 2));
  sides += sides / 2;  // twice the patch of each point
  const std::int64_t force = c.force_has_formula ? (c.dim() + 1) * cells : 0;
  const Table linear = config.table("linear");
  const MatrixSize A{.rows = static_cast<double>(cells)};
  const bool takes_turns = momentum_system.method_of(linear) == "chebyshev";  // all on one work vector
  RunHeader header = structured_header(c);
  add_scalar_quantities(c, header);
  add_history_columns(config, c, header);
  const auto scalars = static_cast<std::int64_t>(c.scalars.size());
  std::int64_t of_scalars = scalars * word * (2 * padded + 2 * cells + sides);
  for (const ScalarCase& s : c.scalars)
    of_scalars += scalar_system(s).bytes(linear, A) + (s.has_source() ? word * cells : 0);
  return {c,
          read_rank_options(config),
          header,
          {{"flow", word * ((c.dim() + 1) * padded + 2 * c.dim() * cells + 2 * cells + sides + force)},
           {"momentum solvers", (takes_turns ? 1 : c.dim()) * momentum_system.bytes(linear, A)},
           {"pressure solver", pressure_system.bytes(linear, A)},
           {"scalars", of_scalars}},
          word * ((c.dim() + 1) * padded + (2 * c.dim() + 1) * cells + scalars * (padded + 2 * cells))};
}

void info_incompressible(const Table& config, int ranks, std::ostream& out) {
  const IncompressibleCase c = read_incompressible_case(config);
  const StructuredPlan plan = incompressible_plan(c, config);
  const FlowOutput output(config, c, plan.header.history);
  const Table linear = config.table("linear");
  read_diagnostics_every(config);
  if (c.scheme == Scheme::fractional_step) Growth::read(config);
  if (c.scheme == Scheme::artificial_compressibility)
    read_lab(config, {coupled_system});
  else
    read_lab(config, with_scalars(momentum_system, c, scalar_system, pressure_system));
  std::string unknowns = std::to_string(plan.header.unknowns);
  if (c.scheme == Scheme::artificial_compressibility) {
    plan.print({{"unknowns", unknowns + ", " + std::to_string(c.unknowns()) + " per cell"},
                {"flow", coupled_system.solver<Host>(linear).describe()}},
               ranks, out);
  } else {
    std::vector<std::pair<std::string, std::string>> lines{
        {"unknowns", unknowns}, {"momentum", momentum_system.solver<Host>(linear).describe()}};
    for (const ScalarCase& s : c.scalars) lines.emplace_back(s.name, scalar_system(s).solver<Host>(linear).describe());
    lines.emplace_back("pressure", pressure_system.solver<Host>(linear).describe());
    plan.print(lines, ranks, out);
  }
}

}  // namespace weir
