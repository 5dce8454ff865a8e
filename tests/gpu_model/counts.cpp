#include "tests/gpu_model/counts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <tuple>

#include "base/error.hpp"

namespace weir::gpu {
namespace {

using Column = double KernelCounts::*;
const std::map<std::string, Column> columns = {
    {"launches", &KernelCounts::launches},
    {"instructions", &KernelCounts::instructions},
    {"bytes", &KernelCounts::bytes},
    {"sectors", &KernelCounts::sectors},
    {"fewest_sectors", &KernelCounts::fewest_sectors},
    {"shared_passes", &KernelCounts::shared_passes},
    {"bank_conflicts", &KernelCounts::conflicts},
    {"registers", &KernelCounts::registers},
    {"blocks", &KernelCounts::blocks},
    {"block_threads", &KernelCounts::block_threads},
    {"shared_bytes", &KernelCounts::shared_bytes},
    {"warps", &KernelCounts::warps},
    {"doubles", &KernelCounts::doubles},
    {"l2_sectors", &KernelCounts::l2_sectors},
    {"memory_read", &KernelCounts::memory_read},
    {"memory_written", &KernelCounts::memory_written},
    {"load_depth", &KernelCounts::load_depth},
    {"chain", &KernelCounts::chain},
    {"warp_chains", &KernelCounts::warp_chains},
    {"in_graphs", &KernelCounts::in_graphs},
    {"poll_sectors", &KernelCounts::poll_sectors},
    {"poll_instructions", &KernelCounts::poll_instructions},
};
using ProgramColumn = double ProgramCounts::*;
constexpr std::array<ProgramColumn, 7> of_program = {&ProgramCounts::synchronisations,
                                                     &ProgramCounts::small_copies,
                                                     &ProgramCounts::large_copies,
                                                     &ProgramCounts::large_bytes,
                                                     &ProgramCounts::fills,
                                                     &ProgramCounts::allocations,
                                                     &ProgramCounts::graphs};
// Sums over launches: the other columns are of each launch.
constexpr std::array<Column, 16> sums = {
    &KernelCounts::launches,         &KernelCounts::instructions,   &KernelCounts::bytes,
    &KernelCounts::sectors,          &KernelCounts::fewest_sectors, &KernelCounts::shared_passes,
    &KernelCounts::conflicts,        &KernelCounts::warps,          &KernelCounts::doubles,
    &KernelCounts::l2_sectors,       &KernelCounts::memory_read,    &KernelCounts::memory_written,
    &KernelCounts::warp_chains,      &KernelCounts::in_graphs,      &KernelCounts::poll_sectors,
    &KernelCounts::poll_instructions};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return cells;
}

double number(const std::string& text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    throw Error(Exit::usage, where + ": expected a count, not '" + text + "'");
  return value;
}

auto key(const KernelCounts& k) { return std::tie(k.kernel, k.blocks, k.block_threads, k.shared_bytes); }

void add(std::vector<KernelCounts>& all, const KernelCounts& one) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const KernelCounts& k) { return key(k) == key(one); });
  if (same == all.end()) return all.push_back(one);
  for (const Column c : sums) *same.*c += one.*c;
  same->chain += one.chain;
  same->load_depth = std::max(same->load_depth, one.load_depth);
}

}  // namespace

Counts read_counts(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(Exit::usage, path + ": cannot be read");
  Counts counts;
  std::vector<std::string> names;
  int number_of_line = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string where = path + ":" + std::to_string(++number_of_line);
    const std::vector<std::string> cells = cells_of(line);
    if (line.starts_with("#kernel")) names = cells;
    if (line.empty() || line.starts_with('#')) continue;
    if (cells[0] == "(program)") {
      if (cells.size() != of_program.size() + 1 && cells.size() != of_program.size())  // older files have no graphs
        throw Error(Exit::usage, where + ": expected " + std::to_string(of_program.size()) + " counts of a program");
      for (std::size_t c = 0; c + 1 < cells.size(); ++c) counts.program.*of_program[c] += number(cells[c + 1], where);
      continue;
    }
    if (names.empty() || cells.size() != names.size())
      throw Error(Exit::usage, where + ": expected the columns of WEIR_PTX_STATS, the line '#kernel' before them");
    KernelCounts k;
    k.kernel = cells[0];
    for (std::size_t c = 1; c < cells.size(); ++c)
      if (const auto column = columns.find(names[c]); column != columns.end())
        k.*column->second = number(cells[c], where);
    if (k.launches > 0 && k.block_threads <= 0)
      throw Error(Exit::usage, where + ": expected threads in the blocks of " + k.kernel);
    add(counts.kernels, k);
  }
  return counts;
}

Counts less(const Counts& a, const Counts& b) {
  Counts out = a;
  for (const KernelCounts& k : b.kernels) {
    const auto same =
        std::find_if(out.kernels.begin(), out.kernels.end(), [&](const KernelCounts& x) { return key(x) == key(k); });
    if (same == out.kernels.end() || same->launches < k.launches)
      throw Error(Exit::usage, "more launches of " + k.kernel + " in the counts that are to be taken away");
    for (const Column c : sums) *same.*c = std::max(0.0, *same.*c - k.*c);
    same->chain = std::max(0.0, same->chain - k.chain);
  }
  std::erase_if(out.kernels, [](const KernelCounts& k) { return k.launches <= 0; });
  for (const ProgramColumn c : of_program) out.program.*c = std::max(0.0, a.program.*c - b.program.*c);
  return out;
}

std::vector<HeavyKernel> heavy_kernels(const Counts& counts) {
  constexpr double heavy = 0.02;
  struct Moved {
    double bytes = 0, sectors = 0, fewest = 0;
  };
  std::map<std::string, Moved> of;
  double all = 0;
  for (const KernelCounts& k : counts.kernels) {
    Moved& m = of[k.kernel];
    m.bytes += k.bytes;
    m.sectors += k.sectors;
    m.fewest += k.fewest_sectors;
    all += k.bytes;
  }
  std::vector<HeavyKernel> out;
  for (const auto& [kernel, m] : of)
    if (m.bytes > heavy * all && m.fewest > 0) out.push_back({kernel, m.bytes / all, m.sectors / m.fewest});
  std::sort(out.begin(), out.end(), [](const HeavyKernel& a, const HeavyKernel& b) { return a.part > b.part; });
  return out;
}

namespace {

// By kernel, the largest shape first.
std::vector<KernelCounts> sorted(std::vector<KernelCounts> kernels) {
  std::sort(kernels.begin(), kernels.end(), [](const KernelCounts& a, const KernelCounts& b) {
    return std::tie(a.kernel, b.blocks) < std::tie(b.kernel, a.blocks);
  });
  return kernels;
}

// One shape for each kernel: blocks and threads as in the mean of its launches.
std::vector<KernelCounts> merged(const std::vector<KernelCounts>& kernels) {
  std::vector<KernelCounts> out;
  for (const KernelCounts& k : sorted(kernels)) {
    if (out.empty() || out.back().kernel != k.kernel) {
      out.push_back(k);
      continue;
    }
    KernelCounts& sum = out.back();
    sum.blocks = (sum.blocks * sum.launches + k.blocks * k.launches) / (sum.launches + k.launches);
    for (const Column c : sums) sum.*c += k.*c;
    sum.chain += k.chain;
  }
  return out;
}

std::vector<std::string> names(const std::vector<KernelCounts>& kernels) {
  std::vector<std::string> all;
  for (const KernelCounts& k : kernels) all.push_back(k.kernel);
  return all;
}

// One for each of `second`: its own counts where `first` does not launch it.
std::vector<KernelCounts> aligned(const std::vector<KernelCounts>& first, const std::vector<KernelCounts>& second) {
  std::vector<KernelCounts> out;
  bool any = false;
  for (const KernelCounts& k : second) {
    const auto same =
        std::find_if(first.begin(), first.end(), [&](const KernelCounts& x) { return x.kernel == k.kernel; });
    any = any || same != first.end();
    out.push_back(same == first.end() ? k : *same);
  }
  if (!any) throw Error(Exit::usage, "the two sizes launch other kernels: nothing to extrapolate from");
  return out;
}

}  // namespace

Counts extrapolated(const Counts& small, const Counts& large, const Extrapolation& s) {
  if (!(s.small > 0 && s.large > s.small))
    throw Error(Exit::usage, "sizes to extrapolate from: expected 0 < the first < the second");
  std::vector<KernelCounts> first = sorted(small.kernels), second = sorted(large.kernels);
  if (names(first) != names(second)) {
    second = merged(second);
    first = aligned(merged(first), second);
  }
  const auto along = [&](double a, double b, double power = 1) {
    const double x = std::pow(s.small, power), y = std::pow(s.large, power);
    return std::max(0.0, b + (b - a) * (std::pow(s.wanted, power) - y) / (y - x));
  };
  Counts out{second, large.program};
  for (std::size_t k = 0; k < out.kernels.size(); ++k) {
    const KernelCounts& a = first[k];
    KernelCounts& b = out.kernels[k];
    const double launches = b.launches, before = std::max(a.launches, 1.0);
    const auto of_launches = [&](Column c, double power) {
      return launches * along(a.*c / before, b.*c / std::max(launches, 1.0), power);
    };
    // cuBLAS's: products with the eigenvectors of a side of the grid.
    const double product = b.kernel.starts_with("cublas") ? 4.0 / 3 : 1;
    for (const Column c : sums)
      b.*c = of_launches(c, c == &KernelCounts::instructions || c == &KernelCounts::doubles ? product : 1);
    b.launches = launches;
    b.in_graphs = second[k].in_graphs;
    b.chain = of_launches(&KernelCounts::chain, s.chain_power);
    b.blocks = std::max(1.0, along(a.blocks, b.blocks));
  }
  out.program.large_bytes = along(small.program.large_bytes, large.program.large_bytes);
  return out;
}

}  // namespace weir::gpu
