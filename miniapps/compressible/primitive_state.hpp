#pragma once
#include <array>

namespace weir {

using PrimitiveState = std::array<double, 4>;  // rho, u, v, p

}  // namespace weir
