// Memory and independent loops of a CUDA device.
#pragma once
#include <cstdint>
#include <string>

#include "backend/launch.hpp"

namespace weir::backend {

inline constexpr bool emulated = false;

void* device_allocate(std::int64_t bytes);  // not initialised; throws Error(out_of_memory) or Error(no_device)
void device_release(void* p, std::int64_t bytes) noexcept;
void copy_to_device(void* device, const void* host, std::int64_t bytes);  // both wait until the copy is done
void copy_to_host(void* host, const void* device, std::int64_t bytes);
void set_zero(void* device, std::int64_t bytes);  // in order with launches
std::int64_t free_memory();                       // bytes that the chosen device still has
void synchronise();                               // all work submitted so far is done
const char* device_name();
bool device_available();
std::string why_no_device();  // empty where there is one: no GPU, or a driver that is too old for this build
int device_count();
void select_device(int number);  // for this process, before anything lies on a device

// Defined where nvcc compiles, used nowhere else.
template <class F>
void run_loop(std::int64_t n, const F& f);
template <class F>
void run_loop_3d(int nx, int ny, int nz, const F& f);

#if defined(__CUDACC__)

// One thread an index; 128 threads keep enough blocks in flight even for small n.
template <class F>
__global__ void loop_kernel(int n, F f) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) f(i);
}
template <class F>
__global__ void loop_kernel_3d(int nx, int ny, int nz, F f) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int j0 = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y),
            jstep = static_cast<int>(gridDim.y * blockDim.y),
            k0 = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z),
            kstep = static_cast<int>(gridDim.z * blockDim.z);
  if (i >= nx) return;
  for (int k = k0; k < nz; k += kstep)
    for (int j = j0; j < ny; j += jstep) f(i, j, k);
}

inline unsigned blocks_for(std::int64_t n, unsigned threads) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}

template <class F>
void run_loop(std::int64_t n, const F& f) {
  if (n <= 0) return;
  constexpr unsigned threads = 128;
  launch({.grid = blocks_for(n, threads), .block = threads, .name = "for_each"}, loop_kernel<F>, static_cast<int>(n),
         f);
}

template <class F>
void run_loop_3d(int nx, int ny, int nz, const F& f) {
  if (nx <= 0 || ny <= 0 || nz <= 0) return;
  const LoopBlock b = loop_block(static_cast<unsigned>(nx), static_cast<unsigned>(ny), static_cast<unsigned>(nz));
  const unsigned rows = blocks_for(ny, b.y), layers = blocks_for(nz, b.z), limit = 65535;
  const dim3 grid(blocks_for(nx, b.x), rows < limit ? rows : limit, layers < limit ? layers : limit);
  launch({.grid = grid, .block = dim3(b.x, b.y, b.z), .name = "for_each"}, loop_kernel_3d<F>, nx, ny, nz, f);
}

#endif

}  // namespace weir::backend
