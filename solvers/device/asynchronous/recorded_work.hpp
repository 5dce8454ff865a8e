// Work that is the same each time, launched as one.
#pragma once
#include <optional>
#include <type_traits>

#include "backend/graph.hpp"
#include "backend/runtime.hpp"
#include "solvers/device/asynchronous/skip_where.hpp"
#include "solvers/device/asynchronous/sums_stay.hpp"
#include "solvers/device/space.hpp"

namespace weir {

// Device: the first run(f) records what f launches (a CUDA graph), that and later ones launch it at once, f itself not
// being called again. So f may launch kernels, loops, fills and sums that stay (sums_stay.hpp), nothing that the host
// waits for; what it launches must have the same arguments each time and its memory stay where it is, else forget()
// first. The flag of SkipWhere and the place of SumsStay are such arguments: where one has changed, f is recorded
// again. Host, in a recording, and where each launch is to be waited for (WEIR_CUDA_SYNC=1): f().
template <class Space>
class RecordedWork {
 public:
  template <class F>
  void run(const F& f) {
    if constexpr (std::is_same_v<Space, Host>) {
      f();
    } else {
      if (backend::Graph::is_recording() || backend::waits_for_launches()) return f();
      const Surroundings now{detail::skip_flag(), detail::place_of_sums().next};
      if (!graph_.recorded() || now != recorded_in_) {
        record(f);
        recorded_in_ = now;
        sums_ = detail::place_of_sums().next;
      }
      detail::place_of_sums().next = sums_;
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

  struct Surroundings {
    const double *skip, *sums;
    bool operator==(const Surroundings&) const = default;
  };
  Surroundings recorded_in_{};
  double* sums_ = nullptr;  // the next place after the recorded ones
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<std::is_same_v<Space, Host>, Nothing, backend::Graph> graph_;
};

// Work whose launches have the same arguments most times, as `Arguments` tells: recorded where they are those of the time before.
template <class Space, class Arguments>
class RepeatedWork {
 public:
  template <class F>
  void run(const Arguments& now, const F& f) {
    if (last_ == now) return recorded_.run(f);
    recorded_.forget();
    last_ = now;
    f();
  }

 private:
  std::optional<Arguments> last_;
  RecordedWork<Space> recorded_;
};

}  // namespace weir
