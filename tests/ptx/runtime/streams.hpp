// Streams and events, lazily: work stays in its queue until the host waits, then streams advance in random order as far
// as events and the default stream allow. Code that relies on an order without an event is detected.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <set>
#include <vector>

#include "tests/ptx/base.hpp"

namespace weir::ptx {

struct Event {
  u64 last = 0;           // number of the last record
  std::set<u64> pending;  // records that have not happened
  std::chrono::steady_clock::time_point happened{};
};

struct Stream;
using StreamWork = std::function<int()>;  // returns a cudaError_t

// Work submitted to a stream while it was captured, in order.
struct Graph {
  std::vector<StreamWork> nodes;
};
Stream* default_stream();
Stream* new_stream(bool waits_for_default);
void destroy(Stream* stream);  // once its work is done

void submit(Stream* stream, StreamWork work);
void capture(Stream* stream, Graph* into);  // nullptr: no longer
Graph* captured(const Stream* stream);      // nullptr: it is not captured
bool any_captured();
void record(Event& event, Stream* stream);
void wait_for(Stream* stream, Event& event);
bool in_use(const Event& event);

void finish(Stream* stream);
void finish(const Event& event);
void finish_all();

// The first error of a kernel, which ends the context: everything later gives it again.
int context_error();

}  // namespace weir::ptx
