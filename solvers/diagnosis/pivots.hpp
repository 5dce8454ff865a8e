// The pivots that incomplete factorisations meet in a matrix.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Of ILU(0) of scalar rows in their order, without any exchange; of blocks they are the same, since a block's own
// elimination drops nothing. The search ends at the first pivot that vanishes (to rounding, of the numbers that were
// subtracted), is not there, or is no finite number.
struct Pivots {
  int bad_row = -1;        // -1: none
  double bad_value = 0;    // of that pivot
  double diagonal = 0;     // the entry that it began as
  double least_ratio = 1;  // the smallest |pivot| / largest entry of its row, of those before
  int least_row = -1;
};
Pivots ilu0_pivots(BlockCsrData scalar);

}  // namespace weir
