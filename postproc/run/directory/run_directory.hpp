// A run's directory, its one owner, and the files that are the run's. manifest.txt makes a directory a run: it is made before
// anything else, locked by the process that writes here (the lock dies with it), and names each file before it is made:
//
//   weir-run 1
//   owner 4711 node7 2026-11-22T18:35:00Z
//   file history.csv
//
// What it does not name belongs to somebody else and is never touched.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "postproc/run/directory/file_changes.hpp"

namespace weir {

class RunDirectory final : public FileListener {
 public:
  // A new run. Error(usage) where the directory is in use, holds a run (and `overwrite` does not say that it may go), or holds
  // anything else. --overwrite removes what the manifest names.
  struct New {
    bool overwrite = false;
  };
  RunDirectory(const std::string& path, New how);
  // The same run goes on after `step`. What it holds of later steps goes to superseded/STEP/, later checkpoints first: at any
  // moment the newest checkpoint has its records beside it. A run that an older Weir wrote has no manifest and gets one.
  struct Continued {
    std::int64_t step = 0;
  };
  RunDirectory(const std::string& path, Continued how);

  // By its manifest, or as an older Weir left it.
  static bool is_run(const std::string& path);

  bool names(const std::string& path) const { return names_.contains(relative(path)); }  // as the run's
  // Puts names, and files that were written with Sync::later, on the disk.
  void sync();
  const std::string& superseded() const { return superseded_; }      // the folder, relative; empty: nothing was later
  const std::string& without_lock() const { return without_lock_; }  // why the file system keeps none; empty: it does

 private:
  void making(const std::string& path) override;
  void making_folder(const std::string& path) override;
  void written(const std::string& path) override;
  void synced(const std::string& path) override { last_synced_ = path; }
  void renamed(const std::string& from, const std::string& to) override;
  void synced_folder(const std::string& path) override { folders_.erase(path); }

  void take_hold();
  void require_hold() const;
  bool lies_behind_a_link(const std::string& name) const;
  std::string read_manifest() const;
  void read_names(const std::string& manifest);
  void write_line(const std::string& line);
  void adopt();
  void remove_all();
  void remove_stale_temporaries();
  void supersede(std::int64_t step);
  bool supersede_checkpoints(std::int64_t step);
  bool supersede_records(std::int64_t step, std::vector<std::string>& without_step);
  bool cut_series(const std::string& name, std::int64_t step);
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
