// Any matrix of ours that stores or describes its entries, as block rows on the host: for solvers of other libraries, and
// to write it to a file. BlockCsr, RoundedCsr, BlockStencil, Banded with its remainder, and separable operators.
#pragma once
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Every entry of the pattern is kept, zeros too, so that new values have the same pattern. Error(usage) for a matrix of
// another kind, or of more than 2^31 entries.
template <class Space>
BlockCsrData block_rows(const Matrix<Space>& A);

}  // namespace weir
