// The rows of a rank with columns that are numbered in the whole matrix.
#pragma once
#include <span>

#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// number[i]: number of this rank's block row i in the whole matrix. Columns ascend; blocks in the same position, as
// across a period of two cells, are added. Collective. Error(usage), on all ranks, if the entries are not stored.
template <class Space>
BlockCsrData global_rows(const DistributedMatrix<Space>& A, std::span<const int> number);

// The same with the rows numbered in the order of the ranks. Error(usage) if a number of an unknown exceeds an int.
template <class Space>
BlockCsrData rows_in_rank_order(const DistributedMatrix<Space>& A);

}  // namespace weir
