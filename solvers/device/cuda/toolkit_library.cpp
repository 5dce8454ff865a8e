#include "solvers/device/cuda/toolkit_library.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "base/error.hpp"

namespace weir::backend {

ToolkitLibrary::ToolkitLibrary(const char* name, int version) {
  const std::string file = "lib" + std::string(name) + ".so." + std::to_string(version);
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& folder : {std::string(), home ? home + std::string("/lib64/") : std::string(),
                                    std::string("/usr/local/cuda/lib64/"), std::string("/usr/local/cuda/lib/")}) {
    handle_ = dlopen((folder + file).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle_) return;
    if (error_.empty()) error_ = dlerror();
  }
}

void* ToolkitLibrary::address(const char* name) const {
  if (!handle_) throw Error(Exit::no_device, error_);
  void* const p = dlsym(handle_, name);
  if (!p) throw Error(Exit::no_device, dlerror());
  return p;
}

}  // namespace weir::backend
