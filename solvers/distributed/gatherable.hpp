// A matrix over ranks that can be put together on rank 0, for preconditioners that know one rank alone.
#pragma once
#include <memory>

#include "solvers/parallel/rank_map.hpp"
#include "solvers/matrix/matrix.hpp"

namespace weir {

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
