// Device work that is the same each time, launched as one.
#pragma once
#include <type_traits>

#include "backend/graph.hpp"
#include "backend/runtime.hpp"
#include "solvers/device/space.hpp"

namespace weir {

// Device: the first run(f) records the launches of f (a CUDA graph) and later ones launch the recording, without
// calling f again. f may contain kernels, loops, fills and sums that stay on the device (leave_sum), but nothing that
// the host waits for. The arguments of its launches must be the same each time and their memory must not move;
// otherwise call forget() first. Host, inside another recording, and with WEIR_CUDA_SYNC=1 (each launch is waited for):
// f().
template <class Space>
class RecordedWork {
 public:
  template <class F>
  void run(const F& f) {
    if constexpr (std::is_same_v<Space, Host>) {
      f();
    } else {
      if (backend::Graph::is_recording() || backend::waits_for_launches()) return f();
      if (!graph_.recorded()) record(f);
      graph_.launch();
    }
  }
  void forget() {
    if constexpr (!std::is_same_v<Space, Host>) graph_.forget();
  }

 private:
  template <class F>
  void record(const F& f) {
    graph_.begin();
    try {
      f();
    } catch (...) {
      graph_.abandon();
      throw;
    }
    graph_.end();
  }

  struct Nothing {};
  [[no_unique_address]] std::conditional_t<std::is_same_v<Space, Host>, Nothing, backend::Graph> graph_;
};

}  // namespace weir
