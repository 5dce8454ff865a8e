#include "postproc/run/write_aside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace weir {

// No two processes have it, on no two machines.
std::string temporary_name(const std::string& path) {
  char host[64] = {};
  gethostname(host, sizeof host - 1);
  return path + "." + host + "-" + std::to_string(getpid()) + ".partial";
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

void write_aside(const std::string& path, const std::function<void(const std::string&)>& write, Sync when) {
  tell_making(path);
  make_folder(folder_of(path));
  const std::string temporary = temporary_name(path);
  try {
    write(temporary);
    if (when == Sync::now) sync_file(temporary);
    rename_file(temporary, path);
  } catch (...) {
    remove_file(temporary);
    throw;
  }
}

void reserve_file(const std::string& path, std::int64_t bytes) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file < 0) fail_to_write(path, errno);
  int status = 0;
  do status = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  while (status == EINTR);
  if (status != 0 && status != EOPNOTSUPP && status != EINVAL) fail_to_write(path, status);
}

void write_text_aside(const std::string& path, std::string_view text) {
  write_aside(path, [&](const std::string& temporary) {
    OutputFile file(temporary);
    file.write(text);
    file.close();
  });
}

}  // namespace weir
