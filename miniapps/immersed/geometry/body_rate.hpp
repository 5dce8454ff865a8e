// What a moving body asks of the time step.
#pragma once
#include <functional>

#include "base/table.hpp"
#include "miniapps/immersed/case.hpp"

namespace weir {

// t -> max over the body's nodes of sum_d |u_d| / h_d, per unit of time: u the velocity of the fluid there (in an opening, what
// comes through), h_d the smallest cell along d. Empty for a body that stays, and where the case gives dt.
std::function<double(double)> body_rate(const Table& config, const ImmersedCase& c);

}  // namespace weir
