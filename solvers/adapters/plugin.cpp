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

void* plugin_function(const std::string& name, const char* function) {
  const std::string path = path_of(name);
  if (!std::filesystem::exists(path))
    throw Error(Exit::usage, path + " is missing; it must be in the folder of the program");
  void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // the same handle on later calls
  if (!plugin) throw Error(Exit::usage, std::string("cannot load ") + dlerror());
  void* found = dlsym(plugin, function);
  if (!found) throw Error(Exit::usage, path + " has another version: missing function " + function);
  return found;
}

PeerLibrary library_in_plugin(const char* name) {
  const std::string plugin = std::string("weir_") + name;
  std::error_code error;
  return {name, std::filesystem::exists(path_of(plugin), error),
          [=](const std::string& what, const KrylovOptions& options) {
            auto* make = reinterpret_cast<MakePeer*>(plugin_function(plugin, "weir_make_peer"));
            return std::unique_ptr<Peer>(make(name, what, options));
          }};
}

}  // namespace weir
