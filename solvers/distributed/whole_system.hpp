// A distributed system assembled on the root rank: to be kept in a capsule, or examined
// after a failure. Simple and not scalable. All ranks make one and call.
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
  // number[i]: of this rank's block row i in the whole. block: unknowns of a block row.
  WholeSystem(const Communicator& ranks, std::vector<int> number, int block);

  // Whether the matrix has entries that can be brought together; the same on all ranks.
  static bool has_entries(const Matrix<Space>& A);
  // A matrix that knows itself as a whole (Gatherable) stays what it is; bands with a remainder and all others become block
  // rows. Null but on rank 0.
  std::unique_ptr<Matrix<Space>> matrix(const Matrix<Space>& A) const;
  // Of all unknowns; empty but on rank 0.
  std::vector<double> vector(View<const double> mine) const;

 private:
  std::vector<double> stream_of(const DistributedMatrix<Space>& A) const;
  std::vector<double> gathered(const std::vector<double>& mine) const;

  const Communicator& ranks_;
  std::vector<int> number_;
  int block_;
  int rows_;  // block rows of all ranks
  RankMap map_;
};

// A matrix over ranks that can be put together on rank 0, for preconditioners that know one rank alone.

// All ranks call; `whole` is null but on rank 0.
template <class Space>
class Gatherable {
 public:
  virtual ~Gatherable() = default;
  virtual const RankMap& rows_of_ranks() const = 0;
  virtual std::unique_ptr<Matrix<Space>> make_whole() const = 0;
  virtual void update_whole(Matrix<Space>* whole) const = 0;  // the values as they are now
};

}  // namespace weir
