// Optional libraries and what each of them is needed for, for `weir list libraries` and messages.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace weir {

struct OptionalLibrary {
  std::string_view name;     // as in weir_uses (cmake/weir.cmake)
  std::string_view package;  // of Debian and Ubuntu; empty: no package
  std::string_view adds;
};
std::span<const OptionalLibrary> optional_libraries();

// "this build lacks HDF5 (Debian package libhdf5-dev)"; case-insensitive name.
std::string lacks(std::string_view name);

// How to install the library: "Debian package libhdf5-dev".
std::string brought_by(const OptionalLibrary& library);

}  // namespace weir
