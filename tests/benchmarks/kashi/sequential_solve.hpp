// The factors of an asynchronous factorisation, applied exactly: rows in order, one thread. "Exact" in the column
// of apply sweeps means.
#pragma once
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir::kashi {

class SequentialSolve final : public Preconditioner<Host> {
 public:
  // L and U on the pattern of A, blocks row by row: L strictly below the diagonal blocks with unit diagonal, U the
  // rest.
  SequentialSolve(const BlockCsr<Host>& A, std::vector<double> factors);

  SetupInfo do_setup(const Matrix<Host>&) override { return {}; }
  void apply(View<const double> r, View<double> z) const override;
  bool is_symmetric() const override { return false; }
  std::string describe() const override { return "factors of asynchronous sweeps, applied exactly"; }

 private:
  BlockCsrView pattern_;
  std::vector<double> factors_, inverse_;  // inverse_: of U's diagonal blocks
};

}  // namespace weir::kashi
