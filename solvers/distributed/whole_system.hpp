// A distributed system assembled on rank 0, for capsules and failure diagnosis. All members are collective.
#pragma once
#include <memory>
#include <vector>

#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/matrix.hpp"
#include "solvers/parallel/rank_map.hpp"

namespace weir {

template <class Space>
class WholeSystem {
 public:
  // number[i]: global index of this rank's block row i. block: unknowns per block row.
  WholeSystem(const Communicator& ranks, std::vector<int> number, int block);

  // Whether the matrix has entries that can be gathered; the same on all ranks.
  static bool has_entries(const Matrix<Space>& A);
  // Gatherable matrices keep their kind; all others, and bands with a remainder, become block rows on rank 0.
  std::unique_ptr<Matrix<Space>> matrix(const Matrix<Space>& A) const;
  // All unknowns; empty except on rank 0.
  std::vector<double> vector(View<const double> mine) const;

 private:
  std::vector<double> stream_of(const DistributedMatrix<Space>& A) const;
  std::vector<double> gathered(const std::vector<double>& mine) const;

  const Communicator& ranks_;
  std::vector<int> number_;
  int block_;
  int rows_;  // over all ranks
  RankMap map_;
};

// A distributed matrix that can be assembled on rank 0, for preconditioners that support one rank only.

// Collective; `whole` is null except on rank 0.
template <class Space>
class Gatherable {
 public:
  virtual ~Gatherable() = default;
  virtual const RankMap& rows_of_ranks() const = 0;
  virtual std::unique_ptr<Matrix<Space>> make_whole() const = 0;
  virtual void update_whole(Matrix<Space>* whole) const = 0;  // with current values
};

}  // namespace weir
