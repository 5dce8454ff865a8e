// The files that a case names.
#pragma once
#include <string>
#include <string_view>

#include "base/table.hpp"

namespace weir {

// The path of the file that a key of the case names: beside the case file, or in the current folder. `what` is for the
// message where there is none: "mesh file".
std::string find_file(const Table& t, std::string_view key, const std::string& what);

// All bytes of a file. Error(Exit::file_io) where it cannot be read.
std::string content_of(const std::string& path, const std::string& what);

}  // namespace weir
