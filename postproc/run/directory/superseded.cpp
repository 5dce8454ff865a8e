// RunDirectory: moves the results of later steps aside when a run restarts from an earlier one.
#include <algorithm>
#include <filesystem>

#include "postproc/run/checkpoint.hpp"
#include "postproc/run/directory/run_directory.hpp"
#include "postproc/run/records.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// Files that describe the case or all steps.
bool stays(const std::string& name) {
  return name == "config.effective.toml" || name.starts_with("superseded/") || name.starts_with("checkpoints/") ||
         name.starts_with("capsules/pattern_");
}

// The entries of a moved .pvd whose files were moved before it.
std::string with_fields_of(const std::string& folder, const std::string& pvd) {
  std::string text;
  for (std::size_t at = 0, end; (end = pvd.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = pvd.substr(at, end + 1 - at);
    const std::size_t name = line.find("file=\"");
    if (name == std::string::npos ||
        fs::exists(folder + "/" + line.substr(name + 6, line.find('"', name + 6) - name - 6)))
      text += line;
  }
  return text;
}

}  // namespace

void RunDirectory::supersede(std::int64_t step) {
  std::string folder = "superseded/" + std::to_string(step);
  for (int again = 2; fs::exists(of(folder)); ++again)
    folder = "superseded/" + std::to_string(step) + "_" + std::to_string(again);
  superseded_ = folder;
  std::vector<std::string> without_step;
  bool is_any = supersede_checkpoints(step);
  is_any |= supersede_records(step, without_step);
  if (!is_any) return superseded_.clear();
  for (const std::string& name : without_step) set_aside(name);  // results of the previous end
  sync();
}

void RunDirectory::set_aside(const std::string& name) {
  const std::string to = of(superseded_ + "/" + name);
  make_folder(folder_of(to));
  making(to);
  rename_file(of(name), to);
}

// The newest first, and on the disk before a record is cut.
bool RunDirectory::supersede_checkpoints(std::int64_t step) {
  auto files = list_checkpoints(of("checkpoints"));
  std::erase_if(files, [step](const auto& file) { return file.first <= step; });
  std::ranges::reverse(files);
  for (const auto& [its_step, path] : files) set_aside("checkpoints/" + checkpoint_name(its_step));
  if (files.empty()) return false;
  sync_folder(of(superseded_ + "/checkpoints"));
  sync_folder(of("checkpoints"));
  return true;
}

bool RunDirectory::supersede_records(std::int64_t step, std::vector<std::string>& without_step) {
  bool is_any = false;
  std::vector<std::string> lists;  // .pvd: after their files
  const auto split = [&](const std::string& name) {
    auto parts = split_at_step(of(name), step);
    if (!parts) return without_step.push_back(name);
    if (name.ends_with(".pvd")) parts->later = with_fields_of(folder_of(of(superseded_ + "/" + name)), parts->later);
    is_any |= !parts->later.empty();
    if (!parts->later.empty()) write_text_aside(of(superseded_ + "/" + name), parts->later);
    if (parts->kept != read_text(of(name))) write_text_aside(of(name), parts->kept);
  };
  for (const std::string& name : std::set<std::string>(names_)) {
    std::error_code error;
    if (stays(name) || !fs::is_regular_file(of(name), error)) continue;
    if (name.ends_with(".pvd")) {
      lists.push_back(name);
    } else if (const std::int64_t its_step = step_in_name(name); its_step >= 0) {
      if (its_step <= step) continue;
      set_aside(name);
      is_any = true;
    } else if (name.ends_with(".csv") || name.ends_with(".jsonl")) {
      split(name);
    } else {
      without_step.push_back(name);
    }
  }
  for (const std::string& name : lists) split(name);
  return is_any;
}

}  // namespace weir
