#include "miniapps/structured/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "miniapps/structured/sides/read_sides.hpp"
#include "postproc/run/machine.hpp"

namespace weir {
namespace {

constexpr Option history_keys[] = {
    {"history", Option::texts, "[]",
     "additional columns of history.csv, computed every diagnostics_every steps; enstrophy requires fractional_step",
     "dissipation | enstrophy"}};

std::string grid_line(const IncompressibleCase& c) {
  std::string text;
  for (int d = 0; d < c.dim(); ++d) {
    const GridLine& line = c.grid.line[d];
    text += fmt::format("{}{}{}", d ? " x " : "", line.cells(), line.is_uniform() ? "" : " (stretched)");
  }
  return text;
}

}  // namespace

MemoryOverRanks StructuredPlan::over_ranks(int count) const {
  std::int64_t spread = kept_step, most = 0;
  for (const auto& [purpose, bytes] : memory) spread += bytes;
  if (count == 1) return {spread + program, spread + program};
  std::array<int, 3> cells{1, 1, 1};
  for (int d = 0; d < c.dim(); ++d) cells[d] = c.grid.cells(d);
  const BlockPartition partition(cells, count, ranks.cutting, ranks.least_layers);
  for (int r = 0; r < count; ++r) {
    const RankBox b = partition.box(r);
    most = std::max(most, std::int64_t{1} * b.size(0) * b.size(1) * b.size(2));
  }
  const double share = static_cast<double>(most) / static_cast<double>(c.grid.count());
  return {spread + count * program, static_cast<std::int64_t>(share * static_cast<double>(spread)) + program};
}

void StructuredPlan::tell_memory(int count, RunHeader& h) const {
  const MemoryOverRanks o = over_ranks(count);
  h.memory_estimate = o.all;
  if (count > 1) h.notes.emplace_back("memory per rank", "at most " + bytes_text(o.largest));
}

void StructuredPlan::print(const std::vector<std::pair<std::string, std::string>>& more, int count,
                           std::ostream& out) const {
  std::size_t width = 9;
  for (const auto& [label, text] : more) width = std::max(width, label.size());
  const auto line = [&](const std::string& label, const std::string& text) {
    out << fmt::format("{:<{}}{}\n", label, width + 2, text);
  };
  line("miniapp", header.miniapp);
  line("grid", header.grid);
  line("cells", std::to_string(header.cells));
  for (const auto& [label, text] : more) line(label, text);
  for (const auto& [side, text] : describe_divided_sides(c)) line(side, text);
  for (const std::string& warning : header.warnings) line("warning", warning);
  const auto megabytes = [](std::int64_t bytes) {
    return fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20));
  };
  std::string parts;
  for (const auto& [purpose, bytes] : memory)
    if (bytes > 0) parts += purpose + " " + megabytes(bytes) + ", ";
  parts += "copy of the state " + megabytes(kept_step) + ", program " + megabytes(program);
  line("memory", megabytes(over_ranks(1).all) + " MB: " + parts);
  if (count == 1) return;
  const MemoryOverRanks o = over_ranks(count);
  line("", fmt::format("{} over {} ranks, at most {} per rank", bytes_text(o.all), count, bytes_text(o.largest)));
}

RunHeader structured_header(const IncompressibleCase& c) {
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
  if (c.scheme == Scheme::fractional_step) h.quantities.emplace_back("enstrophy");
  h.unknowns += static_cast<std::int64_t>(c.scalars.size()) * h.cells;
  if (c.has_exact()) {
    h.quantities.push_back("error_velocity_max");
    h.quantities.push_back("error_velocity_l2");
  }
  if (c.has_exact_pressure()) h.quantities.push_back("error_pressure_l2");
  return h;
}

Options history_options() { return history_keys; }

void add_history_columns(const Table& config, const IncompressibleCase& c, RunHeader& h) {
  const Table output = config.table("output").described_by(history_keys);
  for (const std::string& name : output.get<std::vector<std::string>>("history")) {
    if (name == "enstrophy" && c.scheme != Scheme::fractional_step)
      output.fail("history", "the column enstrophy needs scheme = \"fractional_step\"");
    if (std::ranges::find(h.history, name) == h.history.end()) h.history.push_back(name);
  }
}

}  // namespace weir
