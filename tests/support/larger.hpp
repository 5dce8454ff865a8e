// Accumulates the largest of many errors.
#pragma once
#include <cmath>

namespace weir::test {

// The larger of both, or the one that is not a number, which std::max would lose: no test must pass for it.
inline double larger(double so_far, double value) { return value > so_far || std::isnan(value) ? value : so_far; }

}  // namespace weir::test
