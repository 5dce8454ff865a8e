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
//   build_sweeps = 1, apply_sweeps = 1     of the factorisation; of each of the two triangular solves
//   chunk = 384                            rows that a thread draws at a time (async_ilu0: block rows too)
//   initial = "matrix"                     of the factors: the entries of A; "previous": the factors of the last update
//   scaling = false                        factorise S A S with unit diagonal entries instead (Chow & Patel 2015)
//   diagnostics = false                    at each setup, apart from its time: the reduction of the fixed-point residual
//                                          |x - g(x)|_1 and the max norms of the Jacobi iteration matrices of L and U
//   asynchrony = "free"                    or { type = "prescribed", seed = 1, delay = 8, lanes = 16 }: a model of it
//                                          that repeats bit for bit, in both spaces; see async_schedule.hpp
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

// What is known of the factors at this moment, of each block row of the matrix (async_ilu0: the largest of its scalar rows;
// the residuals add up).
struct AsyncObservation {
  std::vector<double> fixed_point;  // |x - g(x)|_1 of the row's entries
  std::vector<double> dominance_L,
      dominance_U;  // of the Jacobi iteration matrices: sums over the row, the largest unknown's
  // The part of a row's reads in the last apply sweep, forward and backward, that do not see what the sequential sweep
  // sees. Of prescribed asynchrony exactly; of threads on the host counted in an application of its own; Device, free:
  // empty.
  std::vector<double> stale_reads;
};

template <class Space>
class AsyncFactors;  // async_ilu_factors.hpp

template <class Space>
class AsyncIlu final : public Preconditioner<Space> {
 public:
  explicit AsyncIlu(const AsyncIluOptions& options);
  ~AsyncIlu() override;

  // Error(usage): A is no BlockCsr, or a row has no diagonal block (named).
  SetupInfo setup(const Matrix<Space>& A) override;
  SetupInfo update(const Matrix<Space>& A) override;
  void apply(View<const double> r, View<double> z) const override;
  bool is_symmetric() const override { return false; }
  bool is_constant() const override { return false; }
  // Of sweeps by threads that do not wait; of prescribed asynchrony, a model, nothing is stated.
  Work apply_work() const override;
  Work update_work() const override;
  std::string describe() const override;

  AsyncObservation observe() const;  // after setup; apart from the times of setup

  // For tests: L and U on the pattern of A (async_ilu0: of its scalars), blocks row by row; and one more sweep.
  std::vector<double> factors() const;
  void set_factors(const std::vector<double>& values);
  void sweep();

 private:
  AsyncIluOptions options_;
  const BlockCsr<Space>* A_ = nullptr;
  std::unique_ptr<AsyncFactors<Space>> factors_;
};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_async_ilu0(const Table& options);
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_async_block_ilu0(const Table& options);

}  // namespace weir
