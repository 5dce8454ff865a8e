#include "postproc/fields/vtkhdf.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "postproc/fields/hdf5/growing_file.hpp"
#include "postproc/fields/vtkhdf_frame.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr std::uint64_t note_magic = 0x3150455452494557;  // "WEIRTEP1"

hdf5::Bytes note_of(const VtkhdfSeries::State& s) {
  hdf5::Bytes b;
  b.u64(note_magic).u64(s.previous).u64(s.previous_bytes).u64(s.root).u64(s.mesh_hash).add(s.step).add(s.time);
  b.u64(s.mesh.size());
  for (const auto& [name, address] : s.mesh) b.u64(name.size()).text(name).u64(address);
  b.u64(s.fields.size());
  for (const auto& f : s.fields) {
    b.u64(f.name.size()).text(f.name).u64(static_cast<std::uint64_t>(f.components));
    b.u64((f.is_integer ? 1u : 0u) | (f.is_of_nodes ? 2u : 0u));
    f.index.save(b);
  }
  return b.u32(hdf5::checksum(b.all()));
}

}  // namespace

VtkhdfSeries::VtkhdfSeries(std::string path, std::optional<double> restart_time) : path_(std::move(path)) {
  if (!restart_time || !std::filesystem::exists(path_)) return;
  read_steps();
  std::size_t kept = steps_.size();
  while (kept > 0 && steps_[kept - 1].time > *restart_time) --kept;
  turn_to(kept);
}

VtkhdfSeries::State VtkhdfSeries::read_state(const hdf5::GrowingFile& file, std::uint64_t at,
                                             std::uint64_t bytes) const {
  const std::vector<unsigned char> note = file.read(at, bytes);
  const std::span<const unsigned char> all(note);
  const std::size_t sum = note.size() < 4 ? 0 : note.size() - 4;
  hdf5::Cursor in(all);
  State s;
  bool is_ours =
      in.u64() == note_magic && hdf5::Cursor(all.subspan(sum)).take<std::uint32_t>() == hdf5::checksum(all.first(sum));
  s.previous = in.u64();
  s.previous_bytes = in.u64();
  s.root = in.u64();
  s.mesh_hash = in.u64();
  s.step = in.take<std::int64_t>();
  s.time = in.take<double>();
  for (std::uint64_t n = in.u64(); is_ours && in.is_whole() && n > 0; --n) {
    std::string name = in.text();
    s.mesh.emplace_back(std::move(name), in.u64());
  }
  for (std::uint64_t n = in.u64(); is_ours && in.is_whole() && n > 0; --n) {
    Field f;
    f.name = in.text();
    f.components = static_cast<int>(in.u64());
    const std::uint64_t kind = in.u64();
    f.is_integer = kind & 1;
    f.is_of_nodes = kind & 2;
    f.index = hdf5::ChunkIndex::load(in);
    s.fields.push_back(std::move(f));
  }
  is_ours = is_ours && in.is_whole() && s.previous < at;
  if (!is_ours) throw Error(Exit::file_io, "cannot go on with " + path_ + ": the note of a step is damaged");
  return s;
}

void VtkhdfSeries::read_steps() {
  const hdf5::GrowingFile file = hdf5::GrowingFile::open(path_);
  const hdf5::Head head = file.head();
  steps_.clear();
  for (std::uint64_t at = head.note, bytes = head.note_bytes; at != 0;) {
    const State s = read_state(file, at, bytes);
    steps_.push_back({s.step, s.time, at, bytes});
    at = s.previous;
    bytes = s.previous_bytes;
  }
  std::reverse(steps_.begin(), steps_.end());
}

// A file without a step is begun anew at the next write.
void VtkhdfSeries::turn_to(std::size_t kept) {
  const bool is_shorter = kept < steps_.size();
  steps_.resize(kept);
  last_ = {};
  if (kept == 0) return;
  hdf5::GrowingFile file = hdf5::GrowingFile::open(path_);
  const Step& end = steps_.back();
  last_ = read_state(file, end.state, end.bytes);
  if (!is_shorter) return;
  file.turn_to({end.state + end.bytes, last_.root, end.state, end.bytes});
  file.cut(end.state + end.bytes);
  file.close();
  tell_written(path_);
}

void VtkhdfSeries::cut_after(std::int64_t step) {
  std::size_t kept = steps_.size();
  while (kept > 0 && steps_[kept - 1].step > step) --kept;
  turn_to(kept);
}

void VtkhdfSeries::write(std::int64_t step, const Picture& picture) { append(step, VtkhdfFrame(picture)); }
void VtkhdfSeries::write(std::int64_t step, const MeshPicture& picture) { append(step, VtkhdfFrame(picture)); }

void VtkhdfSeries::append(std::int64_t step, const VtkhdfFrame& frame) {
  if (!steps_.empty() && steps_.back().step >= step) cut_after(step - 1);
  if (!is_checked_ && !steps_.empty() && last_.mesh_hash != frame.mesh_hash())
    throw Error(Exit::file_io, "cannot go on with " + path_ +
                                   ": its mesh is another one; restart into another directory (-o) or move it away");
  is_checked_ = true;
  if (!steps_.empty()) {
    append_to(hdf5::GrowingFile::open(path_), step, frame);
    tell_written(path_);
    return;
  }
  write_aside(
      path_,
      [&](const std::string& temporary) {
        last_ = {};
        last_.mesh_hash = frame.mesh_hash();
        append_to(hdf5::GrowingFile::create(temporary), step, frame);
      },
      Sync::later);
}

void VtkhdfSeries::append_to(hdf5::GrowingFile file, std::int64_t step, const VtkhdfFrame& frame) {
  State next = last_;
  next.step = step;
  next.time = frame.time();
  if (!steps_.empty()) {
    next.previous = steps_.back().state;
    next.previous_bytes = steps_.back().bytes;
  }
  std::vector<double> times;
  for (const Step& s : steps_) times.push_back(s.time);
  times.push_back(next.time);
  const std::uint64_t before = file.end();
  try {
    hdf5::Bytes headers = frame.append(file, times, next);
    const std::uint64_t note = file.end() + headers.size();
    const hdf5::Bytes words = note_of(next);
    file.append(headers.bytes(words).all());
    file.turn_to({file.end(), next.root, note, words.size()});
    file.close();
    steps_.push_back({step, next.time, note, words.size()});
    last_ = std::move(next);
  } catch (...) {
    file.cut(before);
    throw;
  }
}

}  // namespace weir
