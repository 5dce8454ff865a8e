#include "miniapps/cli/systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/print.hpp"
#include "inputs/case.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/io/augment.hpp"
#include "solvers/matrix/io/generate.hpp"

namespace weir {

namespace fs = std::filesystem;

std::vector<NamedSolver> solvers_of(const std::string& file) {
  const Table whole = read_case(file);
  const bool is_of_a_case = whole.is_table("shadow") && !whole.table("shadow").has("method");
  const Table all = is_of_a_case ? whole.table("shadow") : whole;
  std::vector<NamedSolver> list;
  for (const std::string& key : all.get<std::vector<std::string>>("solvers", {})) {
    if (!all.is_table(key)) all.fail("solvers", "no table [" + key + "] defines it");
    list.push_back({key, all.table(key)});
  }
  if (!list.empty()) return list;
  for (const std::string& key : all.keys())
    if (key != "preconditioner" && key != "linear" && all.is_table(key)) list.push_back({key, all.table(key)});
  if (all.has("method") || all.has("preconditioner")) {
    if (!list.empty())
      all.fail("method", "the file defines a solver at top level (`method`) and in the table [" + list.front().name +
                             "]; give either one solver or one table per solver");
    list.push_back({fs::path(file).stem().string(), all});
  }
  if (list.empty())
    throw Error(Exit::usage, file + ": contains no solver; give each solver a table, as [shadow.NAME] of a case");
  return list;
}

int for_each_system(const std::string& name, const std::function<int(const std::string&)>& f) {
  if (!fs::is_directory(name)) return f(name);
  int worst = 0;
  for (const std::string& path : captured_systems({name})) {
    worst = std::max(worst, f(path));
    say("\n");
  }
  return worst;
}

std::string origin_of(const Capsule& c) {
  const CapsuleOrigin& o = c.origin;
  return fmt::format("{}: {}{} of {} ({}), step {}, solve {}{}, {} unknowns in blocks of {}{}; captured by '{}'",
                     fs::path(c.path).stem().string(), o.system, o.part > 0 ? fmt::format(" {}", o.part) : "", o.name,
                     o.miniapp, o.step, o.solve, std::isfinite(o.cfl) ? fmt::format(", CFL {:.4g}", o.cfl) : "",
                     c.size(), std::max<std::size_t>(1, c.variables.size()),
                     o.ranks > 1 ? fmt::format(" on {} ranks ({})", o.ranks, o.partition) : "", o.trigger);
}

std::string reference_text(const Capsule& c) {
  const std::string& solver = c.reference.description;
  if (!c.reference.result) return solver + ": no recorded solve";
  return fmt::format("{}: {} iterations, {}", solver, c.reference.result->iterations,
                     to_string(c.reference.result->reason));
}

BlockCsrData rows_of(const Capsule& c) { return block_rows(*matrix_of<Host>(c)); }

BlockCsrData read_system(const std::string& name, int block, MarketFaults* faults) {
  if (is_capsule(name)) return rows_of(read_capsule(name));
  if (is_augmented(name)) return augmented_system(name);
  if (!is_generated(name)) return read_matrix_market(name, block, faults);
  BlockCsrData scalar = generated_system(name);
  return cut_into_blocks(std::move(scalar), std::max(block, 1));
}

}  // namespace weir
