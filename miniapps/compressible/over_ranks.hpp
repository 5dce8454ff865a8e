// A rank's share of a sum, or of a maximum, becomes that of all ranks of a discretisation; on one rank it stays as it is.
#pragma once
#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

template <class Space>
double sum_over_ranks(const Discretisation<Space>& space, double share) {
  return space.ranks() ? space.ranks()->sum(share) : share;
}
template <class Space>
double max_over_ranks(const Discretisation<Space>& space, double mine) {
  return space.ranks() ? space.ranks()->max(mine) : mine;
}

}  // namespace weir
