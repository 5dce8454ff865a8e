// Between scalar rows and block rows of the same matrix.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Of scalar rows: the largest size up to 8 whose blocks are at least 9/10 full, else 1.
int detect_block(const BlockCsrData& scalar);

// The entries that a block lacks are zeros. block must divide the number of rows.
BlockCsrData cut_into_blocks(BlockCsrData&& scalar, int block);

// Every value of a block is an entry, zeros too.
BlockCsrData scalar_rows(const BlockCsrData& blocks);

// Copies `blocks.value` into rows that scalar_rows has made of the same pattern.
void update_scalar_rows(const BlockCsrData& blocks, BlockCsrData& scalar);

}  // namespace weir
