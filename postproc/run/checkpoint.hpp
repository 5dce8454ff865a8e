// Checkpoints: the state that a flow code needs for a bitwise identical restart, in one sealed HDF5 file
// (sealed_file.hpp): the attributes step, time, wall_seconds, the texts /config (the case with its overrides, without
// the defaults), /miniapp, /version, and the arrays /doubles/NAME. Without HDF5 checkpoints_available() is false and
// the other functions throw.
#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir {

inline constexpr int checkpoint_schema = 1;

struct CheckpointHeader {
  std::string name, miniapp, config, version;  // name: of the case
  std::int64_t step = 0;
  double time = 0, wall_seconds = 0;
  std::string end = {};  // why the run ended here ("end time", "steady state"); empty: it did not end
  double tolerance = 0;  // tolerance of the case at which it became steady
};

// The state of a flow code. The spans must live until the call that takes them returns.
struct CheckpointState {
  std::int64_t step = 0;
  double time = 0;
  std::vector<std::pair<std::string, std::span<const double>>> doubles;
  std::vector<std::pair<std::string, double>> scalars;  // kept as arrays of one

  void add(const std::string& name, std::span<const double> values) { doubles.emplace_back(name, values); }
  void add(const std::string& name, double value) { scalars.emplace_back(name, value); }
  void keep(const std::string& name, std::vector<double> values) { add(name, kept.emplace_back(std::move(values))); }
  void own();  // copies of all values

  std::list<std::vector<double>> kept;  // what the spans of `keep` point to
};

// A checkpoint that was read and verified.
struct Checkpoint {
  std::string path;
  CheckpointHeader header;
  std::vector<std::pair<std::string, std::vector<double>>> arrays;

  // Throws Error(Exit::file_io) if the name is missing or the size differs from the expected one.
  const std::vector<double>& doubles(const std::string& name, std::int64_t size) const;
  double scalar(const std::string& name) const { return doubles(name, 1).front(); }
  const std::vector<double>* find(const std::string& name) const;  // null where it is missing
};

bool checkpoints_available();

// Both throw Error(Exit::file_io) with the file and the fault.
void write_checkpoint(const std::string& path, const CheckpointHeader& header, const CheckpointState& state);
Checkpoint read_checkpoint(const std::string& path);

// The files of a folder: step_00000100.h5 for step 100.
std::string checkpoint_name(std::int64_t step);
std::vector<std::pair<std::int64_t, std::string>> list_checkpoints(const std::string& folder);  // by step, ascending

// Removes all checkpoints but the newest `keep`.
void prune_checkpoints(const std::string& folder, int keep,
                       const std::function<bool(const std::string& path)>& is_ours = {});  // empty: all are

}  // namespace weir
