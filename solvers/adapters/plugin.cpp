#include "solvers/adapters/plugin.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.hpp"

namespace weir {
namespace {

std::string path_of(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / (name + ".so")).string();
}

}  // namespace

bool has_plugin(const std::string& name) {
  std::error_code error;
  return std::filesystem::exists(path_of(name), error);
}

void* plugin_function(const std::string& name, const char* function) {
  const std::string path = path_of(name);
  if (!has_plugin(name)) throw Error(Exit::usage, path + " is missing; it must lie beside the program");
  void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // the second time: the same one
  if (!plugin) throw Error(Exit::usage, std::string("cannot load ") + dlerror());
  void* found = dlsym(plugin, function);
  if (!found) throw Error(Exit::usage, path + " is of another version: it lacks " + function);
  return found;
}

}  // namespace weir
