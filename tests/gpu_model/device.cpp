#include "tests/gpu_model/device.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "inputs/case.hpp"
#include "postproc/own_file.hpp"

namespace weir::gpu {
namespace {
std::filesystem::path folder() { return own_file("tests/gpu_model/devices"); }

std::string path_of(const std::string& name) {
  if (name.ends_with(".toml")) return name;
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::filesystem::path path = folder() / (lower + ".toml");
  if (!std::filesystem::exists(path))
    throw Error(Exit::usage, "no device '" + name + "'" + did_you_mean(lower, known_devices()));
  return path.string();
}
}  // namespace

std::vector<std::string> known_devices() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

GpuDevice read_device(const std::string& name) {
  const Table t = read_case(path_of(name));
  GpuDevice d;
  d.name = t.get<std::string>("name");
  const auto positive = [&](const char* key) {
    const double value = t.get<double>(key);
    if (!(value > 0)) t.fail(key, "must be above 0");
    return value;
  };
  d.bandwidth = 1e9 * positive("bandwidth_GB_s");
  d.reached = positive("bandwidth_reached");
  d.latency = 1e-9 * positive("latency_ns");
  d.l2_bytes = 1e6 * positive("l2_MB");
  d.l2_bandwidth = 1e9 * positive("l2_GB_s");
  d.sms = static_cast<int>(positive("sms"));
  d.warps = static_cast<int>(positive("warps_of_sm"));
  d.blocks = static_cast<int>(positive("blocks_of_sm"));
  d.registers = positive("registers_of_sm");
  d.shared = 1024 * positive("shared_of_sm_KB");
  d.clock = 1e9 * positive("clock_GHz");
  d.issues = positive("issues_a_clock");
  d.doubles = positive("fp64_a_clock");
  d.launch = 1e-6 * positive("launch_us");
  d.graph_node = t.has("graph_node_us") ? 1e-6 * positive("graph_node_us") : d.launch;
  d.synchronisation = 1e-6 * positive("synchronisation_us");
  d.copy = 1e-6 * positive("small_copy_us");
  d.pcie = 1e9 * positive("pcie_GB_s");
  t.refuse_unknown();
  return d;
}

}  // namespace weir::gpu
