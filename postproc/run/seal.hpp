// The seal of Weir's HDF5 files lies in their first bytes (HDF5's "user block"): a line with the hash of the rest,
//
//   weir-checkpoint schema=1 bytes=123456 hash=0123456789abcdef
//
// and, where the format seals its parts, a line per part, so that damage is reported by name, and the hash of these
// lines:
//
//   part doubles/b offset=8192 bytes=8000 hash=0123456789abcdef
//   head hash=0123456789abcdef
//
// It is verified before HDF5 opens the file, because HDF5's reader crashes on some damaged files.
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

// Upper limit of the bytes of a seal with these parts: a power of two, as HDF5 requires.
std::size_t seal_bytes(const SealedFormat& format, const std::vector<std::string>& parts);

// Writes the seal into the first `head` bytes of an otherwise complete file.
void seal_file(const std::string& path, const SealedFormat& format, std::size_t head,
               const std::vector<SealedPart>& parts);

// Throws Error(Exit::file_io) with the fault: "is truncated", "is damaged: ...".
void verify_seal(const std::string& path, const SealedFormat& format);

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why);

}  // namespace weir
