// Streams and events: queues of work that run when somebody waits, one piece at a time from a stream chosen at random.
// Host code that forgets to wait, and streams that need an event between them, therefore see stale data, repeatably by
// the seed.
#include "streams.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "solvers/device/simt/backend/runtime.hpp"
#include "base/error.hpp"
#include "machine.hpp"

namespace weir {
namespace simt {

struct EventState {
  std::uint64_t recorded = 0, reached = 0;
};

struct Work {
  std::function<void()> run;  // none: waits for the event
  std::shared_ptr<EventState> event;
  std::uint64_t count = 0;
};

struct StreamState {
  std::deque<Work> pending;
};

namespace {

struct Streams {
  std::vector<StreamState*> all;
  std::uint64_t random = 0;
};
Streams& streams() {
  static Streams s;
  return s;
}

std::uint64_t next_random() {
  std::uint64_t& r = streams().random;
  if (r == 0) r = (options().seed + 1) * 0x9E3779B97F4A7C15ull | 1;
  r ^= r << 13;
  r ^= r >> 7;
  r ^= r << 17;
  return r >> 16;
}

bool can_run(const StreamState& s) {
  if (s.pending.empty()) return false;
  const Work& w = s.pending.front();
  return !w.event || w.run || w.event->reached >= w.count;
}

// One piece of work of some stream; false where none can run.
bool run_one() {
  std::vector<StreamState*> able;
  for (StreamState* s : streams().all)
    if (can_run(*s)) able.push_back(s);
  if (able.empty()) return false;
  StreamState& s = *able[next_random() % able.size()];
  const Work w = std::move(s.pending.front());
  s.pending.pop_front();
  if (!w.run) return true;
  try {
    w.run();
  } catch (...) {  // a failed launch loses the device: what is pending is dropped
    for (StreamState* t : streams().all) t->pending.clear();
    throw;
  }
  return true;
}

void run_until_empty(const StreamState& s) {
  while (!s.pending.empty())
    if (!run_one()) throw Error(Exit::internal, "streams wait for an event that nobody will reach");
}

}  // namespace

void drain_streams() noexcept {
  try {
    while (run_one()) {
    }
  } catch (...) {
  }
}

}  // namespace simt

Event::Event() : state_(std::make_shared<simt::EventState>()) {}
Event::~Event() = default;
void Event::synchronise() {
  while (state_->reached < state_->recorded)
    if (!simt::run_one()) throw Error(Exit::internal, "waiting for an event that nobody will reach");
}

Stream::Stream() : state_(std::make_shared<simt::StreamState>()) { simt::streams().all.push_back(state_.get()); }
Stream::~Stream() {
  if (!state_) return;
  try {
    synchronise();
  } catch (...) {
  }
  std::erase(simt::streams().all, state_.get());
}

void Stream::submit(std::function<void()> work) {
  if (!state_) return work();
  state_->pending.push_back({std::move(work), nullptr, 0});
}
void Stream::synchronise() {
  if (state_) simt::run_until_empty(*state_);
}
void Stream::record(Event& e) {
  const std::uint64_t count = ++e.state_->recorded;
  submit([state = e.state_, count] { state->reached = std::max(state->reached, count); });
}
void Stream::wait(const Event& e) {
  if (!state_) {
    Event& event = const_cast<Event&>(e);
    return event.synchronise();
  }
  if (e.state_->recorded > 0) state_->pending.push_back({{}, e.state_, e.state_->recorded});
}

Stream& default_stream() {
  static Stream stream{Stream::Default{}};
  return stream;
}

void backend::synchronise() {
  for (simt::StreamState* s : simt::streams().all) simt::run_until_empty(*s);
}

}  // namespace weir
