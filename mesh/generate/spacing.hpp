// One-dimensional node distributions: n + 1 increasing coordinates from 0 to a length.
#pragma once
#include <vector>

namespace weir {

// Geometric series: first, first * growth, ... (not scaled to a length).
std::vector<double> geometric_spacing(int n, double first, double growth);

// The growth factor with which n cells, the first of size `first`, fill `length`. Below 1 if they must shrink.
double growth_to_fill(int n, double first, double length);

// Vinokur (1983, J. Comput. Phys. 50:215), eqs. 52 to 57: about `first` at the start, about `last` at the end, smooth
// in between. Zero: free end, adapted to the other one; two free ends: uniform.
std::vector<double> two_sided_spacing(int n, double length, double first, double last);

}  // namespace weir
