// STL surfaces, ASCII and binary (a binary file may start with "solid" too: the size decides). Equal corners are
// merged. Safe repairs are made and reported; other faults are refused with the triangle's line (ASCII) or
// number (binary):
//
//   repaired  degenerate and repeated triangles, corners that differ by rounding, triangles with reversed orientation,
//             shells inside out
//   refused   truncated files, wrong counts, infinite numbers, NaN, open edges, edges of three triangles or more,
//             one-sided surfaces, intersecting triangles
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/body/surface.hpp"

namespace weir {

// Errors are Error(Exit::usage) and start with `name`; repairs are appended to `messages`.
Surface parse_stl(std::string_view bytes, const std::string& name, std::vector<std::string>* messages = nullptr);
Surface read_stl(const std::string& path, std::vector<std::string>* messages = nullptr);

}  // namespace weir
