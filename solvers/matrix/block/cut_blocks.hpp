// Conversion between scalar rows and block rows.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// The largest block size up to 8 whose blocks are at least 9/10 full, else 1.
int detect_block(const BlockCsrData& scalar);

// Missing entries of a block are zeros. block must divide the number of rows.
BlockCsrData cut_into_blocks(BlockCsrData&& scalar, int block);

// Every value of a block becomes an entry, zeros included.
BlockCsrData scalar_rows(const BlockCsrData& blocks);

// Copies `blocks.value` into rows made by scalar_rows for the same pattern.
void update_scalar_rows(const BlockCsrData& blocks, BlockCsrData& scalar);

}  // namespace weir
