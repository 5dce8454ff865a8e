// STL surfaces, ASCII and binary (a binary file may begin with "solid" too: the size tells). Equal corners are welded; what can be
// repaired is, and said; the rest is refused with the triangle's line (ASCII) or number (binary):
//
//   repaired  degenerate and repeated triangles, corners that miss each other by rounding, triangles turned against their
//             neighbours, shells inside out
//   refused   truncated files and counts that lie, numbers that are not finite, open edges, edges of more than two triangles,
//             one-sided surfaces, triangles that cross each other
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/body/surface.hpp"

namespace weir {

// Errors are Error(Exit::usage) and begin with `name`; repairs are put to `messages`.
Surface parse_stl(std::string_view bytes, const std::string& name, std::vector<std::string>* messages = nullptr);
Surface read_stl(const std::string& path, std::vector<std::string>* messages = nullptr);

}  // namespace weir
