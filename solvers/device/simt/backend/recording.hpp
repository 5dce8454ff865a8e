// Where launches go that are recorded and not run (graph.hpp). Apart from launch.hpp, whose names of CUDA a user's program must not see.
#pragma once
#include <functional>
#include <vector>

#include "solvers/device/asynchronous/skip_where.hpp"

namespace weir::simt {

// Not null: launches, loops, fills and reductions that stay are put down here, to be run later.
using Recording = std::vector<std::function<void()>>;
inline Recording* recording = nullptr;

// f, as what is under way would have it run now.
template <class F>
void record(const F& f) {
  recording->push_back([f, flag = detail::skip_flag()] {
    const SkipWhere skip(flag);
    f();
  });
}

}  // namespace weir::simt
