// Kernel launches of a CUDA device, all in its default stream (or, recorded, in the stream of a graph), and pinned
// memory.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "solvers/device/cuda/launch_limits.hpp"
#include "solvers/device/ledger.hpp"

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
// WEIR_CUDA_SYNC=1: each launch is waited for, so that an error carries the name of the kernel that made it.
bool& waits_for_launches();
void wait_for_launch(const void* kernel, const char* name);
// Stream of the launches of this thread: null, the default stream; while a graph is recorded, the stream of the record.
inline thread_local cudaStream_t launch_stream = nullptr;
// Throws Error while a graph is recorded: CUDA would run the work at once, in no order with what is recorded.
void refuse_recording(const char* what);

}  // namespace backend

// Host memory that the device reaches by itself.
void* pinned_allocate(std::int64_t bytes);
void pinned_release(void* p) noexcept;

// Arguments are converted to the kernel's parameter types and copied before launch() returns.
template <class... P, class... A>
void launch(const LaunchConfig& config, void (*kernel)(P...), A&&... arguments) {
  if (config.shared_bytes > backend::dynamic_without_asking)
    backend::allow_shared_bytes(reinterpret_cast<const void*>(kernel), config.shared_bytes);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t c{};
  c.gridDim = config.grid;
  c.blockDim = config.block;
  c.dynamicSmemBytes = config.shared_bytes;
  c.stream = backend::launch_stream;
  c.attrs = &attribute;
  c.numAttrs = config.cooperative ? 1 : 0;
  backend::check(cudaLaunchKernelEx(&c, kernel, static_cast<P>(std::forward<A>(arguments))...), config.name);
  ++ledger().launches;
  if (backend::waits_for_launches()) backend::wait_for_launch(reinterpret_cast<const void*>(kernel), config.name);
}

}  // namespace weir
