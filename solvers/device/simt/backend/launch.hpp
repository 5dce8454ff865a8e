// Kernel launches of the emulated device, which run at once, and pinned memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "backend/dialect.hpp"
#include "backend/recording.hpp"

namespace weir {

struct LaunchConfig {
  dim3 grid = 1, block = 1;
  std::size_t shared_bytes = 0;
  bool cooperative = false;  // all blocks resident at once: grid_sync() may be used
  bool collectives = true;   // false: no barriers, shuffles or shared memory in it; the emulator then runs a plain loop
  const char* name = "kernel";
};

namespace simt {
using Body = void (*)(const void* arguments);
void run_kernel(const LaunchConfig& config, Body body, const void* arguments, std::size_t bytes);
}  // namespace simt

// Host memory that the device reaches by itself.
void* pinned_allocate(std::int64_t bytes);
void pinned_release(void* p) noexcept;

// Arguments are converted to the kernel's parameter types and copied before launch() returns.
template <class... P, class... A>
void launch(const LaunchConfig& config, void (*kernel)(P...), A&&... arguments) {
  struct Call {
    void (*kernel)(P...);
    std::tuple<P...> arguments;
  };
  const Call call{kernel, std::tuple<P...>(static_cast<P>(std::forward<A>(arguments))...)};
  const simt::Body body = [](const void* p) {
    std::apply(static_cast<const Call*>(p)->kernel, static_cast<const Call*>(p)->arguments);
  };
  if (simt::recording)
    simt::recording->push_back([=] { simt::run_kernel(config, body, &call, sizeof call); });
  else
    simt::run_kernel(config, body, &call, sizeof call);
}

}  // namespace weir
