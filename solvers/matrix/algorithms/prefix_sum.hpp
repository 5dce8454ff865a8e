// Row starts from row lengths: start[i] = count[0] + .. + count[i - 1], i = 0 .. n.
#pragma once
#include "solvers/device/growing_array.hpp"

namespace weir {

template <class Space>
class PrefixSum {
 public:
  // start: n + 1 values; returns the last one.
  std::int64_t operator()(const int* count, int n, std::int64_t* start);

 private:
  GrowingArray<std::int64_t, Space> blocks_;  // Device: sum of the counts of each workgroup
};

// Two prefix sums of the same length on the device, without waiting on the host. The totals also go to total[0] and
// total[1] in device memory. The counts of any 256 consecutive rows add up to less than 2^31.
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
