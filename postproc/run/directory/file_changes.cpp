#include "postproc/run/directory/file_changes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.hpp"

namespace weir {
namespace {

// One list per process, like its open files.
std::vector<FileListener*>& listeners() {
  static std::vector<FileListener*> list;
  return list;
}

template <class Tell>
void tell(const Tell& how) {
  for (FileListener* l : listeners()) how(*l);
}

int open_again(const std::string& path, int flags) {
  int file = -1;
  do file = open(path.c_str(), flags | O_CLOEXEC);
  while (file < 0 && errno == EINTR);
  return file;
}

int sync(int descriptor) {
  int status = 0;
  do status = fsync(descriptor);
  while (status != 0 && errno == EINTR);
  return status == 0 ? 0 : errno;
}

}  // namespace

Descriptor::~Descriptor() {
  if (file_ >= 0) close(file_);
}

FileListener::FileListener() { listeners().push_back(this); }
FileListener::~FileListener() { std::erase(listeners(), this); }

void fail_to_write(const std::string& path, int reason) {
  throw Error(Exit::file_io, "cannot write " + path + ": " + (reason ? std::strerror(reason) : "unknown reason"));
}

void tell_making(const std::string& path) {
  tell([&](FileListener& l) { l.making(path); });
}

void sync_file(int descriptor, const std::string& path) {
  if (const int reason = sync(descriptor); reason != 0 && reason != EINVAL && reason != EROFS)
    fail_to_write(path, reason);  // those two: a pipe, a device
  tell([&](FileListener& l) { l.synced(path); });
}

void sync_file(const std::string& path) {
  const Descriptor file(open_again(path, O_RDONLY));
  if (file < 0) fail_to_write(path, errno);
  sync_file(file, path);
}

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_to_write(to, errno);
  tell([&](FileListener& l) { l.renamed(from, to); });
}

void remove_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::remove(path, ignored)) tell([&](FileListener& l) { l.removed(path); });
}

void make_folder(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) return;
  const std::string above = folder_of(path);
  if (above != path) make_folder(above);
  tell([&](FileListener& l) { l.making_folder(path); });
  std::filesystem::create_directory(path, error);
  if (error) throw Error(Exit::file_io, "cannot create " + path + ": " + error.message());
  tell([&](FileListener& l) { l.made_folder(path); });
  sync_folder(above);
}

void sync_folder(const std::string& path) {
  const Descriptor folder(open_again(path.empty() ? "." : path, O_RDONLY | O_DIRECTORY));
  if (folder < 0) return;
  const int reason = sync(folder);
  if (reason == EIO || reason == ENOSPC || reason == EDQUOT) fail_to_write(path, reason);
  if (reason == 0) tell([&](FileListener& l) { l.synced_folder(path); });
}

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

}  // namespace weir
