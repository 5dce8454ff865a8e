// Converts any matrix that stores or describes its entries to block rows on the host, for other libraries and for
// files: BlockCsr, RoundedCsr, BlockStencil, Banded with its remainder, and separable operators.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Keeps every entry of the pattern, zeros included, so that new values have the same pattern. Throws Error(usage) for
// other matrices and for more than 2^31 entries.
template <class Space>
BlockCsrData block_rows(const Matrix<Space>& A);

}  // namespace weir
