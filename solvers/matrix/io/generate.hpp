// Generated systems for solver tests.
#pragma once
#include <string>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// 2 half + 1 diagonals of reproducible random numbers in [-1, 1], not symmetric; the diagonal is 1.01 times the sum
// of the magnitudes of the others in its row. Condition numbers of some hundreds for any number of rows.
BlockCsrData banded_system(int rows, int half);

// "banded:ROWS[:HALF]", half = 2 by default. Throws Error(usage) if the rest of the name is malformed.
bool is_generated(const std::string& name);
BlockCsrData generated_system(const std::string& name);

}  // namespace weir
