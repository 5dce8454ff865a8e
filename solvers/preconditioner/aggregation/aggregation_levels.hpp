// A level of aggregation.hpp. Included by .cu files only.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "solvers/preconditioner/aggregation/across_ranks.hpp"
#include "solvers/preconditioner/aggregation/aggregation_kernels.hpp"
#include "solvers/preconditioner/wide_matrix.hpp"

namespace weir::aggregation {

// T: storage of the coarse matrices.
template <class Space, class T>
struct Level {
  const BlockSparse<Space>* A = nullptr;             // over ranks: the columns of this rank; gathered: of all ranks
  const DistributedMatrix<Space>* spread = nullptr;  // over ranks: of all columns
  std::unique_ptr<CsrMatrix<Space, T>> own;          // *A, below the finest
  std::unique_ptr<Preconditioner<Space>> smoother;
  WideMatrix<Space> wide;  // for the smoother
  bool is_full = false;    // full pattern
  Array<double, Space> defect, change;
  // To the next level; empty on the coarsest.
  Array<int, Space> of_row, start, member, by_chunks, column, into;
  std::unique_ptr<AcrossRanks<Space>> across;  // if spread
  // Below the finest.
  Array<double, Space> r, z;
  Array<double, Space> left, step, image, second;  // of W and K cycles

  const Matrix<Space>& matrix() const {
    if (spread) return *spread;
    return *A;
  }
  // Rows of this rank in the next level, and their part of a vector of it.
  int rows_of_next(const Level& next) const { return across ? across->rows() : next.A->rows(); }
  View<double> part_of_next(const Level& next, Array<double, Space>& v) const {
    const std::int64_t B = A->block(), first = across ? across->first_row() : 0;
    return View<double>(v.data() + first * B, rows_of_next(next) * B);
  }
  // Sums over the ranks that share this level.
  Pair over_ranks(Pair p) const { return spread ? spread->ranks()->sum(p) : p; }
  double over_ranks(double x) const { return spread ? spread->ranks()->sum(x) : x; }

  std::int64_t bytes() const {
    const std::int64_t vectors =
        defect.size() + change.size() + r.size() + z.size() + left.size() + step.size() + image.size() + second.size();
    const std::int64_t lists =
        of_row.size() + start.size() + member.size() + by_chunks.size() + column.size() + into.size();
    const std::int64_t matrix = own ? own->bytes() + 4 * own->blocks() + 16 * std::int64_t{own->rows()} : 0;
    return 8 * vectors + 4 * lists + matrix + (across ? across->bytes() : 0);
  }
};

template <class Space>
void fit(Array<double, Space>& v, std::int64_t n) {
  if (v.size() != n) v = Array<double, Space>(n);
}

// Members sorted for aggregation_host::sum_blocks.
std::vector<int> sorted_in_chunks(const Aggregates& a) {
  std::vector<int> member = a.member;
  for (int I = 0; I < a.count(); I += aggregates_a_chunk) {
    const int end = std::min(a.count(), I + aggregates_a_chunk);
    std::sort(member.begin() + a.start[I], member.begin() + a.start[end]);
  }
  return member;
}

template <class Space>
std::vector<double> block_sizes(const BlockSparse<Space>& A) {
  Array<double, Space> sizes(A.blocks());
  with_view(A, [&]<class V>(const CsrView<V>& view) {
    run<Space, BlockSizes>(A.block(), static_cast<int>(A.blocks()), view.value.data(), sizes.data());
  });
  return sizes.to_vector();
}

}  // namespace weir::aggregation
