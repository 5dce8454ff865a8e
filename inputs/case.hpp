// Reads a case file (TOML) and command-line overrides into a Table. Syntax errors report file and line.
#pragma once
#include <string>
#include <vector>
#include "base/table.hpp"

namespace weir {

// unset: key paths removed before overrides are applied. overrides: "key.path=value", the value in TOML notation (a
// bare word is a string).
Table read_case(const std::string& path, const std::vector<std::string>& overrides = {},
                const std::vector<std::string>& unset = {});

// Reads a case from a text, for tests and inline solver descriptions. `name` replaces the file name.
Table read_case_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides = {},
                     const std::vector<std::string>& unset = {});

}  // namespace weir
