// What checkpoints share with and without HDF5: looking up arrays, and the files of a folder.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/error.hpp"
#include "postproc/run/checkpoint.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

template <class T>
const std::vector<T>& look_up(const std::vector<std::pair<std::string, std::vector<T>>>& arrays,
                              const std::string& path, const std::string& name, std::int64_t size) {
  for (const auto& [key, values] : arrays) {
    if (key != name) continue;
    if (static_cast<std::int64_t>(values.size()) == size) return values;
    throw Error(Exit::file_io, path + ": its '" + name + "' has " + std::to_string(values.size()) + " values, " +
                                   std::to_string(size) + " are expected: another grid or another space layout");
  }
  throw Error(Exit::file_io, path + ": holds no '" + name + "'");
}

}  // namespace

const std::vector<double>& Checkpoint::doubles(const std::string& name, std::int64_t size) const {
  return look_up(arrays, path, name, size);
}
const std::vector<std::int64_t>& Checkpoint::integers(const std::string& name, std::int64_t size) const {
  return look_up(integer_arrays, path, name, size);
}

std::string checkpoint_name(std::int64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < 8) digits.insert(0, 8 - digits.size(), '0');
  return "step_" + digits + ".h5";
}

std::vector<std::pair<std::int64_t, std::string>> list_checkpoints(const std::string& folder) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("step_") || !name.ends_with(".h5")) continue;
    std::int64_t step = 0;
    const char *from = name.data() + 5, *to = name.data() + name.size() - 3;
    if (std::from_chars(from, to, step).ptr == to) found.emplace_back(step, entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void prune_checkpoints(const std::string& folder, std::int64_t step, int keep) {
  std::error_code ignored;  // a file that stays does no harm
  auto files = list_checkpoints(folder);
  for (const auto& [its_step, path] : files)
    if (its_step > step) fs::remove(path, ignored);
  std::erase_if(files, [step](const auto& file) { return file.first > step; });
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < files.size(); ++i) fs::remove(files[i].second, ignored);
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".partial") fs::remove(entry.path(), ignored);
}

}  // namespace weir
