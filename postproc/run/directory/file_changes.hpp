// Changes of the files of a run. Their order decides the state after a power cut: sync_file writes the content of a
// file to the disk, sync_folder the names in a folder, and a rename is atomic. All throw Error(file_io) with the path
// and the reason.
#pragma once
#include <string>

namespace weir {

// Is called at each change during its lifetime: the manifest of a run, and tests that simulate a power cut.
class FileListener {
 public:
  FileListener();
  virtual ~FileListener();
  FileListener(const FileListener&) = delete;
  FileListener& operator=(const FileListener&) = delete;
  virtual void making(const std::string& /*path*/) {}  // before the file exists
  virtual void synced(const std::string& /*path*/) {}
  virtual void renamed(const std::string& /*from*/, const std::string& /*to*/) {}
  virtual void removed(const std::string& /*path*/) {}
  virtual void making_folder(const std::string& /*path*/) {}
  virtual void made_folder(const std::string& /*path*/) {}
  virtual void synced_folder(const std::string& /*path*/) {}
};

// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return file_; }

 private:
  int file_;
};

void tell_making(const std::string& path);
void sync_file(int descriptor, const std::string& path);
void sync_file(const std::string& path);
void rename_file(const std::string& from, const std::string& to);
void remove_file(const std::string& path);  // without an error where this fails
void make_folder(const std::string& path);  // and its parents, with their names synced
void sync_folder(const std::string& path);  // without an error where the file system does not support it
std::string folder_of(const std::string& path);

// "cannot write PATH: reason"; `reason` is an errno value.
[[noreturn]] void fail_to_write(const std::string& path, int reason);

}  // namespace weir
