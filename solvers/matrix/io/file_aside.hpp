// A text file written under a temporary name and renamed when complete. Devices and pipes are written directly.
#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"

namespace weir {

class FileAside {
 public:
  explicit FileAside(const std::string& path) {
    const OutputPlace place = place_of_output(path);
    path_ = place.path;
    aside_ = place.path + (place.is_stream ? "" : ".part");
    file_ = std::fopen(aside_.c_str(), "w");
    if (!file_) throw Error(Exit::file_io, path + ": cannot open the file for writing");
  }
  ~FileAside() {
    if (file_) std::fclose(file_);
    std::error_code ignored;
    if (aside_ != path_) std::filesystem::remove(aside_, ignored);
  }
  FileAside(const FileAside&) = delete;
  FileAside& operator=(const FileAside&) = delete;
  std::FILE* get() const { return file_; }
  void finish() {
    const bool whole = std::fflush(file_) == 0 && std::ferror(file_) == 0;
    std::fclose(std::exchange(file_, nullptr));
    std::error_code error;
    if (whole && aside_ != path_) std::filesystem::rename(aside_, path_, error);
    if (!whole || error) throw Error(Exit::file_io, path_ + ": incomplete write (is the disk full?)");
  }

 private:
  std::string path_, aside_;
  std::FILE* file_ = nullptr;
};

}  // namespace weir
