// A GPU as the model knows it: devices/NAME.toml, each figure with its source.
#pragma once
#include <string>
#include <vector>

namespace weir::gpu {

struct GpuDevice {
  std::string name;
  double bandwidth = 0, reached = 1;  // of memory, bytes a second by the data sheet; the part that a copy reaches
  double latency = 0;                 // seconds of a read of memory
  double l2_bytes = 0, l2_bandwidth = 0;
  int sms = 1, warps = 64, blocks = 32;  // SMs; warps and blocks of an SM
  double registers = 65536, shared = 0;  // of an SM; shared memory in bytes
  double clock = 0;                      // Hz
  double issues = 4, doubles = 2;        // warp instructions per clock of an SM that kernels reach; of them FP64
  double launch = 0, graph_node = 0;     // seconds; the second: of a launch in a graph
  double synchronisation = 0, copy = 0;  // seconds; copy: of less than 4 KB
  double pcie = 0;                       // bytes a second
};

GpuDevice read_device(const std::string& name_or_file);  // Error(usage): no such device, a key missing
std::vector<std::string> known_devices();

}  // namespace weir::gpu
