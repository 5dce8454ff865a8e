// [body] of a case.
#pragma once
#include "base/table.hpp"
#include "mesh/body/body.hpp"

namespace weir {

Options body_options();                       // of all types
Options body_options(std::string_view type);  // the keys of one

// `spacing` of generated surfaces where the case gives none: half a cell is enough for forces. What was repaired in a file is
// put to `messages`. Errors name file, line and key; an unknown key is the caller's to refuse (Table::refuse_unknown).
Body read_body(const Table& t, double spacing, std::vector<std::string>* messages = nullptr);

}  // namespace weir
