// solvers/matrix/io/augment.hpp for block stencils: blocks side by side on the diagonal, nothing between them. What
// converges for each part converges for the whole, so that a flow's systems of n = 4 and n = 6 give test systems of
// every even n.
#pragma once
#include <vector>

#include "solvers/matrix/io/augment.hpp"
#include "tests/support/systems/block_systems.hpp"

namespace weir::test {

// All parts on the same cells; n is the sum of theirs. Throws std::invalid_argument where the grids differ.
BlockSystem augment(const std::vector<const BlockSystem*>& parts);

inline BlockSystem augment(const BlockSystem& first, const BlockSystem& second) { return augment({&first, &second}); }

using weir::Augmentation;
using weir::augmentation;

// The two systems repeated until they make up n unknowns a cell.
BlockSystem augmented_to(int n, const BlockSystem& first, const BlockSystem& second);

}  // namespace weir::test
