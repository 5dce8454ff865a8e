// z = D^-1 r on the host, D^-1 given as blocks of n x n values: doubles row by row, floats column by column.
#pragma once
#include "solvers/device/space.hpp"

namespace weir::block_jacobi {

void apply(Host, View<const double> inverse, int n, View<const double> r, View<double> z);
void apply(Host, View<const float> inverse, int n, View<const double> r, View<double> z);

}  // namespace weir::block_jacobi
