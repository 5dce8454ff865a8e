// The ranks of a job that time what they do at once; for median_seconds.
#pragma once
#include "solvers/parallel/communicator.hpp"

namespace weir {

struct Together {
  const Communicator& ranks;
  void line_up() const { ranks.barrier(); }
  double slowest(double seconds) const { return ranks.max(seconds); }
};

}  // namespace weir
