// Seconds of a scope of work in a space, added to an accumulator. Device: of what it launches, known once
// complete_timers() is called (backend/timer.hpp); a clock around launches would tell how long it takes to submit them.
#pragma once
#include <optional>
#include <type_traits>

#include "backend/timer.hpp"
#include "base/timer.hpp"
#include "solvers/device/space.hpp"

namespace weir {

template <class Space>
using SpaceTimer = std::conditional_t<std::is_same_v<Space, Host>, ScopedTimer, backend::Timer>;

// The same, known at the end of the scope, which waits.
template <class Space>
class WaitingTimer {
 public:
  explicit WaitingTimer(double& seconds) : timer_(std::in_place, seconds) {}
  ~WaitingTimer() {
    timer_.reset();
    if constexpr (!std::is_same_v<Space, Host>) backend::complete_timers();
  }
  WaitingTimer(const WaitingTimer&) = delete;
  WaitingTimer& operator=(const WaitingTimer&) = delete;

 private:
  std::optional<SpaceTimer<Space>> timer_;
};

// f(), its seconds added: to a double, or to NamedSeconds.
template <class Space, class Seconds, class F>
auto timed(Seconds&& seconds, const F& f) {
  SpaceTimer<Space> timer(seconds);
  return f();
}

}  // namespace weir
