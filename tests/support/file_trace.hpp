// Records what a program does to its files, with the content of each file whenever it is synced or renamed, so that a
// test can make of it what a power cut at any point would leave (tests/attack/power_cut.py). One line an operation in
// FOLDER/trace; contents are FOLDER/0, FOLDER/1, ...
#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include "postproc/run/directory/file_changes.hpp"

namespace weir::testing {

class FileTrace : public FileListener {
 public:
  explicit FileTrace(std::string folder) : folder_(std::move(folder)), trace_(folder_ + "/trace", std::ios::app) {
    while (std::filesystem::exists(folder_ + "/" + std::to_string(contents_))) ++contents_;
  }
  void making(const std::string& path) override { line("make", path); }
  void synced(const std::string& path) override { line("sync", path, keep(path)); }
  void renamed(const std::string& from, const std::string& to) override { line("rename", from, to, keep(to)); }
  void removed(const std::string& path) override { line("remove", path); }
  void made_folder(const std::string& path) override { line("mkdir", path); }
  void synced_folder(const std::string& path) override { line("folder", path); }

 private:
  std::string keep(const std::string& path) {
    std::filesystem::copy_file(path, folder_ + "/" + std::to_string(contents_));
    return std::to_string(contents_++);
  }
  template <class... Words>
  void line(const Words&... words) {
    ((trace_ << words << '|'), ...);
    trace_ << std::endl;
  }
  std::string folder_;
  std::ofstream trace_;
  int contents_ = 0;
};

}  // namespace weir::testing
