#include "tests/gpu_model/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace weir::gpu {
namespace {

double rounded_up(double value, double multiple) { return std::ceil(value / multiple) * multiple; }

struct Term {
  const char* name;
  double seconds;
};

// Of all launches of one shape together.
std::array<Term, 7> terms(const KernelCounts& k, const GpuDevice& d, const Residency& r) {
  constexpr double sector = 32, bytes_a_clock = 64;
  const double working = std::min<double>(d.sms, k.blocks), of_sms = working * d.clock;
  const double rounds = std::max(1.0, std::ceil(r.waves - 1e-9));
  const double mean_chain = k.warps > 0 ? k.warp_chains / k.warps : 0;
  const double unit = d.latency / units_of_latency;
  return {Term{"memory", (k.memory_read + k.memory_written) / (d.bandwidth * d.reached)},
          Term{"L2", (k.l2_sectors + k.poll_sectors) * sector / std::min(d.l2_bandwidth, bytes_a_clock * of_sms)},
          Term{"issue", (k.instructions + k.poll_instructions) / (d.issues * of_sms)},
          Term{"FP64", k.doubles / (d.doubles * of_sms)},
          Term{"latency", k.launches * rounds * mean_chain * unit},
          Term{"chain", k.chain * unit},
          Term{"shared", (k.shared_passes + k.conflicts) / of_sms}};
}

}  // namespace

// Registers go to warps in units of 256, a quarter of the file for each of four schedulers.
Residency residency_of(const KernelCounts& k, const GpuDevice& d) {
  constexpr double warp = 32, unit = 256, schedulers = 4, of_system = 1024;
  const double warps = std::ceil(k.block_threads / warp);
  double blocks = std::min<double>(d.blocks, std::floor(d.warps / warps));
  if (k.registers > 0)
    blocks = std::min(
        blocks,
        std::floor(schedulers * std::floor(d.registers / schedulers / rounded_up(k.registers * warp, unit)) / warps));
  if (k.shared_bytes > 0) blocks = std::min(blocks, std::floor(d.shared / (k.shared_bytes + of_system)));
  Residency r;
  r.blocks = static_cast<int>(blocks);
  if (r.blocks < 1) return r;
  r.occupancy = blocks * warps / d.warps;
  r.waves = k.blocks / (blocks * d.sms);
  r.last_wave = r.waves - (std::ceil(r.waves) - 1);
  return r;
}

Prediction predict(const KernelCounts& k, const GpuDevice& d) {
  Prediction p{k, residency_of(k, d), 0, 0, ""};
  if (p.residency.blocks < 1) {  // an older device with fewer registers: as if its blocks came one at a time
    p.residency.blocks = 1;
    p.residency.waves = k.blocks / d.sms;
  }
  const std::array<Term, 7> all = terms(k, d, p.residency);
  const Term largest =
      *std::max_element(all.begin(), all.end(), [](const Term& a, const Term& b) { return a.seconds < b.seconds; });
  const double launches = (k.launches - k.in_graphs) * d.launch + k.in_graphs * d.graph_node;
  double sum = 0;  // terms overlap, but not perfectly: one that is alone counts as it is, two equal ones 1.26 times
  for (const Term& t : all) sum += std::pow(t.seconds, 3);
  p.busy = std::cbrt(sum);
  p.seconds = p.busy + launches;
  p.term = launches > largest.seconds ? "launch" : largest.name;
  return p;
}

ProgramPrediction predict(const Counts& counts, const GpuDevice& d) {
  ProgramPrediction out;
  std::map<std::string, std::vector<Prediction>> by_kernel;
  std::map<std::string, double> of_term;
  for (const KernelCounts& k : counts.kernels) {
    const Prediction p = predict(k, d);
    by_kernel[k.kernel].push_back(p);
    out.seconds += p.seconds;
    of_term[p.term] += p.seconds;
  }
  for (auto& [name, shapes] : by_kernel) {
    const auto slowest = std::max_element(
        shapes.begin(), shapes.end(), [](const Prediction& a, const Prediction& b) { return a.seconds < b.seconds; });
    Prediction sum = *slowest;  // the others' counts and times added
    for (const Prediction& p : shapes) {
      if (&p == &*slowest) continue;
      sum.seconds += p.seconds;
      sum.busy += p.busy;
      for (const auto c : {&KernelCounts::launches, &KernelCounts::bytes, &KernelCounts::sectors,
                           &KernelCounts::fewest_sectors, &KernelCounts::memory_read, &KernelCounts::memory_written})
        sum.counts.*c += p.counts.*c;
    }
    out.kernels.push_back(sum);
  }
  std::sort(out.kernels.begin(), out.kernels.end(),
            [](const Prediction& a, const Prediction& b) { return a.seconds > b.seconds; });
  const ProgramCounts& p = counts.program;
  out.synchronisations = p.synchronisations * d.synchronisation;
  out.copies = (p.small_copies + p.large_copies) * d.copy + p.large_bytes / d.pcie;
  of_term["launch"] += (p.fills + p.graphs) * d.launch;
  of_term["synchronisation"] += out.synchronisations;
  of_term["copies"] += out.copies;
  out.seconds += (p.fills + p.graphs) * d.launch + out.synchronisations + out.copies;
  for (const auto& [name, seconds] : of_term)
    if (out.term.empty() || seconds > of_term[out.term]) out.term = name;
  return out;
}

}  // namespace weir::gpu
