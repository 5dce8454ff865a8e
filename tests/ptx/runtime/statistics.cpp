// At the end of a process: a line for each kernel and shape of launch, and one for the program, appended to
// WEIR_PTX_STATS. The columns: README.md.
#include <algorithm>
#include <fstream>
#include <map>

#include "tests/ptx/runtime/limits.hpp"
#include "tests/ptx/runtime/runtime.hpp"

namespace weir::ptx {
namespace {

// Without namespaces that say nothing, and without its own parameters: those of templates tell kernels apart.
std::string brief(const std::string& mangled) {
  std::string name = demangled(mangled);
  if (name.ends_with(')')) {
    std::size_t at = name.size();
    for (int depth = 0; at > 0;) {
      --at;
      depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
      if (depth == 0) break;
    }
    name.resize(at);
  }
  for (const std::string prefix : {"void ", "(anonymous namespace)::", "weir::", "backend::", "unnamed namespace::"})
    for (std::size_t at = name.find(prefix); at != name.npos; at = name.find(prefix)) name.erase(at, prefix.size());
  return name;
}

struct Library {  // a kernel of cuBLAS, as if launched
  std::string name;
  LaunchShape shape;
  LaunchCounts counts;
};
std::vector<Library>& libraries() {  // never destroyed: the statistics are written as statics go
  static auto* all = new std::vector<Library>;
  return *all;
}

constexpr const char* columns =
    "#kernel\tlaunches\tthreads\tinstructions\taccesses\tbytes\tsectors\tfewest_sectors\tshared_accesses\tshared_passes"
    "\tbank_conflicts\tbranches\tdivergent\tregisters\toccupancy\twaves\tlast_wave\tblocks\tblock_threads\tshared_bytes"
    "\twarps\tdoubles\tl2_sectors\tmemory_read\tmemory_written\tload_depth\tchain\twarp_chains\tin_graphs"
    "\tpoll_sectors\tpoll_instructions\n";

struct Row {
  const std::string& name;
  int registers, static_shared;
};
void write_kernel(std::ostream& out, const Row& row, const LaunchShape& shape, const LaunchCounts& c) {
  out << row.name;
  const auto column = [&](auto value) { out << '\t' << value; };
  for (const u64 count : {c.launches, c.threads, c.instructions - std::min(c.instructions, c.spun), c.accesses, c.bytes,
                          c.sectors, c.fewest, c.shared_accesses, c.passes, c.conflicts, c.branches, c.divergent})
    column(count);
  column(row.registers);
  for (const double value : {c.occupancy, c.waves, c.last_wave}) column(value);
  for (const u64 count :
       {shape.blocks, shape.threads, shape.shared + static_cast<u64>(row.static_shared), c.warps, c.doubles, c.in_l2,
        c.read_memory, c.written_memory, c.depth, c.chain, c.warp_chains, c.in_graphs,
        c.polled_sectors / ClockUnits::from_l2, c.polled_instructions / ClockUnits::from_l2})
    column(count);
  out << '\n';
}

std::string source_of(const Function& f, const Instruction& i) {
  const auto file = f.module->files.find(static_cast<int>(i.file));
  return (file == f.module->files.end() ? "" : file->second) + ':' + std::to_string(i.line);
}

// Instructions that touch more than twice the sectors they need; lines of the source with 2 % of the kernel's
// instructions.
void write_lines(std::ostream& out, const Function& f) {
  std::map<std::string, u64> issued;
  u64 all = 0;
  for (const Instruction& i : f.code) {
    all += i.counts.issued;
    issued[source_of(f, i)] += i.counts.issued;
    if (!i.bytes || i.counts.sectors <= 2 * i.counts.ideal) continue;
    out << "#line\t" << source_of(f, i) << '\t' << f.texts[static_cast<std::size_t>(i.text)] << '\t'
        << i.counts.accesses << '\t' << i.counts.sectors << '\t' << i.counts.ideal << '\n';
  }
  for (const auto& [source, count] : issued)
    if (count * 50 > all) out << "#issued\t" << source << '\t' << count << '\t' << 100 * count / all << " %\n";
}

void write_program(std::ostream& out) {
  const ProgramCounts& p = counting().program;
  out << "#program\tsynchronisations\tsmall_copies\tlarge_copies\tlarge_bytes\tfills\tallocations\tgraphs\n(program)";
  for (const u64 count :
       {p.synchronisations, p.small_copies, p.large_copies, p.copied_bytes, p.fills, p.allocations, p.graphs})
    out << '\t' << count;
  out << '\n';
}

}  // namespace

void write_statistics() {
  if (options.statistics.empty()) return;
  std::ofstream out(options.statistics, std::ios::app);
  out << columns;
  for (const auto& module : modules())
    for (const auto& [name, f] : module->functions) {
      const std::string shown = brief(f->name);
      for (const auto& [shape, counts] : f->counts)
        if (counts.launches) write_kernel(out, {shown, f->registers, f->static_shared}, shape, counts);
      if (options.lines) write_lines(out, *f);
    }
  for (const Library& l : libraries()) write_kernel(out, {l.name, 0, 0}, l.shape, l.counts);
  write_program(out);
}

void begin_counting() {
  for (const auto& module : modules())
    for (const auto& [name, f] : module->functions) {
      f->counts.clear();
      for (Instruction& i : f->code) i.counts = {};
    }
  libraries().clear();
  counting() = {!options.statistics.empty(), {}, false};
}

}  // namespace weir::ptx

using namespace weir::ptx;

extern "C" {

// A program counts from here (what was counted before is forgotten) to cudaProfilerStop.
cudaError_t cudaProfilerStart() {
  const Guard guard(runtime_lock());
  finish_all();
  begin_counting();
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  const Guard guard(runtime_lock());
  finish_all();
  counting().on = false;
  return cudaSuccess;
}

// cuBLAS: `count` products of m x k and k x n doubles. An estimate: tiles of 64 x 64 by 128 threads, each matrix from
// memory once, FMAs by the tensor cores (8 x 8 x 4 an instruction, FP64 at twice the rate of the FP64 units: H100 white
// paper) and as many other instructions, a step of 16 in k as long as a read of L2.
void weir_ptx_count_product(u64 m, u64 n, u64 k, u64 products) {
  const Guard guard(runtime_lock());
  if (!counting().on) return;
  constexpr u64 tile = 64, threads = 128, step = 16, warp = 32;
  const LaunchShape shape{(m + tile - 1) / tile * ((n + tile - 1) / tile) * products, threads, 0};
  auto found = std::find_if(libraries().begin(), libraries().end(), [&](const Library& l) { return l.shape == shape; });
  if (found == libraries().end()) found = libraries().insert(found, {"cublasDgemm, estimate", shape, {}});
  LaunchCounts& c = found->counts;
  const u64 bytes = 8 * products * (m * k + k * n + m * n), warps = shape.blocks * threads / warp;
  const u64 chain = ClockUnits::from_memory + k / step * ClockUnits::from_l2;
  ++c.launches;
  c.threads += shape.blocks * threads;
  c.warps += warps;
  c.doubles += products * m * n * k / warp / 2;
  c.instructions += 2 * products * m * n * k / (8 * 8 * 4);
  c.bytes += bytes;
  c.sectors += bytes / 32;
  c.fewest += bytes / 32;
  c.in_l2 += bytes / 32;
  c.read_memory += 8 * products * m * n;
  c.written_memory += 8 * products * m * n;
  c.chain += chain;
  c.warp_chains += chain * warps;
  constexpr double together = 4;  // blocks of an SM
  c.occupancy = together * threads / 2048;
  c.waves = static_cast<double>(shape.blocks) / (together * multiprocessors);
}

}  // extern "C"
