#pragma once
#include "solvers/device/space.hpp"

namespace weir::gpu {

void launch_nothing();
double sum_of_squares(View<const double> x);

}  // namespace weir::gpu
