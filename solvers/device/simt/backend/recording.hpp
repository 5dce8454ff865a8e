// Where launches go that are recorded and not run (graph.hpp). Apart from launch.hpp, whose names of CUDA a user's program must not see.
#pragma once
#include <functional>
#include <vector>

namespace weir::simt {

// Not null: launches, loops, fills and sums that stay on the device are stored here, to be run later.
using Recording = std::vector<std::function<void()>>;
inline Recording* recording = nullptr;

}  // namespace weir::simt
