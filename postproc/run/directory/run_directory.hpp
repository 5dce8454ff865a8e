// A run's directory, the process that owns it, and its files. manifest.txt identifies a run directory. It is made
// first, is locked by the process that writes here (the lock ends with the process), and names each file before it is
// made:
//
//   weir-run 1
//   owner 4711 node7 2026-11-22T18:35:00Z
//   file history.csv
//
// Files that it does not name belong to the user and are never changed.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "postproc/run/directory/file_changes.hpp"

namespace weir {

class RunDirectory final : public FileListener {
 public:
  // A new run. Error(usage) if the directory is in use, contains a run (unless `overwrite` is set), or contains
  // anything else. --overwrite removes the files that the manifest names.
  struct New {
    bool overwrite = false;
  };
  RunDirectory(const std::string& path, New how);
  // The same run continues after `step`. Results of later steps are moved to superseded/STEP/, later checkpoints first,
  // so that the newest checkpoint always has its records. A run of an older version has no manifest and gets one.
  struct Continued {
    std::int64_t step = 0;
  };
  RunDirectory(const std::string& path, Continued how);

  // True if the directory has a manifest, or the files of an older version.
  static bool is_run(const std::string& path);

  // The current path of the directory, which another program may have moved; empty: it has been removed.
  std::string found() const;
  bool names(const std::string& path) const { return names_.contains(relative(path)); }  // as the run's
  // Syncs names and the files that were written with Sync::later.
  void sync();
  const std::string& superseded() const { return superseded_; }      // the folder, relative; empty: nothing was later
  const std::string& without_lock() const { return without_lock_; }  // why the file system has no locks; empty: it has

 private:
  void making(const std::string& path) override;
  void making_folder(const std::string& path) override;
  void synced(const std::string& path) override { last_synced_ = path; }
  void renamed(const std::string& from, const std::string& to) override;
  void synced_folder(const std::string& path) override { folders_.erase(path); }

  void take_hold();
  void require_hold() const;
  bool lies_behind_a_link(const std::string& name) const;
  void refuse_full_links() const;
  std::string read_manifest() const;
  void read_names(const std::string& manifest);
  void write_line(const std::string& line);
  void adopt();
  void remove_all();
  void remove_stale_temporaries();
  void supersede(std::int64_t step);
  bool supersede_checkpoints(std::int64_t step);
  bool supersede_records(std::int64_t step, std::vector<std::string>& without_step);
  void set_aside(const std::string& name);
  std::string of(const std::string& name) const { return path_ + "/" + name; }
  std::string relative(const std::string& path) const;  // empty: not inside

  struct Held {  // the manifest, and with it its lock
    int file = -1;
    ~Held();
  };
  std::string path_, superseded_, without_lock_, last_synced_;
  Held manifest_;
  bool is_synced_ = true;                  // the manifest is
  std::set<std::string> names_;            // relative
  std::set<std::string> files_, folders_;  // that are not on the disk yet
};

}  // namespace weir
