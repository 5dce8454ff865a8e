// Libraries that a build of Weir may lack, and what each of them adds: the one list, for `weir list libraries` and for messages.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace weir {

struct OptionalLibrary {
  std::string_view name;     // as weir_uses (cmake/weir.cmake) names it
  std::string_view package;  // of Debian and Ubuntu; empty: none
  std::string_view adds;
};
std::span<const OptionalLibrary> optional_libraries();

// "this build lacks HDF5 (Debian package libhdf5-dev)"; the name in upper or lower case.
std::string lacks(std::string_view name);

// "Debian package libhdf5-dev", or what else brings it.
std::string brought_by(const OptionalLibrary& library);

}  // namespace weir
