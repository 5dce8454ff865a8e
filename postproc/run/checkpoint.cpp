#include "postproc/run/checkpoint.hpp"

#include <cmath>

#include "postproc/run/seal.hpp"
#include "postproc/run/sealed_file.hpp"

namespace weir {
namespace {

const SealedFormat& format() {
  static const SealedFormat checkpoint{"checkpoint", checkpoint_schema, false};
  return checkpoint;
}

}  // namespace

bool checkpoints_available() { return sealed_files_available(); }

void write_checkpoint(const std::string& path, const CheckpointHeader& header, const CheckpointState& state) {
  SealedContent c;
  c.integers = {{"step", header.step}};
  c.numbers = {{"time", header.time}, {"wall_seconds", header.wall_seconds}};
  c.texts = {
      {"config", header.config}, {"name", header.name}, {"miniapp", header.miniapp}, {"version", header.version}};
  c.doubles = state.doubles;
  for (const auto& [name, value] : state.scalars) c.doubles.emplace_back(name, std::span<const double>(&value, 1));
  c.integer_arrays = state.integers;
  write_sealed_file(path, format(), c);
}

Checkpoint read_checkpoint(const std::string& path) {
  SealedFile file = read_sealed_file(path, format());
  Checkpoint c;
  c.path = path;
  c.header.step = file.integer("step");
  c.header.time = file.number("time");
  c.header.wall_seconds = file.number("wall_seconds");
  const double wall = c.header.wall_seconds;
  if (c.header.step < 0 || !std::isfinite(c.header.time) || !std::isfinite(wall) || wall < 0)
    fail_to_read(path, "is no state to go on from: its step, time or wall time is not a number of a run");
  c.header.config = file.text("config");
  c.header.name = file.text("name");
  c.header.miniapp = file.text("miniapp");
  c.header.version = file.text("version");
  c.arrays = std::move(file.doubles);
  c.integer_arrays = std::move(file.integer_arrays);
  return c;
}

}  // namespace weir
