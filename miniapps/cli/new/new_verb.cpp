// weir new: a working starter for the user's own code.
#include <filesystem>

#include "base/error.hpp"
#include "base/print.hpp"
#include "miniapps/cli/verbs.hpp"
#include "postproc/own_file.hpp"

namespace weir {

namespace fs = std::filesystem;

int write_new(const std::string& what, const std::string& directory) {
  if (what != "plugin") throw Error(Exit::usage, "only plugins can be created: weir new plugin DIR");
  if (fs::exists(directory) && !fs::is_empty(directory))
    throw Error(Exit::usage, directory + " already exists and is not empty");
  const fs::path example = own_file("inputs/plugins/sgs");
  try {
    fs::create_directories(directory);
    for (const char* file : {"sgs.cpp", "CMakeLists.txt", "cavity.toml"})
      fs::copy_file(example / file, fs::path(directory) / file);
    fs::copy_file(own_file("solvers/plugin/weir_plugin.h"), fs::path(directory) / "weir_plugin.h");
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
