#include "postproc/run/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "postproc/run/directory/file_changes.hpp"
#include "postproc/run/seal.hpp"
#include "postproc/run/sealed_file.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

const SealedFormat& format() {
  static const SealedFormat checkpoint{"checkpoint", checkpoint_schema, false};
  return checkpoint;
}

}  // namespace

bool checkpoints_available() { return sealed_files_available(); }

void write_checkpoint(const std::string& path, const CheckpointHeader& header, const CheckpointState& state,
                      const RootReads* reads) {
  SealedContent c;
  c.integers = {{"step", header.step}};
  c.numbers = {{"time", header.time}, {"wall_seconds", header.wall_seconds}};
  c.texts = {
      {"config", header.config}, {"name", header.name}, {"miniapp", header.miniapp}, {"version", header.version}};
  if (!header.end.empty()) {
    c.texts.emplace_back("end", header.end);
    c.numbers.emplace_back("tolerance", header.tolerance);
  }
  std::size_t spread_arrays = 0;
  for (const auto& [name, values, spread] : state.doubles) {
    if (!spread || !reads) {
      c.doubles.emplace_back(name, values);
      continue;
    }
    const auto fill = [reads, array = spread_arrays++](std::size_t first, std::span<double> piece) {
      reads->read(array, first, piece);
    };
    c.doubles.emplace_back(name, SealedNumbers(spread->whole_size(), fill));
  }
  for (const auto& [name, value] : state.scalars) c.doubles.emplace_back(name, std::span<const double>(&value, 1));
  write_sealed_file(path, format(), c);
}

void CheckpointState::own() {
  for (auto& [name, values, spread] : doubles)
    if (std::ranges::none_of(kept, [&](const auto& own) { return own.data() == values.data(); }))
      values = kept.emplace_back(values.begin(), values.end());
}

RootReads CheckpointState::spread_over(const Communicator& ranks) const {
  RootReads reads(ranks);
  for (const Values& v : doubles)
    if (v.spread) reads.add(*v.spread, v.values);
  return reads;
}

Checkpoint read_checkpoint(const std::string& path, std::int64_t most) {
  SealedFile file = read_sealed_file(path, format(), most);
  Checkpoint c;
  c.path = path;
  c.header.step = file.integer("step");
  c.header.time = file.number("time");
  c.header.wall_seconds = file.number("wall_seconds");
  const double wall = c.header.wall_seconds;
  if (c.header.step < 0 || !std::isfinite(c.header.time) || !std::isfinite(wall) || wall < 0)
    fail_to_read(path, "cannot be used for a restart: its step, time or wall time is not a valid number");
  c.header.config = file.text("config");
  c.header.name = file.text("name");
  if (const std::string why = why_no_file_name(c.header.name); !why.empty()) fail_to_read(path, "its 'name': " + why);
  c.header.miniapp = file.text("miniapp");
  c.header.version = file.text("version");
  for (const auto& [name, text] : file.texts)
    if (name == "end") c.header.end = text;
  if (!c.header.end.empty()) c.header.tolerance = file.number("tolerance");
  for (auto& array : file.doubles) c.arrays.push_back(std::move(array));
  for (const auto& [name, size] : file.left_out) c.in_file[name] = size;
  return c;
}

std::int64_t Checkpoint::size_of(const std::string& name) const {
  for (const auto& [key, values] : arrays)
    if (key == name) return static_cast<std::int64_t>(values.size());
  const auto kept = in_file.find(name);
  return kept == in_file.end() ? -1 : kept->second;
}

const std::vector<double>* Checkpoint::find(const std::string& name) const {
  for (const auto& [key, values] : arrays)
    if (key == name) return &values;
  if (!has(name)) return nullptr;
  std::vector<double> values = part(name, nullptr, at(size_of(name)));
  return &arrays.emplace_back(name, std::move(values)).second;
}

void Checkpoint::require_size(const std::string& name, std::int64_t size) const {
  const std::int64_t found = size_of(name);
  if (found == -1) throw Error(Exit::file_io, path + ": the array '" + name + "' is missing");
  if (found == size) return;
  throw Error(Exit::file_io, path + ": the array '" + name + "' has " + std::to_string(found) + " values instead of " +
                                 std::to_string(size) + "; the checkpoint is of another grid or another data layout");
}

const std::vector<double>& Checkpoint::doubles(const std::string& name, std::int64_t size) const {
  require_size(name, size);
  return *find(name);
}

std::vector<double> Checkpoint::part(const std::string& name, const Spread* spread, std::size_t size) const {
  const bool is_part = !spread || parts.contains(name);
  require_size(name, static_cast<std::int64_t>(is_part ? size : spread->whole_size()));
  const auto kept = std::ranges::find(arrays, name, [](const auto& array) { return array.first; });
  if (is_part && kept != arrays.end()) return kept->second;
  std::vector<double> mine(size, 0.0);
  if (is_part) {
    if (size > 0) read_sealed_piece(path, name, 0, mine);
    return mine;
  }
  constexpr std::int64_t most = 65536;
  const auto whole_size = static_cast<std::int64_t>(spread->whole_size());
  std::vector<double> piece;
  for (std::int64_t first = spread->next(0); first >= 0; first = spread->next(first + most)) {
    const std::int64_t count = std::min(most, whole_size - first);
    std::span<const double> values;
    if (kept != arrays.end()) {
      values = std::span(kept->second).subspan(at(first), at(count));
    } else {
      piece.resize(at(count));
      read_sealed_piece(path, name, first, piece);
      values = piece;
    }
    spread->within(first, count, [&](const Spread::Stretch& s) {
      std::copy_n(values.begin() + (s.whole - first), s.count, mine.begin() + s.here);
    });
  }
  return mine;
}

std::string checkpoint_name(std::int64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < 8) digits.insert(0, 8 - digits.size(), '0');
  return "step_" + digits + ".h5";
}

std::vector<std::pair<std::int64_t, std::string>> list_checkpoints(const std::string& folder) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("step_") || !name.ends_with(".h5")) continue;
    std::int64_t step = 0;
    const char *from = name.data() + 5, *to = name.data() + name.size() - 3;
    if (std::from_chars(from, to, step).ptr == to) found.emplace_back(step, entry.path().string());
  }
  std::ranges::sort(found);
  return found;
}

void prune_checkpoints(const std::string& folder, int keep,
                       const std::function<bool(const std::string& path)>& is_ours) {
  auto files = list_checkpoints(folder);
  if (is_ours) std::erase_if(files, [&](const auto& file) { return !is_ours(file.second); });
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < files.size(); ++i) remove_file(files[i].second);
}

}  // namespace weir
