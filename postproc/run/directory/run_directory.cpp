#include "postproc/run/directory/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "postproc/run/checkpoint.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/records.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.txt";
constexpr const char* head_line = "weir-run 1\n";
// Files of every run. A manifest names them from the start, so that after a power cut every file is listed.
constexpr const char* known_names[] = {
    "config.effective.toml", "run.json",     "history.csv",     "solves.csv",   "shadow.csv",   "shadow_summary.csv",
    "shadow_curves.csv",     "roofline.csv", "observatory.csv", "lifetime.csv", "events.jsonl", "report.html",
    "flight_recorder.json",  "relay.csv",    "decisions.csv",   "races.csv"};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Exit::usage, path + ": " + why + "; choose another directory (-o)");
}

bool is_old_run(const fs::path& path) {
  return fs::exists(path / "run.json") && fs::exists(path / "config.effective.toml");
}

bool holds_nothing_but_a_manifest(const std::string& path) {
  std::error_code error;
  const fs::directory_iterator entries(path, error);
  if (error) throw Error(Exit::file_io, "cannot read " + path + ": " + error.message());
  return std::all_of(begin(entries), end(entries),
                     [](const fs::directory_entry& e) { return e.path().filename() == manifest_name; });
}

// "owner PID HOST DATE" of the last owner.
std::string owner_text(const std::string& manifest) {
  std::stringstream lines(manifest);
  std::string line, word, pid, host, date;
  for (; std::getline(lines, line);)
    if (line.starts_with("owner ")) std::stringstream(line) >> word >> pid >> host >> date;
  return pid.empty() ? "another process" : "process " + pid + " on " + host + " (since " + date + ")";
}

std::string plain_path(const std::string& path) {
  std::string plain = fs::path(path).lexically_normal().string();
  if (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  return plain.empty() ? "." : plain;
}

// An altered manifest must not reach beyond its directory.
bool stays_inside(const std::string& name) {
  const fs::path p(name);
  return !name.empty() && p.is_relative() && std::ranges::none_of(p, [](const fs::path& part) { return part == ".."; });
}

}  // namespace

bool RunDirectory::is_run(const std::string& path) {
  const fs::path manifest = fs::path(path) / manifest_name;
  std::error_code error;
  return is_old_run(path) ||
         (fs::is_regular_file(manifest, error) && read_text(manifest.string()).starts_with(head_line));
}

RunDirectory::RunDirectory(const std::string& path, New how) : path_(plain_path(path)) {
  std::error_code error;
  if (fs::exists(path_, error)) {
    if (!fs::is_directory(path_)) throw Error(Exit::usage, path_ + ": exists and is not a directory");
    if (!is_run(path_) && !holds_nothing_but_a_manifest(path_)) refuse(path_, "exists and is not a run directory");
    if (is_old_run(path_) && !fs::exists(of(manifest_name)))
      refuse(path_,
             "contains a run of an older version of weir, which did not list its files; remove the folder by hand");
  }
  make_folder(path_);
  take_hold();
  const std::string manifest = read_manifest();
  if (manifest.starts_with(head_line)) {
    if (!how.overwrite)
      throw Error(Exit::usage, path_ + ": already holds a run; add --overwrite or choose another directory (-o)");
    read_names(manifest);
    refuse_full_links();
    remove_stale_temporaries();
    remove_all();
  } else if (!holds_nothing_but_a_manifest(path_)) {  // of another program, or made since
    refuse(path_, "exists and is not a run directory");
  }
  const bool is_begun = manifest.starts_with(head_line);  // that line stays: at any moment this is a run's manifest
  if (ftruncate(manifest_.file, is_begun ? static_cast<off_t>(std::strlen(head_line)) : 0) != 0)
    fail_to_write(of(manifest_name), errno);
  std::string head = (is_begun ? "" : head_line) + fmt::format("owner {} {} {}\n", getpid(), host_name(), date_text());
  for (const char* name : known_names) {
    names_.insert(name);
    head += std::string("file ") + name + "\n";
  }
  write_line(head);
  sync_file(manifest_.file, of(manifest_name));
  sync_folder(path_);
}

RunDirectory::RunDirectory(const std::string& path, Continued how) : path_(plain_path(path)) {
  take_hold();
  const std::string manifest = read_manifest();
  const bool is_listed = manifest.starts_with(head_line);
  if (!is_listed && !manifest.empty()) refuse(path_, "its manifest.txt was not written by a run");
  write_line((is_listed ? "" : head_line) + fmt::format("owner {} {} {}\n", getpid(), host_name(), date_text()));
  is_listed ? read_names(manifest) : adopt();
  sync_file(manifest_.file, of(manifest_name));
  sync_folder(path_);
  remove_stale_temporaries();
  supersede(how.step);
}

RunDirectory::Held::~Held() {
  if (file >= 0) close(file);
}

void RunDirectory::take_hold() {
  const std::string path = of(manifest_name);
  do manifest_.file = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  while (manifest_.file < 0 && errno == EINTR);
  if (manifest_.file < 0) fail_to_write(path, errno);
  int status = 0;
  do status = flock(manifest_.file, LOCK_EX | LOCK_NB);
  while (status != 0 && errno == EINTR);
  if (status == 0) return;
  const int reason = errno;
  if (reason != EWOULDBLOCK) {
    without_lock_ = std::string("the file system does not support file locks (") + std::strerror(reason) +
                    "): make sure that no other process writes into " + path_;
    return;
  }
  refuse(path_, owner_text(read_manifest()) + " is writing into it: wait until that process has ended");
}

// Error(file_io) if the directory or the manifest has been moved or removed: files made under its name now would belong
// to another run, or to none.
void RunDirectory::require_hold() const {
  struct stat held {
  }, there{};
  const bool is_there = fstat(manifest_.file, &held) == 0 && stat(of(manifest_name).c_str(), &there) == 0;
  if (!is_there || held.st_dev != there.st_dev || held.st_ino != there.st_ino)
    throw Error(Exit::file_io, path_ + ": was moved, removed or taken by another run while this one wrote into it");
}

std::string RunDirectory::found() const {
  std::error_code error;
  const std::string manifest = fs::read_symlink("/proc/self/fd/" + std::to_string(manifest_.file), error).string();
  return error || manifest.ends_with(" (deleted)") ? "" : folder_of(manifest);
}

// Such a folder belongs to the user: no run that listed it here has written files elsewhere through it.
bool RunDirectory::lies_behind_a_link(const std::string& name) const {
  std::error_code error;
  for (fs::path folder = fs::path(name).parent_path(); !folder.empty(); folder = folder.parent_path())
    if (fs::is_symlink(fs::symlink_status(of(folder.string()), error))) return true;
  return false;
}

void RunDirectory::making_folder(const std::string& path) {
  if (path == path_ ? manifest_.file >= 0 : !relative(path).empty()) require_hold();
}

std::string RunDirectory::read_manifest() const { return read_text(of(manifest_name)); }

void RunDirectory::read_names(const std::string& manifest) {
  std::stringstream lines(manifest);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("file ") && stays_inside(line.substr(5))) names_.insert(line.substr(5));
  if (!lies_behind_a_link("checkpoints/any"))
    for (const auto& [step, file] : list_checkpoints(of("checkpoints"))) names_.insert(relative(file));
}

// A single write, so that a kill leaves all of it or nothing.
void RunDirectory::write_line(const std::string& line) {
  ssize_t n = 0;
  do n = write(manifest_.file, line.data(), line.size());
  while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(line.size())) fail_to_write(of(manifest_name), n < 0 ? errno : ENOSPC);
}

// The files of a run of an older version, recognised by their names.
void RunDirectory::adopt() {
  for (const char* name : known_names)
    if (fs::exists(of(name))) making(of(name));
  for (const char* folder : {"vtk", "checkpoints", "capsules", "probes", "surface"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(of(folder), error)) {
      const std::string name = entry.path().filename().string();
      if (step_in_name(name) >= 0 || name.ends_with(".pvd") || name.ends_with(".csv")) making(entry.path().string());
    }
  }
}

std::string RunDirectory::relative(const std::string& path) const {
  const std::string plain = fs::path(path).lexically_normal().string();
  if (path_ == ".") return stays_inside(plain) ? plain : "";
  return plain.starts_with(path_ + "/") ? plain.substr(path_.size() + 1) : "";
}

void RunDirectory::making(const std::string& path) {
  const std::string name = relative(path);
  if (name.empty()) return;
  require_hold();
  folders_.insert(folder_of(path));
  if (!names_.insert(name).second) return;
  write_line("file " + name + "\n");
  is_synced_ = is_synced_ && name.starts_with("checkpoints/");  // those are found without it
}

void RunDirectory::renamed(const std::string& from, const std::string& to) {
  if (relative(to).empty()) return;
  if (from != last_synced_) files_.insert(to);
  folders_.insert(folder_of(to));
}

void RunDirectory::sync() {
  for (const std::string& file : std::set<std::string>(files_)) {
    std::error_code error;
    if (fs::exists(file, error)) sync_file(file);
  }
  if (!is_synced_) sync_file(manifest_.file, of(manifest_name));
  is_synced_ = true;
  for (const std::string& folder : std::set<std::string>(folders_)) sync_folder(folder);
  files_.clear();
  folders_.clear();
}

// Files of a new run would replace the files that a user's link refers to, possibly those of another run.
void RunDirectory::refuse_full_links() const {
  std::set<std::string> folders{"vtk", "checkpoints", "capsules", "probes", "surface"};
  for (const std::string& name : names_) folders.insert(fs::path(name).parent_path().string());
  for (const std::string& folder : folders) {
    std::error_code error;
    if (folder.empty() || !lies_behind_a_link(folder + "/any") || !fs::is_directory(of(folder), error)) continue;
    if (!fs::is_empty(of(folder), error))
      refuse(
          path_,
          folder +
              " is a link to a folder with files, which those of this run might replace: empty it or remove the link");
  }
}

// The manifest names them until the last one is removed.
void RunDirectory::remove_all() {
  std::set<std::string> folders;
  for (const std::string& name : names_) {
    if (lies_behind_a_link(name)) continue;
    remove_file(of(name));
    for (fs::path folder = fs::path(name).parent_path(); !folder.empty(); folder = folder.parent_path())
      folders.insert(folder.string());
  }
  std::error_code ignored;  // not empty: it contains files of the user
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) fs::remove(of(*folder), ignored);
  names_.clear();
}

// "NAME.HOST-PID.partial" next to a file of the run: its process has ended, since this one has the lock.
void RunDirectory::remove_stale_temporaries() {
  std::set<std::string> folders;
  for (const std::string& name : names_)
    if (!lies_behind_a_link(name)) folders.insert(folder_of(of(name)));
  for (const std::string& folder : folders) {
    std::error_code error;
    std::vector<std::string> stale;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".partial")) continue;
      for (std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > folder.size();
           dot = path.rfind('.', dot - 1))
        if (names_.contains(relative(path.substr(0, dot)))) stale.push_back(path);
    }
    for (const std::string& path : stale) remove_file(path);
  }
}

}  // namespace weir
