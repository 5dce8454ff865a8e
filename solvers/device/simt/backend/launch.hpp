// Streams, events, asynchronous copies and kernel launches of the emulated device. Explicit streams are lazy: nothing
// of them runs before somebody waits, and then they take turns at random, as far as events allow. The default stream
// runs at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "backend/dialect.hpp"

namespace weir {

struct LaunchConfig {
  dim3 grid = 1, block = 1;
  std::size_t shared_bytes = 0;
  bool cooperative = false;  // all blocks resident at once: grid_sync() may be used
  bool collectives = true;   // false: no barriers, shuffles or shared memory in it; the emulator then runs a plain loop
  const char* name = "kernel";
};

namespace simt {
struct EventState;
struct StreamState;
using Body = void (*)(const void* arguments);
void run_kernel(const LaunchConfig& config, Body body, const void* arguments, std::size_t bytes);
}  // namespace simt

class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void synchronise();

 private:
  friend class Stream;
  std::shared_ptr<simt::EventState> state_;
};

// Work of one stream runs in order; streams run beside each other and beside the default stream unless events order
// them.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void synchronise();
  void record(Event& e);
  void wait(const Event& e);
  void submit(std::function<void()> work);
  bool is_lazy() const { return state_ != nullptr; }

 private:
  friend Stream& default_stream();
  struct Default {};
  explicit Stream(Default) {}
  std::shared_ptr<simt::StreamState> state_;  // none: the default stream
};

// What for_each, reductions and copies between Arrays run on.
Stream& default_stream();

// Host memory that asynchronous copies need; an asynchronous copy is counted in the ledger when it is submitted.
void* pinned_allocate(std::int64_t bytes);
void pinned_release(void* p) noexcept;
void copy_to_device_async(Stream& stream, void* device, const void* host, std::int64_t bytes);
void copy_to_host_async(Stream& stream, void* host, const void* device, std::int64_t bytes);
void fill_bytes_async(Stream& stream, void* device, int byte, std::int64_t bytes);

// Arguments are converted to the kernel's parameter types and copied before launch() returns.
template <class... P, class... A>
void launch(Stream& stream, const LaunchConfig& config, void (*kernel)(P...), A&&... arguments) {
  struct Call {
    void (*kernel)(P...);
    std::tuple<P...> arguments;
  };
  const Call call{kernel, std::tuple<P...>(static_cast<P>(std::forward<A>(arguments))...)};
  const simt::Body body = [](const void* p) {
    std::apply(static_cast<const Call*>(p)->kernel, static_cast<const Call*>(p)->arguments);
  };
  if (stream.is_lazy())
    stream.submit([config, call, body] { simt::run_kernel(config, body, &call, sizeof call); });
  else
    simt::run_kernel(config, body, &call, sizeof call);
}

}  // namespace weir
