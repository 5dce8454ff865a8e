// What this process does to the files of a run, where the order decides what a power cut leaves: sync_file puts the content
// of a file on the disk, sync_folder the names in a folder, and a rename is whole or not at all. All throw Error(file_io)
// with the path and the reason.
#pragma once
#include <string>

namespace weir {

// Hears of each change while it lives: the manifest of a run, and tests that play back what a power cut would leave.
class FileListener {
 public:
  FileListener();
  virtual ~FileListener();
  FileListener(const FileListener&) = delete;
  FileListener& operator=(const FileListener&) = delete;
  virtual void making(const std::string& /*path*/) {}   // before it is there, and before anything lies beside it
  virtual void written(const std::string& /*path*/) {}  // in its place, not synced
  virtual void synced(const std::string& /*path*/) {}
  virtual void renamed(const std::string& /*from*/, const std::string& /*to*/) {}
  virtual void removed(const std::string& /*path*/) {}
  virtual void making_folder(const std::string& /*path*/) {}
  virtual void made_folder(const std::string& /*path*/) {}
  virtual void synced_folder(const std::string& /*path*/) {}
};

void tell_making(const std::string& path);
void tell_written(const std::string& path);
void sync_file(int descriptor, const std::string& path);
void sync_file(const std::string& path);
void rename_file(const std::string& from, const std::string& to);
void remove_file(const std::string& path);  // one that is not there, or stays, does no harm
void make_folder(const std::string& path);  // and those above it; their names are on the disk then
void sync_folder(const std::string& path);  // some file systems refuse this: no error
std::string folder_of(const std::string& path);

// "cannot write PATH: reason"; `reason` is an errno value.
[[noreturn]] void fail_to_write(const std::string& path, int reason);

}  // namespace weir
