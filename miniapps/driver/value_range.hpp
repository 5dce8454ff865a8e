// The smallest and the largest value of a variable, in one pass and without allocation.
#pragma once
#include "solvers/device/space.hpp"

namespace weir {

struct ValueRange {
  double least = 0, most = 0;  // of the finite values
  bool all_finite = true;
  double size() const { return most > -least ? most : -least; }
};

// Every stride-th value from the first on.
template <class Space>
ValueRange range_of(View<const double> values, int first = 0, int stride = 1);

// The same of the pressure, from conserved variables (rho, rho u, rho v, rho E, ...), `stride` numbers per cell.
template <class Space>
ValueRange range_of_pressure(View<const double> U, double gamma, int stride = 4);

}  // namespace weir
