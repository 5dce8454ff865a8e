// Parts of the fluid that a fixed body shuts off from the outlets.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "miniapps/structured/case.hpp"

namespace weir {

// Name of a side through which fluid flows into a part of the box without an outlet; empty: there is none. velocity:
// padded, with the values at the sides. For one rank only.
std::string shut_off_inflow(const CutGeometry& cut, const IncompressibleCase& c,
                            const std::array<std::vector<double>, 3>& velocity);

}  // namespace weir
