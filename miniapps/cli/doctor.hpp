// `weir doctor`: what is the matter with a matrix, and what to try.
#pragma once
#include <string>

namespace weir {

// Prints the diagnosis. The process's exit code: 0, or 5 (a check that failed) where the matrix has a fault that no
// solver gets past: numbers that are not finite, or a null space that is more than constants.
int examine_matrix(const std::string& matrix);

}  // namespace weir
