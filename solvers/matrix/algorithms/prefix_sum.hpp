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

// Two of one length at a time on the device, which the host does not wait for: the last ones also go to total[0] and total[1], in
// device memory. The counts of 256 rows side by side add up to less than 2^31.
class TwoPrefixSums {
 public:
  struct Counts {
    const int* of[2];
  };
  struct Starts {
    std::int64_t* of[2];
  };
  void operator()(const Counts& count, int n, const Starts& start, double* total);

 private:
  GrowingArray<std::int64_t, Device> blocks_;
};

}  // namespace weir
