#pragma once
#include <cstddef>
#include <cstdint>

#include "backend/dialect.hpp"
#include "backend/runtime.hpp"

namespace weir {

struct LaunchConfig {
  dim3 grid = 1, block = 1;
  std::size_t shared_bytes = 0;
  bool cooperative = false, collectives = true;
  const char* name = "kernel";
};

[[noreturn]] inline void* pinned_allocate(std::int64_t) { backend::no_device(); }
inline void pinned_release(void*) noexcept {}

template <class... P, class... A>
[[noreturn]] void launch(const LaunchConfig&, void (*)(P...), A&&...) {
  backend::no_device();
}

}  // namespace weir
