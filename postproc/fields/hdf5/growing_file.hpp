// A file that only grows, but for its head: 512 bytes that say where the newest headers lie. Whoever reads the head sees one
// state of the file or the next, never half of one.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir::hdf5 {

// What the head says: HDF5's superblock, and behind it, where HDF5 does not look, a place of our own.
struct Head {
  std::uint64_t end = 0, root = 0;         // of the file; the root group's header
  std::uint64_t note = 0, note_bytes = 0;  // what the writer needs to go on
};

class GrowingFile {
 public:
  static constexpr std::uint64_t head_bytes = 512;

  // All throw Error(Exit::file_io) with path and reason.
  static GrowingFile create(const std::string& path);
  static GrowingFile open(const std::string& path);
  GrowingFile(GrowingFile&& other) noexcept : path_(other.path_), file_(other.file_), end_(other.end_) {
    other.file_ = -1;
  }
  ~GrowingFile();

  std::uint64_t end() const { return end_; }
  void go_back_to(std::uint64_t end) { end_ = end; }           // what is appended goes there
  std::uint64_t append(std::span<const unsigned char> bytes);  // where they lie
  std::vector<unsigned char> read(std::uint64_t at, std::uint64_t bytes) const;

  Head head() const;
  void turn_to(const Head& head);
  void cut(std::uint64_t end);  // no harm where it fails: nothing refers to what lies behind
  void close();

 private:
  GrowingFile(std::string path, int file, std::uint64_t end) : path_(std::move(path)), file_(file), end_(end) {}
  void write(std::span<const unsigned char> bytes, std::uint64_t at) const;

  std::string path_;
  int file_;
  std::uint64_t end_;
};

}  // namespace weir::hdf5
