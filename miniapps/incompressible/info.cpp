#include "miniapps/incompressible/info.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "miniapps/artificial_compressibility/run.hpp"
#include "miniapps/incompressible/fractional_step.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/structured/output.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {
namespace {

std::string grid_line(const IncompressibleCase& c) {
  std::ostringstream out;
  for (int d = 0; d < c.dim(); ++d) {
    const GridLine& line = c.grid.line[static_cast<std::size_t>(d)];
    out << (d ? " x " : "") << line.cells() << (line.is_uniform() ? "" : " (stretched)");
  }
  return out.str();
}

}  // namespace

double work_vectors(const std::string& method, const std::string& preconditioner, const Table& options) {
  static const std::map<std::string, double> direct = {
      {"none", 0}, {"jacobi", 1}, {"fast_poisson", 2}, {"multigrid", 5}};
  const auto of = [&](const std::string& key, double fallback) {
    const auto it = direct.find(key);
    return it == direct.end() ? fallback : it->second;
  };
  const double krylov = krylov_vectors(method, options);
  if (krylov == 0) return 1 + of(method, 4);
  return krylov + (method == "chebyshev" ? 0 : of(preconditioner, 4));
}

namespace {

double vectors_kept(const Table& options, const char* default_method) {
  const std::string method = options.get("method", default_method);
  return work_vectors(method, options.table("preconditioner").get("type", "jacobi"), options);
}

}  // namespace

MemoryEstimate memory_estimate(const IncompressibleCase& c, const Table& config) {
  constexpr std::int64_t megabyte = 1 << 20;
  const std::int64_t cells = c.grid.count(), word = sizeof(double);
  std::int64_t padded = 1, sides = 0;
  for (int d = 0; d < c.dim(); ++d) padded *= c.grid.cells(d) + 2;
  for (int d = 0; d < c.dim(); ++d)
    if (!c.is_periodic(d)) sides += 2 * 2 * c.dim() * (padded / (c.grid.cells(d) + 2));
  MemoryEstimate m;
  m.flow = word * ((c.dim() + 1) * padded + 2 * c.dim() * cells + 2 * cells + sides);
  const Table linear = config.table("linear");
  const auto bytes = [&](double vectors) {
    return static_cast<std::int64_t>(vectors * static_cast<double>(word * cells));
  };
  const Table momentum = linear.table("momentum");
  const bool takes_turns = momentum.get("method", default_momentum_method) == "chebyshev";  // all on one work vector
  m.momentum = bytes((takes_turns ? 1 : c.dim()) * vectors_kept(momentum, default_momentum_method));
  m.pressure = bytes(vectors_kept(linear.table("pressure"), default_pressure_method));
  m.process = 14 * megabyte;
  return m;
}

MemoryOverRanks over_ranks(const MemoryEstimate& m, const IncompressibleCase& c, const RankOptions& options,
                           int ranks) {
  std::array<int, 3> cells{1, 1, 1};
  std::int64_t padded = 1;
  for (int d = 0; d < c.dim(); ++d) {
    cells[static_cast<std::size_t>(d)] = c.grid.cells(d);
    padded *= c.grid.cells(d) + 2;
  }
  if (ranks == 1) return {m.total(), m.total()};
  const BlockPartition partition(cells, ranks, options.cutting, options.least_layers);
  std::int64_t largest = 0;
  for (int r = 0; r < ranks; ++r) {
    const RankBox b = partition.box(r);
    largest = std::max(largest, std::int64_t{1} * b.size(0) * b.size(1) * b.size(2));
  }
  const std::int64_t gathered = 8 * (c.dim() + 1) * padded, spread = m.total() - m.process;
  const double share = static_cast<double>(largest) / static_cast<double>(c.grid.count());
  return {spread + ranks * m.process + gathered,
          static_cast<std::int64_t>(share * static_cast<double>(spread)) + m.process + gathered};
}

std::string text_over_ranks(const MemoryEstimate& m, const IncompressibleCase& c, const RankOptions& options,
                            int ranks) {
  const MemoryOverRanks o = over_ranks(m, c, options, ranks);
  return bytes_text(o.all) + " over " + std::to_string(ranks) + " ranks, at most " + bytes_text(o.largest) +
         " per rank";
}

void tell_memory(const MemoryEstimate& m, const IncompressibleCase& c, const RankOptions& options, int ranks,
                 RunHeader& h) {
  const MemoryOverRanks o = over_ranks(m, c, options, ranks);
  h.memory_estimate = o.all;
  if (ranks > 1) h.notes.emplace_back("memory per rank", "at most " + bytes_text(o.largest));
}

RunHeader incompressible_header(const IncompressibleCase& c) {
  RunHeader h;
  h.miniapp = "incompressible";
  h.grid = grid_line(c);
  h.cells = c.grid.count();
  h.unknowns = h.cells;
  for (int e = 0; e < c.dim(); ++e) {
    const int n = c.grid.cells(e);
    h.unknowns += h.cells / n * (n - (c.is_periodic(e) ? 0 : 1));
  }
  h.end_time = c.time.end;
  h.converged = "rate";
  h.tolerance = c.time.steady_tolerance;
  h.history = {"max_divergence", "kinetic_energy", "rate"};
  h.quantities = {"kinetic_energy", "max_divergence", "dissipation", "rate"};
  if (c.has_exact()) {
    h.quantities.push_back("error_velocity_max");
    h.quantities.push_back("error_velocity_l2");
  }
  if (c.exact == Initial::taylor_green_2d) h.quantities.push_back("error_pressure_l2");
  return h;
}

std::vector<std::string> history_columns(const IncompressibleCase& c) {
  return c.scheme == Scheme::artificial_compressibility ? coupled_header(c).history : incompressible_header(c).history;
}

void info_incompressible(const Table& config, int ranks, std::ostream& out) {
  const IncompressibleCase c = read_incompressible_case(config);
  if (c.scheme == Scheme::artificial_compressibility) return info_coupled(config, c, ranks, out);
  const FlowOutput output(config, c);
  const RankOptions rank_options = read_rank_options(config);
  const RunHeader h = incompressible_header(c);
  const MemoryEstimate m = memory_estimate(c, config);
  const Table linear = config.table("linear");
  const auto megabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  out << "miniapp    " << h.miniapp << "\ngrid       " << h.grid << "\ncells      " << h.cells << "\nunknowns   "
      << h.unknowns << "\nmomentum   " << momentum_solver<Host>(linear).describe() << "\npressure   "
      << pressure_solver<Host>(linear).describe() << "\n";
  out.setf(std::ios::fixed);
  out.precision(1);
  out << "memory     " << megabytes(m.total()) << " MB: flow " << megabytes(m.flow) << ", momentum solvers "
      << megabytes(m.momentum) << ", pressure solver " << megabytes(m.pressure) << ", program " << megabytes(m.process)
      << "\n";
  if (ranks > 1) out << "           " << text_over_ranks(m, c, rank_options, ranks) << "\n";
}

}  // namespace weir
