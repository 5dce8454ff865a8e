// Where each row begins, from how many entries it has: start[i] = count[0] + .. + count[i - 1], for i = 0 .. n.
#pragma once
#include "solvers/device/growing_array.hpp"

namespace weir {

template <class Space>
class PrefixSum {
 public:
  // start: n + 1 values; returns the last one.
  std::int64_t operator()(const int* count, int n, std::int64_t* start);

 private:
  GrowingArray<std::int64_t, Space> blocks_;  // Device: the sum of each workgroup's counts
};

}  // namespace weir
