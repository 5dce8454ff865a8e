// Streams, events, asynchronous copies and kernel launches of a CUDA device.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace weir {

struct LaunchConfig {
  dim3 grid = 1, block = 1;
  std::size_t shared_bytes = 0;
  bool cooperative = false;  // all blocks resident at once: grid_sync() may be used
  bool collectives = true;   // false: no barriers, shuffles or shared memory in it; the emulator then runs a plain loop
  const char* name = "kernel";
};

namespace backend {

// Throws weir::Error with the exit code that fits (out of memory, no device, internal) unless the status is success.
void check(cudaError_t status, const char* what);
void allow_shared_bytes(const void* kernel, std::size_t bytes);

}  // namespace backend

class Event {
 public:
  Event() { backend::check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void synchronise() { backend::check(cudaEventSynchronize(event_), "waiting for an event"); }
  cudaEvent_t native() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Work of one stream runs in order; streams run beside each other and beside the default stream unless events order
// them.
class Stream {
 public:
  Stream() { backend::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
  ~Stream() {
    if (stream_) cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void synchronise() { backend::check(cudaStreamSynchronize(stream_), "waiting for a stream"); }
  void record(Event& e) { backend::check(cudaEventRecord(e.native(), stream_), "recording an event"); }
  void wait(const Event& e) { backend::check(cudaStreamWaitEvent(stream_, e.native()), "waiting for an event"); }
  cudaStream_t native() const { return stream_; }

 private:
  friend Stream& default_stream();
  struct Default {};
  explicit Stream(Default) {}
  cudaStream_t stream_ = nullptr;
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
  constexpr std::size_t always_allowed = 48 * 1024;
  if (config.shared_bytes > always_allowed)
    backend::allow_shared_bytes(reinterpret_cast<const void*>(kernel), config.shared_bytes);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t c{};
  c.gridDim = config.grid;
  c.blockDim = config.block;
  c.dynamicSmemBytes = config.shared_bytes;
  c.stream = stream.native();
  c.attrs = &attribute;
  c.numAttrs = config.cooperative ? 1 : 0;
  backend::check(cudaLaunchKernelEx(&c, kernel, static_cast<P>(std::forward<A>(arguments))...), config.name);
}

}  // namespace weir
