// block_ilu0: exact block ILU(0) in the order of the rows; the factors do not depend on the schedule. Block CSR
// matrices: block_ilu0_csr.hpp, by levels. 7-point block matrices in natural order (Luo, Edwards, Luo & Mueller 2015):
// no fill is kept and no two neighbours of a cell are neighbours themselves, so that only the diagonal blocks change,
//  d_p = delta_p - sum_{q < p} A_pq d_q^-1 A_qp      (1)        M = (D + E) D^-1 (D + F),   E, F: the rest of A
//  y_p = d_p^-1 (r_p - sum_{q < p} A_pq y_q),   z_p = y_p - d_p^-1 sum_{q > p} A_pq z_q     (2)
// with q the neighbours of p. Only the inverted d_p are stored; the sweeps read the other blocks from the matrix, which
// must outlive this object. Cells of equal i + j + k are independent, also with periodic directions.
//
// Device: a factorisation or sweep takes one launch, in which cells wait for their neighbours
// (block_ilu0_workgroup.cu). Blocks larger than 32 take several launches per hyperplane (block_ilu0_device.cu), or per
// level of a block CSR matrix. Host: threads follow the same order row by row.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/matrix/block/block_stencil.hpp"
#include "solvers/matrix/many.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct BlockIluOptions {
  bool pivoting = false;
  bool float_factors = false;
  bool only_lines = false;  // block CSR: `line` (line.cpp)
};

inline constexpr Option factor_storage{
    "storage", Option::text,           "double", "storage of the factors; arithmetic is in double", "double | float",
    "",        "factors, single=float"};
inline constexpr Option factor_pivoting{"pivoting", Option::boolean, "false",
                                        "switch for row exchanges within a block while it is inverted"};
struct MatrixSize;
double block_ilu0_bytes(const Table& options, const MatrixSize& A);  // also of `line`

// The first row or cell whose block in eq. (1) could not be inverted; -1: none.
using FailedCell = int;

// Factors for one kind of matrix, in one precision.
template <class Space>
class IluFactors {
 public:
  virtual ~IluFactors() = default;
  virtual bool fit(const Matrix<Space>& A) const = 0;  // whether the values of A fit this pattern
  virtual void factorise(const Matrix<Space>& A) = 0;
  virtual void solve(const double* r, double* z) = 0;  // z = M^-1 r; z may be r
  virtual void solve(std::span<const OneOfMany> vectors) {
    for (const OneOfMany& v : vectors) solve(v.b, v.x);
  }
  virtual SetupInfo info() const = 0;
  virtual Work solve_work() const = 0;
  virtual Work factorise_work() const = 0;
  virtual std::vector<PartOfApply<Space>> parts() { return {}; }
  virtual std::string order() const = 0;                       // for the log
  virtual std::vector<double> inverted_diagonals() const = 0;  // by row; blocks column by column
};

template <class Space>
class BlockIlu0 final : public Preconditioner<Space>, public AppliesMany<Space> {
 public:
  explicit BlockIlu0(const BlockIluOptions& options);

  void apply(View<const double> r, View<double> z) const override { factors_->solve(r.data(), z.data()); }
  void apply_many(std::span<const OneOfMany> vectors) const override { factors_->solve(vectors); }
  Work apply_work() const override { return factors_ ? factors_->solve_work() : Work{}; }
  Work update_work() const override { return factors_ ? factors_->factorise_work() : Work{}; }
  std::vector<PartOfApply<Space>> parts() const override {
    return factors_ ? factors_->parts() : std::vector<PartOfApply<Space>>{};
  }
  std::string describe() const override;

  std::vector<double> inverted_diagonals() const { return factors_->inverted_diagonals(); }  // on the host: for tests

 private:
  // Both throw Error: usage, for a matrix that is neither BlockStencil nor BlockSparse, or that the form cannot handle;
  // solver_failed, for a singular diagonal block (the cell is named); not_finite, for a NaN or Inf in A.
  SetupInfo do_setup(const Matrix<Space>& A) override;
  SetupInfo do_update(const Matrix<Space>& A) override;
  template <class T>
  std::unique_ptr<IluFactors<Space>> factors_of(const Matrix<Space>& A) const;

  BlockIluOptions options_;
  std::unique_ptr<IluFactors<Space>> factors_;
};

}  // namespace weir
