#include "postproc/own_file.hpp"

#include <filesystem>

namespace weir {

std::string own_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path prefix = program.parent_path().parent_path(), source = WEIR_SOURCE_DIR;
  for (const fs::path& folder : {prefix / "share/weir", source, prefix.parent_path()})
    if (fs::exists(folder / path, error)) return (folder / path).string();
  return (source / path).string();
}

}  // namespace weir
