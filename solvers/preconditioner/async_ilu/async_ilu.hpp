// Asynchronous incomplete factorisation and triangular solves on block CSR (Kashi & Nadarajah 2020; Chow & Patel 2015).
//   L_ij = (A_ij - sum_{k < j} L_ik U_kj) U_jj^-1   (i > j)                                   (18), one sweep visits
//   U_ij =  A_ij - sum_{k < i} L_ik U_kj            (i <= j)     all (i, j) in the pattern     every row once
//   y_i = r_i - sum_j L_ij y_j,   z_i = U_ii^-1 (y_i - sum_j U_ij z_j)                        algorithm 5, from zeros
// Nobody waits: threads draw chunks of rows, rows in the order of elimination, and read whatever the others have stored
// so far, old or new; no synchronisation between sweeps either. On one thread a sweep is the sequential algorithm.
//   async_block_ilu0   the entries are the blocks of the matrix; a work item is a block row
//   async_ilu0         the entries are the scalars of the same pattern; a work item is a scalar row
// The result depends on timing: needs fgmres. A diagonal block that comes out singular is replaced by a multiple of the
// identity (the modified iteration of section 4.2) and counted.
//
// Device, free: a thread a row, one launch a sweep.
#pragma once
#include <memory>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct AsyncIluOptions {
  bool scalar = false;
  int build_sweeps = 1, apply_sweeps = 1;
  int chunk = 384;
  bool from_previous = false, scaling = false, diagnostics = false;
  bool prescribed = false;
  std::uint64_t seed = 1;
  int delay = 8, lanes = 16;
};

template <class Space>
class AsyncFactors;  // async_ilu_factors.hpp

template <class Space>
class AsyncIlu final : public Preconditioner<Space> {
 public:
  explicit AsyncIlu(const AsyncIluOptions& options);
  ~AsyncIlu() override;

  // Error(usage): A is no BlockCsr, or a row has no diagonal block (named).
  SetupInfo do_setup(const Matrix<Space>& A) override;
  SetupInfo do_update(const Matrix<Space>& A) override;
  void save(Archive& to) override;
  void restore(const Matrix<Space>& A, Archive& from) override;
  void apply(View<const double> r, View<double> z) const override;
  // Of sweeps by threads that do not wait; of prescribed asynchrony, a model, nothing is stated.
  Work apply_work() const override;
  Work update_work() const override;
  std::string describe() const override;

  FactorObservation observe() const override;

  // For tests: L and U on the pattern of A (async_ilu0: of its scalars), blocks row by row; and one more sweep.
  std::vector<double> factors() const;
  void set_factors(const std::vector<double>& values);
  void sweep();

 private:
  void make_factors(const Matrix<Space>& A);

  AsyncIluOptions options_;
  const BlockCsr<Space>* A_ = nullptr;
  std::unique_ptr<AsyncFactors<Space>> factors_;
};

}  // namespace weir
