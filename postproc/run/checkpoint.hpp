// Checkpoints: the state that a flow code needs for a bitwise identical restart, in one sealed HDF5 file
// (sealed_file.hpp): the attributes step, time, wall_seconds, the texts /config (the case with its overrides, without
// the defaults), /miniapp, /version, and the arrays /doubles/NAME. Without HDF5 checkpoints_available() is false and
// the other functions throw.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/parallel/spread.hpp"

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
  struct Values {
    std::string name;
    std::span<const double> values;  // spread: of this rank
    const Spread* spread = nullptr;  // null: an array of rank 0
  };
  std::int64_t step = 0;
  double time = 0;
  std::vector<Values> doubles;
  std::vector<std::pair<std::string, double>> scalars;  // kept as arrays of one

  void add(const std::string& name, std::span<const double> values, const Spread* spread = nullptr) {
    doubles.push_back({name, values, spread});
  }
  void add(const std::string& name, double value) { scalars.emplace_back(name, value); }
  void keep(const std::string& name, std::vector<double> values, const Spread* spread = nullptr) {
    add(name, kept.emplace_back(std::move(values)), spread);
  }
  void own();                                        // copies of all values
  RootReads spread_over(const Communicator&) const;  // the arrays that are spread

  std::list<std::vector<double>> kept;  // what the spans of `keep` point to
  std::list<Spread> kept_spreads;
};

// A checkpoint that was read and verified.
struct Checkpoint {
  std::string path;
  CheckpointHeader header;
  mutable std::deque<std::pair<std::string, std::vector<double>>> arrays;  // references stay valid
  std::map<std::string, std::int64_t> in_file;  // arrays that are read from the file once they are needed; sizes
  std::set<std::string> parts;                  // of a branch: arrays that are this rank's part already

  // Throws Error(Exit::file_io) if the name is missing or the size differs from the expected one.
  const std::vector<double>& doubles(const std::string& name, std::int64_t size) const;
  double scalar(const std::string& name) const { return doubles(name, 1).front(); }
  const std::vector<double>* find(const std::string& name) const;  // null where it is missing
  bool has(const std::string& name) const { return size_of(name) >= 0; }
  std::int64_t size_of(const std::string& name) const;  // -1: it is missing
  // The `size` values of this rank; where no rank has a value it is 0. spread: null for the whole array.
  std::vector<double> part(const std::string& name, const Spread* spread, std::size_t size) const;

 private:
  void require_size(const std::string& name, std::int64_t size) const;
};

bool checkpoints_available();

// Both throw Error(Exit::file_io) with the file and the fault. reads: state.spread_over(ranks), if arrays are spread.
void write_checkpoint(const std::string& path, const CheckpointHeader& header, const CheckpointState& state,
                      const RootReads* reads = nullptr);
// most: number of values of an array above which it stays in the file (Checkpoint::in_file).
Checkpoint read_checkpoint(const std::string& path, std::int64_t most = std::numeric_limits<std::int64_t>::max());

// The files of a folder: step_00000100.h5 for step 100.
std::string checkpoint_name(std::int64_t step);
std::vector<std::pair<std::int64_t, std::string>> list_checkpoints(const std::string& folder);  // by step, ascending

// Removes all checkpoints but the newest `keep`.
void prune_checkpoints(const std::string& folder, int keep,
                       const std::function<bool(const std::string& path)>& is_ours = {});  // empty: all are

}  // namespace weir
