// block_ilu0 on block CSR: the exact block ILU(0) in the order of the rows, no fill beyond the pattern of A.
//   E_ij = A_ij - sum_{k < j} E_ik F_kj   (i > j),   d_i = A_ii - sum_{k < i} E_ik F_ki,
//   F_ij = d_i^-1 (A_ij - sum_{k < i} E_ik F_kj)   (i < j)              all (i, j) in the pattern     (1)
//   M = (D + E) D^-1 (D + D F) = D (I + L) (I + F),   L = D^-1 E                                       (2)
// The usual factors are E D^-1 and D F. With (2) both sweeps have a unit diagonal: the inverted diagonal blocks act on
// r alone, outside of the chain of dependent rows. Stored are d^-1, L and F, in double or float: as many blocks as A
// has.
#pragma once
#include "solvers/matrix/algorithms/triangular.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

namespace weir {

namespace block_ilu0 {

// A -= E F into block `slot` of the row (counted from its first), F being block `upper` of the stored upper triangle.
struct Match {
  int upper, slot;
};

// Pattern of the factors and destinations of the products, computed once per pattern.
struct CsrPattern {
  // Blocks first[i] .. diagonal[i] .. end[i] - 1 of row i of A are factorised.
  std::vector<std::int64_t> first, diagonal, end;
  std::vector<int> column;
  TriangularRows lower, upper;
  int longest = 0;        // blocks of the longest row
  std::vector<int> cuts;  // for ThreadPlan

  // Error(usage) names the first row without a diagonal block. only_lines: only the blocks that couple a row to the
  // previous and the next one on its line.
  template <class Space>
  CsrPattern(const BlockSparse<Space>& A, bool only_lines);

  // Products with each lower block (in the order of `lower`): match_start[e] .. match_start[e + 1] - 1. upper_start:
  // row starts of the stored upper triangle, by row.
  void find_matches(const std::vector<std::int64_t>& upper_start, std::vector<std::int64_t>& match_start,
                    std::vector<Match>& match) const;
};

// Arguments of the factorisation. V: storage of the blocks of A.
template <class T, class V>
struct CsrFactors {
  CsrView<V> A;
  TriangleView<T> lower, upper;
  T* inverted = nullptr;                      // d^-1, by position in `lower`
  const std::int64_t* lower_first = nullptr;  // by row: its first block in the order of the rows, for match_start
  const int* upper_position = nullptr;        // row -> position
  const std::int64_t* match_start = nullptr;
  const Match* match = nullptr;
  bool pivoting = false;
};

}  // namespace block_ilu0

// Work space of the factorisation apart from the factors; none on the host.
template <class Space>
class CsrRowsInOrder {
 public:
  template <class T>
  CsrRowsInOrder(const UnitTriangle<Host, T>&, int, int) {}
  std::int64_t bytes() const { return 0; }
};
template <>
class CsrRowsInOrder<Device> {
 public:
  template <class T>
  CsrRowsInOrder(const UnitTriangle<Device, T>& lower, int block, int longest)
      : CsrRowsInOrder(lower.level_start(), block, longest) {}
  template <class T, class V>
  FailedCell factorise(const block_ilu0::CsrFactors<T, V>& f);
  std::int64_t bytes() const { return 4 * (finished_.size() + bad_.size()) + 8 * scratch_.size(); }

 private:
  CsrRowsInOrder(const std::vector<int>& level_start, int block, int longest);

  int rows_, stride_, grid_ = 0;  // stride_: values that a warp works on
  std::size_t shared_ = 0;
  Array<int, Device> finished_,
      bad_;  // per row: the factorisation in which it was last finished; 1 if its block was singular
  Array<unsigned, Device> drawn_;
  block_ilu0::Turns turns_;
  Array<double, Device> scratch_;  // for rows that do not fit in shared memory
};

// T: storage of the blocks.
template <class Space, class T>
class CsrIlu0 final : public IluFactors<Space> {
 public:
  CsrIlu0(const BlockSparse<Space>& A, const BlockIluOptions& options);
  bool fit(const Matrix<Space>& A) const override;  // the same sizes and number of threads
  void factorise(const Matrix<Space>& A) override;
  void solve(const double* r, double* z) override;
  void solve(std::span<const OneOfMany> vectors) override;
  SetupInfo info() const override;
  Work solve_work() const override;
  Work factorise_work() const override;
  std::vector<PartOfApply<Space>> parts() override;  // the two sweeps
  std::string order() const override;
  std::vector<double> inverted_diagonals() const override;

 private:
  CsrIlu0(const BlockSparse<Space>& A, const block_ilu0::CsrPattern& pattern, const BlockIluOptions& options);
  template <class V>
  FailedCell factorise(const block_ilu0::CsrFactors<T, V>& f);

  BlockIluOptions options_;
  int threads_, rows_, block_, lines_;
  std::int64_t lower_blocks_, upper_blocks_;
  std::int64_t blocks_, nnz_;  // of A; values of the factors
  UnitTriangle<Space, T> lower_, upper_;
  Array<T, Space> inverted_;
  Array<std::int64_t, Space> lower_first_, match_start_;
  Array<int, Space> upper_position_;
  CsrRowsInOrder<Space> in_order_;
  Array<block_ilu0::Match, Space> match_;
  Array<double, Space> work_;  // Host: a row's blocks for each thread; Device: the vector between the sweeps
};

}  // namespace weir
