#include "mesh/read/files.hpp"

#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace weir {

namespace fs = std::filesystem;

std::string find_file(const Table& t, std::string_view key, const std::string& what) {
  const auto name = t.get<std::string>(key);
  const std::string place = t.where(key);  // "folder/case.toml:12"; not a path where --set gave it
  const std::string case_file = place.substr(0, place.rfind(':'));
  const fs::path beside = fs::path(case_file).parent_path() / name;
  std::error_code ignored;
  if (fs::exists(beside, ignored)) return beside.string();
  if (fs::exists(name, ignored)) return name;
  const std::string both = beside.string() == name ? "" : ", nor '" + beside.string() + "' beside the case file";
  throw Error(Exit::file_io, place + ": there is no " + what + " '" + name + "' in the current folder" + both);
}

std::string content_of(const std::string& path, const std::string& what) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw Error(Exit::file_io, path + ": a folder, not a " + what);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Exit::file_io, path + ": cannot open the " + what);
  constexpr std::size_t chunk = std::size_t{1} << 20;
  std::string text;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error) text.reserve(size + chunk);
  while (file) {
    const std::size_t old = text.size();
    text.resize(old + chunk);
    file.read(text.data() + old, chunk);
    text.resize(old + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(Exit::file_io, path + ": cannot read the " + what);
  return text;
}

}  // namespace weir
