// Block systems with many unknowns per row built from systems with few (Luo, Edwards, Luo & Mueller 2015, section
// 4.3): the blocks are placed on the diagonal, without coupling between the parts. What converges for each part
// converges for the whole. Systems of n = 4 and n = 6 give systems of every even n from 4 on.
#pragma once
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Numbers of parts of n1 and n2 unknowns that make up n, with the fewest n1; {-1, -1}: impossible.
struct Augmentation {
  int of_first = -1, of_second = -1;
};
Augmentation augmentation(int n, int n1, int n2);

// All parts have the same number of block rows. The pattern is the union of theirs; n is the sum of theirs, at most
// largest_block. Throws Error(usage) otherwise.
BlockCsrData augment(const std::vector<const BlockCsrData*>& parts);

// Repeats the two until they make up n unknowns per row. Throws Error(usage) if that is impossible.
BlockCsrData augmented_to(int n, const BlockCsrData& first, const BlockCsrData& second);

// "augment:N:B1=FIRST.mtx:B2=SECOND.mtx": Matrix Market files with blocks of size B1 and B2.
bool is_augmented(const std::string& name);
BlockCsrData augmented_system(const std::string& name);

}  // namespace weir
