// Memory and execution of the emulated device.
#pragma once
#include <cstdint>

namespace weir::backend {

void* device_allocate(std::int64_t bytes);  // poisoned; throws Error(out_of_memory)
void device_release(void* p, std::int64_t bytes);
void copy_to_device(void* device, const void* host, std::int64_t bytes);
void copy_to_host(void* host, const void* device, std::int64_t bytes);
void synchronise();  // all work submitted so far is done
const char* device_name();

// A kernel without collectives: a plain loop at native speed. By a copy of f: through the reference the compiler turns
// every access into a gather.
template <class F>
void run_loop(std::int64_t n, const F& f) {
  const F body = f;
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) body(static_cast<int>(i));
}
template <class F>
void run_loop_3d(int nx, int ny, int nz, const F& f) {
  const F body = f;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j) {
#pragma omp simd
      for (int i = 0; i < nx; ++i) body(i, j, k);
    }
}

}  // namespace weir::backend
