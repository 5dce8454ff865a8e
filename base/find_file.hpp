#pragma once
#include <string>
#include <string_view>

#include "base/table.hpp"

namespace weir {

// The path of the file that a key of the case names: beside the case file, or in the current folder. `what` is for the
// message: "mesh file". Error(Exit::usage) where there is none, or a folder or a device. prefix: what the key says before it.
std::string find_file(const Table& t, std::string_view key, const std::string& what, const std::string& prefix = "");

}  // namespace weir
