// A polygon from a file as the surface of a 2D body.
#pragma once
#include <string>
#include <string_view>

#include "mesh/body/surface.hpp"

namespace weir {

// The text has one corner "x y" per line, separated by blanks or commas, in order around the polygon in either
// direction. The last corner may repeat the first; '#' starts a comment. Edges are divided into pieces of about
// `spacing`. Errors name file and line: fewer than three corners, corners that repeat, edges that cross or touch.
Surface parse_polygon(std::string_view text, const std::string& name, double scale, double spacing);

}  // namespace weir
