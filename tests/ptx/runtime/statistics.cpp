// At the end of a process: a line for each kernel it has launched, appended to WEIR_PTX_STATS. The columns: README.md.
#include <fstream>

#include "tests/ptx/runtime/runtime.hpp"

namespace weir::ptx {
namespace {

std::string brief(const std::string& mangled) {
  std::string name = demangled(mangled);
  for (const std::string prefix : {"(anonymous namespace)::", "weir::", "unnamed namespace::"})
    for (std::size_t at = name.find(prefix); at != name.npos; at = name.find(prefix)) name.erase(at, prefix.size());
  return name;
}

void add(AccessCounts& sum, const AccessCounts& c) {
  sum.executed += c.executed;
  sum.sectors += c.sectors;
  sum.bytes += c.bytes;
  sum.ideal += c.ideal;
  sum.conflicts += c.conflicts;
}

void write_kernel(std::ostream& out, const Function& f) {
  AccessCounts global, shared;
  for (const Instruction& i : f.code)
    if (i.bytes && i.space != Space::param) add(i.space == Space::shared ? shared : global, i.counts);
  out << brief(f.name);
  const auto column = [&](auto value) { out << '\t' << value; };
  for (const u64 count : {f.launches, f.threads, f.warp_instructions, global.executed, global.bytes, global.sectors,
                          global.ideal, shared.executed, shared.ideal, shared.conflicts, f.branches, f.divergent})
    column(count);
  column(f.registers);
  for (const double value : {f.occupancy, f.waves, f.last_wave}) column(value);
  out << '\n';
}

// Instructions that touch more than twice the sectors they need.
void write_lines(std::ostream& out, const Function& f) {
  for (const Instruction& i : f.code) {
    if (!i.bytes || i.counts.sectors <= 2 * i.counts.ideal) continue;
    const auto file = f.module->files.find(static_cast<int>(i.file));
    out << "  line\t" << (file == f.module->files.end() ? "" : file->second) << ':' << i.line << '\t'
        << f.texts[static_cast<std::size_t>(i.text)] << '\t' << i.counts.executed << '\t' << i.counts.sectors << '\t'
        << i.counts.ideal << '\n';
  }
}

}  // namespace

void write_statistics() {
  if (options.statistics.empty()) return;
  std::ofstream out(options.statistics, std::ios::app);
  for (const auto& module : modules())
    for (const auto& [name, f] : module->functions) {
      if (!f->launches) continue;
      write_kernel(out, *f);
      if (options.lines) write_lines(out, *f);
    }
}

}  // namespace weir::ptx
