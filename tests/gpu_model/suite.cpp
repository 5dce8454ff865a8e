#include "tests/gpu_model/suite.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace weir::gpu {
namespace {

using nlohmann::json;

std::string microseconds(double seconds) { return fmt::format("{:.4g}", 1e6 * seconds); }
double over_fewest(const KernelCounts& k) { return k.fewest_sectors > 0 ? k.sectors / k.fewest_sectors : 1; }

struct Columns {
  const ProgramPrediction& program;
  double per;
};

void print_kernels(const Columns& c) {
  fmt::print("{:>9} {:>6} {:>9}  {:8} {:>5} {:>7} {:>5} {:>7} {:>6} {:>5}  {}\n", "predicted", "part", "launches",
             "term", "occup", "waves", "last", "sec/few", "GB/s", "depth", "kernel");
  for (const Prediction& p : c.program.kernels) {
    const KernelCounts& k = p.counts;
    fmt::print("{:>9} {:>5.1f}% {:>9.4g}  {:8} {:>4.0f}% {:>7.2f} {:>4.0f}% {:>7.2f} {:>6.0f} {:>5.0f}  {}\n",
               microseconds(p.seconds / c.per), 100 * p.seconds / c.program.seconds, k.launches / c.per, p.term,
               100 * p.residency.occupancy, p.residency.waves, 100 * p.residency.last_wave, over_fewest(k),
               1e-9 * (k.memory_read + k.memory_written) / p.seconds, k.load_depth, k.kernel.substr(0, 70));
  }
}

json as_json(const ProgramPrediction& program, double per) {
  json kernels = json::array();
  for (const Prediction& p : program.kernels)
    kernels.push_back({{"kernel", p.counts.kernel},
                       {"predicted_seconds", p.seconds / per},
                       {"term", p.term},
                       {"launches", p.counts.launches / per},
                       {"occupancy", p.residency.occupancy},
                       {"waves", p.residency.waves},
                       {"last_wave", p.residency.last_wave},
                       {"sectors_over_fewest", over_fewest(p.counts)},
                       {"load_depth", p.counts.load_depth},
                       {"memory_bytes", (p.counts.memory_read + p.counts.memory_written) / per}});
  return {{"predicted_seconds", program.seconds / per},
          {"term", program.term},
          {"synchronisation_seconds", program.synchronisations / per},
          {"copy_seconds", program.copies / per},
          {"kernels", kernels}};
}

void write_csv(const std::string& path, const ProgramPrediction& program, double per) {
  std::ofstream out(path);
  out << "kernel,predicted_seconds,term,launches,occupancy,waves,last_wave,sectors_over_fewest,memory_bytes\n";
  for (const Prediction& p : program.kernels)
    out << fmt::format("\"{}\",{:.6g},{},{:.6g},{:.3f},{:.3f},{:.3f},{:.3f},{:.6g}\n", p.counts.kernel, p.seconds / per,
                       p.term, p.counts.launches / per, p.residency.occupancy, p.residency.waves, p.residency.last_wave,
                       over_fewest(p.counts), (p.counts.memory_read + p.counts.memory_written) / per);
}

void write_json(const std::string& path, const json& what) {
  if (path.empty()) return;
  std::ofstream out(path);
  out << what.dump(1) << '\n';
  if (!out) throw Error(Exit::usage, path + ": cannot be written");
}

Counts counts_of(const SuiteOptions& o) {
  Counts counts = read_counts(o.files.front());
  if (!o.extrapolate.empty()) {
    if (o.extrapolate.size() != 3 || o.files.size() != 2)
      throw Error(Exit::usage, "--extrapolate takes three sizes and two files: of the first size, of the second");
    return extrapolated(counts, read_counts(o.files[1]),
                        {o.extrapolate[0], o.extrapolate[1], o.extrapolate[2], o.chain_power});
  }
  for (std::size_t k = 1; k < o.files.size(); ++k) {
    const Counts more = read_counts(o.files[k]);
    counts.kernels.insert(counts.kernels.end(), more.kernels.begin(), more.kernels.end());
    counts.program.synchronisations += more.program.synchronisations;
    counts.program.small_copies += more.program.small_copies;
    counts.program.large_copies += more.program.large_copies;
    counts.program.large_bytes += more.program.large_bytes;
    counts.program.fills += more.program.fills;
    counts.program.graphs += more.program.graphs;
  }
  return o.minus.empty() ? counts : less(counts, read_counts(o.minus));
}

int of_files(const SuiteOptions& o) {
  const GpuDevice device = read_device(o.device);
  const ProgramPrediction p = predict(counts_of(o), device);
  fmt::print("PREDICTED for {}, not measured: microseconds of one of {:g}{}\n", device.name, o.per,
             o.extrapolate.empty() ? "" : "; counts extrapolated linearly in size");
  print_kernels({p, o.per});
  fmt::print("{:>9} predicted in all, most of it {}; synchronisations of the host {}, copies {}\n",
             microseconds(p.seconds / o.per), p.term, microseconds(p.synchronisations / o.per),
             microseconds(p.copies / o.per));
  if (!o.csv_path.empty()) write_csv(o.csv_path, p, o.per);
  json all = as_json(p, o.per);
  all["prediction"] = true;
  all["device"] = device.name;
  write_json(o.json_path, all);
  return 0;
}

std::string judged(const Work& w, double seconds, bool of_measured_device) {
  if (w.published > 0) return fmt::format("{:.2f} of published {}", seconds / w.published, microseconds(w.published));
  if (!of_measured_device || w.measured <= 0) return "";
  return fmt::format("{:.2f} of measured {}", seconds / w.measured, microseconds(w.measured));
}

double launches_of(const Counts& counts) {
  double launches = counts.program.graphs;
  for (const KernelCounts& k : counts.kernels) launches += k.launches - k.in_graphs;
  return launches;
}

json print_work(const Work& w, const GpuDevice& device) {
  const ProgramPrediction p = predict(w.counts, device);
  const double seconds = p.seconds / w.per, limit = w.bytes / (device.bandwidth * device.reached);
  const bool is_published = w.published > 0, is_measured = device.name.starts_with("H100");
  fmt::print("{:>10} {:>9}  {:16} {:>8.4g} {:>5.3g}  {:26} {}{}\n", microseconds(seconds),
             limit > 0 ? microseconds(limit) : "", p.term, launches_of(w.counts) / w.per,
             w.counts.program.synchronisations / w.per, judged(w, seconds, is_measured), w.title,
             is_published ? " (" + device.name + ")" : "");
  json one = as_json(p, w.per);
  one.update({{"name", w.name},
              {"device", device.name},
              {"published_seconds", w.published},
              {"limit_seconds", limit},
              {"measured_seconds", is_measured && !is_published ? w.measured : 0}});
  return one;
}

json print_error(const char* of, const std::vector<double>& ratios) {
  const ModelError e = error_of(ratios);
  if (e.rows > 0)
    fmt::print("error of the model: predicted / {} from {:.2f} to {:.2f}, the middle of {} rows {:.2f}\n", of, e.least,
               e.most, e.rows, e.middle);
  return {{"least", e.least}, {"middle", e.middle}, {"most", e.most}, {"rows", e.rows}};
}

int of_works(const SuiteOptions& o) {
  std::vector<double> of_published, of_measured;
  json all = {{"prediction", true}, {"works", json::array()}};
  fmt::print(
      "PREDICTED, not measured: microseconds. Where a device is named in a row, it is that one, else {}. Limit: the "
      "time of the fewest bytes\n",
      o.device);
  fmt::print("{:>10} {:>9}  {:16} {:>8} {:>5}  {:26} {}\n", "predicted", "limit", "term", "launches", "syncs",
             "published or measured", "work");
  for (const Work& w : read_works()) {
    const json one = print_work(w, read_device(w.published > 0 ? w.device : o.device));
    const double seconds = one.at("predicted_seconds"), measured = one.at("measured_seconds");
    if (w.published > 0) of_published.push_back(seconds / w.published);
    if (measured > 0) of_measured.push_back(seconds / measured);
    all["works"].push_back(one);
  }
  fmt::print("sectors over the fewest, of kernels that move more than 2 % of a work's bytes, counted\n");
  for (const Work& w : read_works())
    if (w.published <= 0)
      for (const HeavyKernel& k : heavy_kernels(w.counts))
        fmt::print("{:>10.2f}  {:>4.0f} %  {:16} {}\n", k.sectors_over_fewest, 100 * k.part, w.name,
                   k.kernel.substr(0, 80));
  all["predicted_over_published"] = print_error("published", of_published);
  all["predicted_over_measured"] = print_error("measured", of_measured);
  write_json(o.json_path, all);
  return 0;
}

}  // namespace

int gpu_model(const SuiteOptions& options) {
  SuiteOptions o = options;
  if (o.device.empty()) o.device = "H200";
  if (!(o.per > 0)) throw Error(Exit::usage, "--per: expected a number above 0");
  return o.files.empty() ? of_works(o) : of_files(o);
}

}  // namespace weir::gpu
