// Reads a case file (TOML) and the command line's overrides into a Table. Syntax errors carry file and line.
#pragma once
#include <string>
#include <vector>
#include "base/table.hpp"

namespace weir {

// unset: keys that are taken out, "key.path", before any is set. overrides: "key.path=value", the value in TOML's notation (a
// bare word is taken as a string).
Table read_case(const std::string& path, const std::vector<std::string>& overrides = {},
                const std::vector<std::string>& unset = {});

// The same from a text, for tests and for inline solver descriptions; `name` stands where a file name would.
Table read_case_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides = {},
                     const std::vector<std::string>& unset = {});

}  // namespace weir
