// [body] of a case.
#pragma once
#include "base/table.hpp"
#include "mesh/body/body.hpp"

namespace weir {

Options body_options();                       // keys of all types
Options body_options(std::string_view type);  // keys of one type

// `spacing`: default element size of generated surfaces; half a cell is enough for forces. Repairs of a file are
// appended to `messages`. Errors name file, line and key; the caller refuses unknown keys (Table::refuse_unknown).
Body read_body(const Table& t, double spacing, std::vector<std::string>* messages = nullptr);

}  // namespace weir
