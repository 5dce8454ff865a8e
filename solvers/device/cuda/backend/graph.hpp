// Launches as one: a CUDA graph.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

namespace weir::backend {

// Throws Error if CUDA fails. Launches between begin() and end() are recorded with their arguments and not run; copies,
// waits and allocations are errors there. begin() forgets what was recorded before.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { forget(); }

  static bool is_recording();  // any graph
  void begin();
  void end();
  void abandon() noexcept;  // instead of end(), where recording failed
  void forget() noexcept;
  bool recorded() const { return graph_ != nullptr; }
  std::int64_t size() const { return size_; }  // launches in it
  void launch() const;

 private:
  cudaGraphExec_t graph_ = nullptr;
  std::int64_t size_ = 0, launches_before_ = 0;
};

}  // namespace weir::backend
