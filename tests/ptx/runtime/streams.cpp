#include "tests/ptx/runtime/streams.hpp"

#include <algorithm>
#include <vector>

namespace weir::ptx {

namespace {
struct Work {
  enum What { run, record, wait } what;
  u64 number;
  StreamWork function;
  Event* event = nullptr;
  u64 of_record = 0;
};
}  // namespace

struct Stream {
  std::deque<Work> queue;
  bool waits_for_default = true;
  Graph* graph = nullptr;
};

namespace {

std::vector<Stream*> streams;
u64 numbers = 0;
int first_error = 0;

bool older_work(const Stream& s, u64 number) { return !s.queue.empty() && s.queue.front().number < number; }

// The default stream and those that are not non-blocking wait for each other's older work.
bool ready(Stream* s) {
  if (s->queue.empty()) return false;
  const Work& next = s->queue.front();
  if (next.what == Work::wait && next.event->pending.contains(next.of_record)) return false;
  if (s != default_stream()) return !s->waits_for_default || !older_work(*default_stream(), next.number);
  return std::none_of(streams.begin(), streams.end(),
                      [&](const Stream* other) { return other->waits_for_default && older_work(*other, next.number); });
}

void step(Stream* s) {
  const Work work = std::move(s->queue.front());
  s->queue.pop_front();
  if (work.what == Work::record) {
    work.event->pending.erase(work.of_record);
    work.event->happened = std::chrono::steady_clock::now();
  }
  if (work.what == Work::run && !first_error) first_error = work.function();
}

template <class Done>
void until(const Done& done) {
  while (!done()) {
    std::vector<Stream*> able;
    if (ready(default_stream())) able.push_back(default_stream());
    std::copy_if(streams.begin(), streams.end(), std::back_inserter(able), ready);
    if (able.empty()) unsupported("streams that wait for each other");
    step(able[random_number() % able.size()]);
  }
}

void push(Stream* s, Work work) {
  work.number = ++numbers;
  s->queue.push_back(std::move(work));
  if (options.eager) return finish(s);
  if (!one_in(4)) return;
  for (u64 n = random_number() % 3; n > 0; --n) {  // a GPU has begun already
    Stream* any = streams.empty() || one_in(2) ? default_stream() : streams[random_number() % streams.size()];
    if (ready(any)) step(any);
  }
}

}  // namespace

Stream* default_stream() {
  static Stream stream;
  return &stream;
}
Stream* new_stream(bool waits_for_default) {
  streams.push_back(new Stream{{}, waits_for_default, nullptr});
  return streams.back();
}
void destroy(Stream* s) {
  finish(s);
  std::erase(streams, s);
  delete s;
}

void submit(Stream* s, StreamWork work) {
  if (s->graph) return s->graph->nodes.push_back(std::move(work));
  push(s, {Work::run, 0, std::move(work)});
}
void capture(Stream* s, Graph* into) { s->graph = into; }
Graph* captured(const Stream* s) { return s->graph; }
bool any_captured() {
  return std::any_of(streams.begin(), streams.end(), [](const Stream* s) { return s->graph != nullptr; });
}
void record(Event& event, Stream* s) {
  if (s->graph) unsupported("an event in a captured stream");
  event.last = ++numbers;
  event.pending.insert(event.last);
  push(s, {Work::record, 0, {}, &event, event.last});
}
void wait_for(Stream* s, Event& event) {
  if (event.pending.contains(event.last)) push(s, {Work::wait, 0, {}, &event, event.last});
}
bool in_use(const Event& event) {
  const auto names = [&](const Stream* s) {
    return std::any_of(s->queue.begin(), s->queue.end(), [&](const Work& w) { return w.event == &event; });
  };
  return names(default_stream()) || std::any_of(streams.begin(), streams.end(), names);
}

void finish(Stream* s) {
  until([&] { return s->queue.empty(); });
}
void finish(const Event& event) {
  until([&, of_record = event.last] { return !event.pending.contains(of_record); });
}
void finish_all() {
  until([] {
    return default_stream()->queue.empty() &&
           std::all_of(streams.begin(), streams.end(), [](const Stream* s) { return s->queue.empty(); });
  });
}

int context_error() { return first_error; }

}  // namespace weir::ptx
