// A library of the CUDA toolkit, loaded when it is first used: a program starts, and most of it works, without the
// toolkit.
#pragma once
#include <string>

namespace weir::backend {

class ToolkitLibrary {
 public:
  // lib<name>.so.<version>, where the loader finds it, in $CUDA_HOME and in /usr/local/cuda. Never unloaded.
  ToolkitLibrary(const char* name, int version);
  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }  // why it is not there
  // Error(no_device) where the library is missing or has no such function. F: a function's type.
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace weir::backend
