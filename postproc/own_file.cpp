#include "postproc/own_file.hpp"

#include <filesystem>

namespace weir {

std::string own_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/weir" / path;
  return fs::exists(installed, error) ? installed.string() : WEIR_SOURCE_DIR "/" + path;
}

}  // namespace weir
