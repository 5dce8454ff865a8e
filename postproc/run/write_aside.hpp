// Every file of a run directory is written under a temporary name and renamed, so that a reader (or a kill) finds the
// old file or the new one, never a part.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "postproc/run/directory/file_changes.hpp"

namespace weir {

enum class Sync {
  now,   // even a power cut leaves the old file or the new one
  later  // with the next checkpoint (RunDirectory): large files that are of no use alone
};

// Calls write(temporary path), then renames the temporary over `path`; makes the folder where it is missing. Where
// write throws, the temporary is removed, `path` keeps its old content and the exception passes on. Throws
// Error(Exit::file_io) with path and reason. The temporary's name contains host and process: "PATH.HOST-PID.partial".
void write_aside(const std::string& path, const std::function<void(const std::string& temporary)>& write,
                 Sync when = Sync::now);

std::string temporary_name(const std::string& path);

// The same for a text.
void write_text_aside(const std::string& path, std::string_view text);

// Allocates the disk space beforehand where the file system supports it, so that a full disk is reported in time.
void reserve_file(const std::string& path, std::int64_t bytes);

// A file being written. Every call is checked, so that a full disk is an Error(Exit::file_io) and not a short file.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void close();  // to be called at the end: some file systems report a full disk only here

 private:
  std::string path_;
  std::FILE* file_;
};

}  // namespace weir
