// Solves with triangular rows of scalars on the device in the natural row order, in one launch without levels:
//   x_i = d_i (b_i - sum_j T_ij x_j)              (d: null for 1)
// Each value is its own flag: x starts as a NaN that no result has, and readers of x_j poll until it is replaced.
// Workgroups draw rows in order, so the one with the lowest unfinished ticket waits only for itself. L is summed from
// the first entry, U from the last: the bits do not depend on timing.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"

namespace weir {

struct ScalarRows {
  int rows = 0;
  const std::int64_t* start = nullptr;
  const int* column = nullptr;
  const double* value = nullptr;
};

class OrderedSolve {
 public:
  explicit OrderedSolve(int rows);
  // z = U^-1 L^-1 r: L with unit diagonal, U with the inverted diagonal d. z may be r.
  void operator()(const ScalarRows& L, const ScalarRows& U, const double* d, const double* r, double* z);
  std::int64_t bytes() const { return 8 * y_.size() + 4 * drawn_.size(); }

 private:
  Array<double, Device> y_;  // all `nothing` between solves
  Array<unsigned, Device> drawn_;
  unsigned tickets_ = 0;
};

}  // namespace weir
