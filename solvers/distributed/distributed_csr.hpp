// A block CSR matrix over ranks: each takes the rows of its part (mesh/ordering/partition.hpp: METIS, lines uncut), in the order in
// which they stand, which keeps lines together and orderings as they were within a part.
#pragma once
#include <vector>

#include "base/at.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

struct CsrPart {
  std::vector<int> rows;  // of the whole matrix: local block row i is rows[i]
  BlockCsrData local;     // columns of this rank's own
  HaloPattern pattern;
  Coupling coupling;  // the other columns
};

// part[i]: the rank of block row i. Every rank calls with the whole matrix: simple, for matrices that one rank can hold.
CsrPart part_of_csr(const Communicator& ranks, const BlockCsrData& whole, const std::vector<int>& part);

template <class Space>
struct LocalCsr {  // before the base that refers to it
  explicit LocalCsr(const BlockCsrData& data) : matrix(data) {}
  BlockCsr<Space> matrix;
};

template <class Space>
class DistributedCsr : private LocalCsr<Space>, public DistributedMatrix<Space> {
 public:
  // symmetric, null_space: as `whole` says.
  DistributedCsr(const Communicator& ranks, const CsrPart& part, const HaloOptions& options = {})
      : LocalCsr<Space>(part.local),
        DistributedMatrix<Space>(ranks, LocalCsr<Space>::matrix, part.pattern, part.coupling, part.local.symmetric,
                                 part.local.constant_null_space, options) {
    this->name_rows([rows = part.rows](int row) { return "block row " + std::to_string(rows[at(row)]); });
  }
  BlockCsr<Space>& own() { return LocalCsr<Space>::matrix; }  // new values on the same pattern go here ...
  using DistributedMatrix<Space>::coupling_values;            // ... and here
};

}  // namespace weir
