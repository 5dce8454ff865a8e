#include "solvers/parallel/adaptive_threads.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace weir {

int AdaptiveThreads::next(double now, double waited) {
  const int busy_cores = static_cast<int>(std::lround(2 * std::max(0.0, waited - waited_) / (now - looked_)));
  if (busy_cores > 0 && threads_ > 1) {
    threads_ = std::max(1, threads_ - busy_cores);
    retry_ = now + patience_;
    patience_ = std::min(2 * patience_, 16.0);  // a trial costs up to 0.1 s
  } else if (threads_ < most_ && now > retry_) {
    threads_ = std::min(most_, 2 * threads_);
  } else if (threads_ == most_) {
    patience_ = std::max(1.0, patience_ / 2);
  }
  looked_ = now;
  waited_ = waited;
  return threads_;
}

double seconds_without_core() {
  double sum = 0;
  std::error_code none;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::ifstream file(thread.path() / "schedstat");
    if (std::int64_t ran = 0, waited = 0; file >> ran >> waited) sum += 1e-9 * static_cast<double>(waited);
  }
  return sum;
}

}  // namespace weir
