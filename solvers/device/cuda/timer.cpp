// Pairs of events in the default stream. After a failure a scope is not timed; the next wait reports the error.
#include "solvers/device/cuda/backend/timer.hpp"

#include <cuda_runtime.h>

#include <deque>
#include <vector>

namespace weir::backend {
namespace {

struct Scope {
  cudaEvent_t begin, end;
  double* seconds;
};

// Per thread. The events themselves are never destroyed: that must not happen after the driver's end.
std::deque<Scope>& ended() {
  static thread_local std::deque<Scope> scopes;
  return scopes;
}
std::vector<cudaEvent_t>& spare() {
  static thread_local std::vector<cudaEvent_t> events;
  return events;
}

cudaEvent_t take() {
  cudaEvent_t e = nullptr;
  if (!spare().empty()) {
    e = spare().back();
    spare().pop_back();
  } else if (cudaEventCreate(&e) != cudaSuccess) {
    e = nullptr;
  }
  return e;
}

void complete_first() noexcept {
  const Scope s = ended().front();
  ended().pop_front();
  float milliseconds = 0;
  if (cudaEventSynchronize(s.end) == cudaSuccess && cudaEventElapsedTime(&milliseconds, s.begin, s.end) == cudaSuccess)
    *s.seconds += 1e-3 * static_cast<double>(milliseconds);
  spare().push_back(s.begin);
  spare().push_back(s.end);
}

}  // namespace

Timer::Timer(const NamedSeconds& to)
    : region_(to.system, to.kernel), seconds_(&to.seconds), begin_(nullptr), end_(nullptr) {
  while (!ended().empty() && cudaEventQuery(ended().front().end) == cudaSuccess) complete_first();
  cudaGetLastError();  // an event that has not happened yet is no error of the next check's
  begin_ = take();
  end_ = take();
  if (begin_) cudaEventRecord(static_cast<cudaEvent_t>(begin_));
}

Timer::~Timer() {
  const auto begin = static_cast<cudaEvent_t>(begin_), end = static_cast<cudaEvent_t>(end_);
  if (begin && end && cudaEventRecord(end) == cudaSuccess) {
    ended().push_back({begin, end, seconds_});
  } else {
    for (const cudaEvent_t e : {begin, end})
      if (e) spare().push_back(e);
  }
}

void complete_timers() noexcept {
  while (!ended().empty()) complete_first();
}

}  // namespace weir::backend
