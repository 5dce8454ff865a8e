// One-dimensional node distributions: n cells between 0 and a length, n + 1 increasing coordinates.
#pragma once
#include <vector>

namespace weir {

// Cells that grow by a constant factor: first, first * growth, ... (not scaled to any length).
std::vector<double> geometric_spacing(int n, double first, double growth);

// The growth that makes n cells, the first of size `first`, fill `length`. Below 1 where they must shrink.
double growth_to_fill(int n, double first, double length);

// Vinokur (1983, J. Comput. Phys. 50:215), eqs. 52 to 57: about `first` at the beginning, about `last` at the end,
// smooth in between. Zero leaves an end free: it takes what the other end asks for; two free ends are uniform.
std::vector<double> two_sided_spacing(int n, double length, double first, double last);

}  // namespace weir
