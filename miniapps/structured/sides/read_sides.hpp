// [boundary] of a structured case: each side with one condition, or divided into patches.
#pragma once
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "miniapps/structured/case.hpp"

namespace weir {

extern const std::array<const char*, 6> side_names;

std::vector<KeyTable> side_keys();
Options modulation_options();
Modulation read_modulation(const Table& t);

// Reads into c.patches; c must have its grid and [time] end. Rejects gaps, overlaps, and inflow without an outlet.
void read_sides(const Table& boundary, IncompressibleCase& c);

// "x_min: wall y 0 .. 0.5 (10 cells); inlet y 0.5 .. 1 (10 cells)" of every divided side: name and text.
std::vector<std::pair<std::string, std::string>> describe_divided_sides(const IncompressibleCase& c);

}  // namespace weir
