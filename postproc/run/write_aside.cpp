#include "postproc/run/write_aside.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace weir {

void fail_to_write(const std::string& path, int reason) {
  throw Error(Exit::file_io, "cannot write " + path + ": " + (reason ? std::strerror(reason) : "unknown reason"));
}

OutputFile::OutputFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) fail_to_write(path_, errno);
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (bytes && std::fwrite(data, 1, bytes, file_) != bytes) fail_to_write(path_, errno);
}

void OutputFile::close() {
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail_to_write(path_, errno);
}

void write_aside(const std::string& path, const std::function<void(const std::string&)>& write) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
    fs::create_directories(folder, error);
    if (error) fail_to_write(path, error.value());
  }
  const std::string temporary = path + ".partial";
  try {
    write(temporary);
    fs::rename(temporary, path, error);
    if (error) fail_to_write(path, error.value());
  } catch (...) {
    fs::remove(temporary, error);
    throw;
  }
}

void write_text_aside(const std::string& path, std::string_view text) {
  write_aside(path, [&](const std::string& temporary) {
    OutputFile file(temporary);
    file.write(text);
    file.close();
  });
}

}  // namespace weir
