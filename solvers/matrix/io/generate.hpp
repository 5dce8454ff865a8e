// Systems made on the spot, to try solvers on.
#pragma once
#include <string>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// 2 half + 1 diagonals of numbers between -1 and 1, not symmetric, always the same; the middle one is 1.01 times the sum
// of the others' sizes in its row: condition numbers of some hundreds, whatever the number of rows.
BlockCsrData banded_system(int rows, int half);

// "banded:ROWS[:HALF]"; half: 2 where it is left out. Error(usage) where it begins so and does not go on so.
bool is_generated(const std::string& name);
BlockCsrData generated_system(const std::string& name);

}  // namespace weir
