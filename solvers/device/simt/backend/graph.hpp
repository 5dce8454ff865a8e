// Launches as one: recorded, and run in their order.
#pragma once
#include <cstdint>

#include "backend/launch.hpp"

namespace weir::backend {

// Launches between begin() and end() are recorded with their arguments and not run; copies and sums for the host are
// errors there.
// begin() forgets what was recorded before.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  static bool is_recording() { return simt::recording != nullptr; }  // any graph
  void begin() {
    forget();
    simt::recording = &work_;
  }
  void end() {
    simt::recording = nullptr;
    recorded_ = true;
  }
  void abandon() noexcept { simt::recording = nullptr; }
  void forget() noexcept {
    work_.clear();
    recorded_ = false;
  }
  bool recorded() const { return recorded_; }
  std::int64_t size() const { return static_cast<std::int64_t>(work_.size()); }  // launches in it
  void launch() const;

 private:
  simt::Recording work_;
  bool recorded_ = false;
};

}  // namespace weir::backend
