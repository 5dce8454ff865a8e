// The recording of a graph (graph.hpp). Separate from launch.hpp, whose CUDA names must not be visible in programs of
// users.
#pragma once
#include <functional>
#include <vector>

namespace weir::simt {

// Not null: launches, loops, fills and sums of this thread that stay on the device are stored here, to be run later.
using Recording = std::vector<std::function<void()>>;
inline thread_local Recording* recording = nullptr;

}  // namespace weir::simt
