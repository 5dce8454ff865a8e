// Kernels whose costs are known: selftest/check_counts.py.
#include <cuda_profiler_api.h>

#include "tests/ptx/selftest/bugs.hpp"

namespace {

constexpr int far = 4096;  // doubles: another sector for every lane and every step

__global__ void chain(double* x) {  // four reads, each of where the one before says; the first says 0
  int at = static_cast<int>(threadIdx.x) * 4;
  for (int k = 0; k < 4; ++k) at = static_cast<int>(x[at + k * far]) + static_cast<int>(threadIdx.x) * 4;
  x[at] = 1;
}
__global__ void independent(double* x) {
  const double* mine = x + threadIdx.x * 4;
  x[threadIdx.x] = mine[0] + mine[far] + mine[2 * far] + mine[3 * far];
}
__global__ void strided(double* x) { x[32 * 32 + threadIdx.x] = x[32 * threadIdx.x]; }
__global__ void conflicts(float* x) {
  __shared__ float s[1024];
  s[32 * threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}
__global__ void read_twice(const double* x, double* out, int n) {
  double sum = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = static_cast<int>(threadIdx.x); i < n; i += 32) sum += x[i];
  if (sum == 1) *out = sum;
}
// Block 1 waits for block 0, which reads four times one after the other first.
__global__ void wait(double* x, int* flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    int at = 0;
    for (int k = 0; k < 4; ++k) at = static_cast<int>(x[at + k * far]);
    asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(flag), "r"(at + 1) : "memory");
  } else {
    int seen = 0;
    while (!seen) asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  }
}
__global__ void divide(double* x) { x[threadIdx.x] = x[threadIdx.x] / (x[threadIdx.x] + 3) + 1; }

void copies(Buffers& b) {
  std::vector<char> host(1 << 16);
  cudaMemcpy(b.ints, host.data(), 16, cudaMemcpyHostToDevice);
  cudaMemcpy(host.data(), b.ints, 4095, cudaMemcpyDeviceToHost);
  cudaMemcpy(b.ints, host.data(), 1 << 16, cudaMemcpyHostToDevice);
  cudaMemcpy(b.ints + 64, b.ints, 64, cudaMemcpyDeviceToDevice);
  cudaMemset(b.ints, 0, 64);
  cudaDeviceSynchronize();
  cudaStreamSynchronize(nullptr);
}

// Launches before the window do not count.
template <class F>
void counted(Buffers& b, const F& f) {
  strided<<<1, 32>>>(b.doubles);
  cudaProfilerStart();
  f();
  cudaProfilerStop();
  strided<<<1, 32>>>(b.doubles);
}

}  // namespace

const std::map<std::string, Bug> counted_kernels = {
    {"chain", [](Buffers& b) { counted(b, [&] { chain<<<1, 32>>>(b.doubles + 65536); }); }},
    {"independent", [](Buffers& b) { counted(b, [&] { independent<<<1, 32>>>(b.doubles + 64); }); }},
    {"strided", [](Buffers& b) { counted(b, [&] { strided<<<1, 32>>>(b.doubles + 65536); }); }},
    {"conflicts", [](Buffers& b) { counted(b, [&] { conflicts<<<2, 32>>>(reinterpret_cast<float*>(b.ints)); }); }},
    {"read_twice", [](Buffers& b) { counted(b, [&] { read_twice<<<1, 32>>>(b.doubles + 32768, b.doubles, 65536); }); }},
    {"wait", [](Buffers& b) { counted(b, [&] { wait<<<2, 32>>>(b.doubles + 32768, b.ints); }); }},
    {"divide", [](Buffers& b) { counted(b, [&] { divide<<<1, 32>>>(b.doubles + 32768); }); }},
    {"copies", [](Buffers& b) { counted(b, [&] { copies(b); }); }},
};
