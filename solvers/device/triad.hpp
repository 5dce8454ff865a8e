// a = b + s c, the measure of a space's memory (McCalpin's STREAM, 24 bytes an element): what a kernel that moves its
// bytes once can reach at best. Arrays of a kernel's own size tell what it can reach out of the caches.
#pragma once
#include <cstdint>

#include "solvers/device/array.hpp"
#include "solvers/device/median_seconds.hpp"

namespace weir {

template <class Space>
class Triad {
 public:
  explicit Triad(std::int64_t bytes);  // of the three arrays together
  void run();
  std::int64_t bytes() const { return 3 * a_.size() * std::int64_t{sizeof(double)}; }

 private:
  Array<double, Space> a_, b_, c_;
};

// Bytes a second of one runner, the median of several runs of about a millisecond and more. bytes: as above.
template <class Space, class Runners = Alone>
double triad_bytes_per_second(std::int64_t bytes, int runs = 7, const Runners& runners = {}) {
  Triad<Space> triad(bytes);
  return static_cast<double>(triad.bytes()) / median_seconds([&] { triad.run(); }, runs, runners);
}

inline constexpr std::int64_t triad_beyond_caches = std::int64_t{3} << 26;  // 64 MiB an array

}  // namespace weir
