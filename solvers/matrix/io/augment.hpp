// Block systems of many unknowns a row out of systems of few (Luo, Edwards, Luo & Mueller 2015, section 4.3): blocks side by
// side on the diagonal, nothing between the parts. What converges for each part converges for the whole, so that a flow's
// systems of n = 4 and n = 6 give systems of every even n from 4 on.
#pragma once
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// How many of n1 and of n2 unknowns make up n, with as few of n1 as can be: {-1, -1} where none do.
struct Augmentation {
  int of_first = -1, of_second = -1;
};
Augmentation augmentation(int n, int n1, int n2);

// All parts have the same number of block rows; a row has the blocks that any of the parts has, n is the sum of theirs, at
// most largest_block. Error(usage) where the rows differ or n is larger.
BlockCsrData augment(const std::vector<const BlockCsrData*>& parts);

// The two repeated until they make up n unknowns a row. Error(usage) where no numbers of them do.
BlockCsrData augmented_to(int n, const BlockCsrData& first, const BlockCsrData& second);

// "augment:N:B1=FIRST.mtx:B2=SECOND.mtx", Matrix Market files in blocks of B1 and of B2.
bool is_augmented(const std::string& name);
BlockCsrData augmented_system(const std::string& name);

}  // namespace weir
