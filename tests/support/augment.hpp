// Block systems of many unknowns a cell out of systems of few (Luo et al. 2015, section 4.3): blocks side by side on the
// diagonal, nothing between them. What converges for each part converges for the whole, so that a flow's systems of n = 4
// and n = 6 give test systems of every even n.
#pragma once
#include <vector>

#include "tests/support/block_systems.hpp"

namespace weir::test {

// All parts on the same cells; n is the sum of theirs. Throws std::invalid_argument where the grids differ.
BlockSystem augment(const std::vector<const BlockSystem*>& parts);

inline BlockSystem augment(const BlockSystem& first, const BlockSystem& second) { return augment({&first, &second}); }

// How many of n1 and of n2 unknowns make up n, with as few of n1 as can be: {-1, -1} where none do. n1 = 4, n2 = 6: every
// even n from 4 on.
struct Augmentation {
  int of_first = -1, of_second = -1;
};
Augmentation augmentation(int n, int n1, int n2);

// The two systems repeated until they make up n unknowns a cell.
BlockSystem augmented_to(int n, const BlockSystem& first, const BlockSystem& second);

}  // namespace weir::test
