#pragma once
#include <string>
#include <vector>

#include "mesh/body/body.hpp"
#include "miniapps/immersed/case.hpp"

namespace weir {

// [body] as the geometry reads it, triangulated finer than the grid. What was repaired in a file is put to `messages`.
Body read_case_body(const Table& config, const ImmersedCase& c, std::vector<std::string>* messages = nullptr);

}  // namespace weir
