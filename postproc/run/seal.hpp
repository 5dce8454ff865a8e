// The first bytes of our HDF5 files belong to us (HDF5's "user block"): a line that seals the rest,
//
//   weir-checkpoint schema=1 bytes=123456 hash=0123456789abcdef
//
// and where the format seals its parts a line each, so that damage is told by name, and a seal of these lines:
//
//   part doubles/b offset=8192 bytes=8000 hash=0123456789abcdef
//   head hash=0123456789abcdef
//
// It is checked before HDF5 looks at the file, because HDF5's reader does not survive every damaged one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct SealedFormat {
  std::string name;  // "checkpoint"
  int schema = 1;
  bool seals_parts = false;
  std::string first_word() const { return "weir-" + name; }
};

struct SealedPart {
  std::string name;
  std::int64_t offset = 0, bytes = 0;  // in the file
};

// Bytes that the seal of so many parts takes at most: a power of two, as HDF5 wants it.
std::size_t seal_bytes(const SealedFormat& format, const std::vector<std::string>& parts);

// Writes the seal into the first `head` bytes of a file that is otherwise complete.
void seal_file(const std::string& path, const SealedFormat& format, std::size_t head,
               const std::vector<SealedPart>& parts);

// Error(Exit::file_io) that says what is wrong with the file: "is truncated", "is damaged: ...".
void verify_seal(const std::string& path, const SealedFormat& format);

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why);

}  // namespace weir
