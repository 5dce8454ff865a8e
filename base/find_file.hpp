#pragma once
#include <string>
#include <string_view>

#include "base/table.hpp"

namespace weir {

// The path of the file that a key names, relative to the case file or to the current folder. `what` is used in
// messages: "mesh file"; `prefix` precedes the path in the value. Throws Error(Exit::usage) if the file does not
// exist or is a folder or device.
std::string find_file(const Table& t, std::string_view key, const std::string& what, const std::string& prefix = "");

}  // namespace weir
