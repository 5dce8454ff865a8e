#include "base/find_file.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/table_node.hpp"

namespace weir {

namespace fs = std::filesystem;

std::string find_file(const Table& t, std::string_view key, const std::string& what, const std::string& prefix) {
  const auto name = t.get<std::string>(key).substr(prefix.size());
  const std::string place = t.where(key);  // "folder/case.toml:12"; not a path for values of --set
  const std::string case_file = place.substr(0, place.rfind(':'));
  const fs::path beside = fs::path(case_file).parent_path() / name;
  std::error_code ignored;
  for (const fs::path& path : {beside, fs::path(name)})
    if (const fs::file_status status = fs::status(path, ignored); fs::exists(status)) {
      if (fs::is_directory(status)) t.fail(key, "'" + path.string() + "' is a folder, expected a " + what);
      if (fs::is_character_file(status) || fs::is_block_file(status))
        t.fail(key, "'" + path.string() + "' is a device, expected a " + what);
      t.node()->find(key)->text =
          prefix + fs::absolute(path).lexically_normal().string();  // for the effective configuration
      return path.string();
    }
  const std::string both = beside.string() == name ? "" : ", nor '" + beside.string() + "' beside the case file";
  throw Error(Exit::usage, place + ": there is no " + what + " '" + name + "' in the current folder" + both);
}

}  // namespace weir
