// The keys of one table of the case file, with nested ones, for `weir explain`, the reference and the schema.
#pragma once
#include <string_view>
#include <vector>

#include "base/option.hpp"

namespace weir {

struct KeyTable {
  std::string_view path;  // "time"; "boundary.SIDE": capitals are a placeholder for any name
  std::string_view when;  // condition for these keys, `type = "stl"`; empty: none
  Options keys;
};

}  // namespace weir
