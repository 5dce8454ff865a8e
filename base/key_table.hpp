// The keys of one table of the case file, for `weir explain`, the reference page and the JSON schema. Each reader lists its
// own; tables inside (Option::inside) follow by themselves.
#pragma once
#include <string_view>
#include <vector>

#include "base/option.hpp"

namespace weir {

struct KeyTable {
  std::string_view path;  // "time"; "boundary.SIDE": capitals stand for any name
  std::string_view when;  // what else must hold for these keys: `type = "stl"`; empty: nothing
  Options keys;
};

}  // namespace weir
