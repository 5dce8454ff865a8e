// The part of the step from a level over ranks to the next coarser one that concerns other ranks. The next level is
// - spread: each rank keeps the rows of its aggregates; the coupling between ranks is summed like the other blocks, or
// - gathered: every rank has all rows, computed by the ranks of the finer level and completed by one exchange per
//   visit. The levels from there on need no messages, and their aggregates cross the former borders of the ranks.
#pragma once
#include <memory>
#include <vector>

#include "solvers/parallel/parts_on_all.hpp"
#include "solvers/preconditioner/aggregation/coarse_coupling.hpp"

namespace weir::aggregation {

template <class Space>
class AcrossRanks {
 public:
  // Collective, like gather and spread, one of which follows.
  AcrossRanks(const DistributedMatrix<Space>& fine, const Aggregates& aggregates);

  // The pattern of the gathered matrix; own.into becomes that of this rank's part.
  template <class T>
  BlockCsrData gather(const Pattern& fine, const Aggregates& aggregates, CoarsePattern& own, bool full);
  std::vector<RowRange> lines_of_all(const std::vector<RowRange>& mine) const;
  // `own` has no values yet and must outlive this.
  const DistributedMatrix<Space>& spread(const DistributedMatrix<Space>& fine, const Matrix<Space>& own, bool weakens);

  bool gathers() const { return !next_; }
  int first_row() const { return gathers() ? first_ : 0; }  // of this rank in the next level
  int rows() const { return rows_; }                        // of this rank there
  std::int64_t bytes() const;

  // Adds the sums of coupling blocks of `fine` to the next level, whose other blocks were summed, and completes a
  // gathered matrix.
  template <class T>
  void sum_blocks(const DistributedMatrix<Space>& fine, CsrMatrix<Space, T>& coarse) const;
  // As WeakenDiagonal and WeakenCouplings, of the pairs of rows on two ranks.
  template <class T>
  void weaken(CsrMatrix<Space, T>& coarse, double half) const;

  void complete(View<double> r) const { parts_.complete(r.data()); }  // a gathered vector
  void fetch(View<const double> c) const {
    if (next_) next_->fetch(c);
  }
  // defect -= C P c, c of the next level after fetch(c)
  void subtract(const DistributedMatrix<Space>& fine, View<const double> c, View<double> defect) const;

 private:
  const Communicator& ranks_;
  int block_, rows_, first_ = 0;
  Numbering numbering_;
  CoarseCoupling coarse_;
  Array<int, Space> ghost_, start_, term_, to_;
  std::int64_t first_block_ = 0;  // of this rank among those of a gathered matrix
  PartsOnAll<Space> parts_, blocks_;
  std::unique_ptr<DistributedMatrix<Space>> next_;
  // Blocks (J, I) of other ranks for each coupling block (I, J), for weaken.
  Array<int, Space> has_transposed_;
  mutable Array<double, Space> transposed_;
  mutable Halo<Space> transposes_;
};

}  // namespace weir::aggregation
