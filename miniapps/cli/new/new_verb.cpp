// weir new: the beginning of something of the user's own, which works as it is.
#include <filesystem>

#include "base/error.hpp"
#include "base/print.hpp"
#include "miniapps/cli/verbs.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

// Of the source tree, or of an installed Weir.
fs::path found(const fs::path& in_tree, const fs::path& installed) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {fs::path(WEIR_SOURCE_DIR) / in_tree, program / ".." / installed})
    if (fs::exists(path, error)) return path;
  throw Error(Exit::file_io, "the example " + in_tree.string() + " is missing here");
}

}  // namespace

int write_new(const std::string& what, const std::string& directory) {
  if (what != "plugin") throw Error(Exit::usage, "weir new makes a plugin: weir new plugin DIR");
  if (fs::exists(directory) && !fs::is_empty(directory))
    throw Error(Exit::usage, directory + " is there already and not empty");
  const fs::path example = found("inputs/plugins/sgs", "share/weir/plugins/sgs"),
                 header = found("solvers/plugin/weir_plugin.h", "include/weir/weir_plugin.h");
  try {
    fs::create_directories(directory);
    for (const char* file : {"sgs.cpp", "CMakeLists.txt", "cavity.toml"})
      fs::copy_file(example / file, fs::path(directory) / file);
    fs::copy_file(header, fs::path(directory) / "weir_plugin.h");
  } catch (const fs::filesystem_error& error) {
    throw Error(Exit::file_io, error.what());
  }
  say("{0}: sgs.cpp, CMakeLists.txt, weir_plugin.h, cavity.toml\n\n  cmake -S {0} -B {0}/build && cmake --build "
      "{0}/build\n"
      "  weir run {0}/cavity.toml\n",
      directory);
  return static_cast<int>(Exit::finished);
}

}  // namespace weir
