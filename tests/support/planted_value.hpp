// A checkpoint in which one value has been changed, for runs that must go wrong.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "postproc/run/checkpoint.hpp"

namespace weir::testing {

// Into the last checkpoint of a run directory.
inline void plant_value(const std::string& run, const std::string& array, std::size_t index, double value) {
  const auto files = list_checkpoints(run + "/checkpoints");
  ASSERT_FALSE(files.empty());
  const std::string path = files.back().second;
  Checkpoint c = read_checkpoint(path);
  CheckpointState state;
  state.step = c.header.step;
  state.time = c.header.time;
  for (auto& [name, values] : c.arrays) {
    if (name == array) values.at(index) = value;
    state.add(name, std::span<const double>(values));
  }
  write_checkpoint(path, c.header, state);
}

}  // namespace weir::testing
