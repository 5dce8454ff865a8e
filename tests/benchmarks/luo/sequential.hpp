// The sequential block ILU(0) that Table 1 compares with: natural order, one cell after the other, each diagonal block
// as an LU decomposition (the paper's sequential code; its fine-grained form inverts the blocks instead).
#pragma once
#include <vector>

#include "tests/support/systems/block_systems.hpp"

namespace weir::bench {

class SequentialBlockIlu {
 public:
  explicit SequentialBlockIlu(const test::BlockSystem& system);
  std::vector<double> solve(const std::vector<double>& r) const;  // M^-1 r

 private:
  const double* lu(int cell) const { return &lu_[static_cast<std::size_t>(cell) * block_]; }
  void substitute(int cell, double* x) const;  // x <- d^-1 x

  const test::BlockSystem& system_;
  std::size_t n_, block_;
  std::vector<double> lu_;  // a block a cell, column by column: L below its diagonal of ones, U
};

}  // namespace weir::bench
