// Bugs of device code.
#include "tests/ptx/selftest/bugs.hpp"

namespace {

__global__ void past_the_end(double* x, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i <= n) x[i] = i;
}
__global__ void shared_past_the_end(double* x) {
  __shared__ double s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void no_barrier(int* x) {
  __shared__ int s[128];
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  x[threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void no_syncwarp(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  x[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void wrong_mask(int* x) {
  int v = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 16) v = __shfl_down_sync(0xffffffffu, v, 1);
  x[threadIdx.x] = v;
}
__global__ void two_barriers(int* x) {
  if (threadIdx.x < 16) {
    x[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] += x[31 - threadIdx.x];
  } else {
    x[threadIdx.x] = 2;
    __syncthreads();
    x[threadIdx.x] *= 3;
  }
}
__global__ void misaligned(char* x) { *reinterpret_cast<double*>(x + 4) = 1; }
__global__ void wait_for_ever(int* x) {
  while (atomicAdd(x, 0) == 0) {
  }
}
__global__ void add_without_atomic(int* x) {
  const int v = *static_cast<volatile int*>(x);
  *static_cast<volatile int*>(x) = v + 1;
}
__global__ void __launch_bounds__(1024) fill(int* x, int v) { x[threadIdx.x] = v; }
__global__ void barrier_for_some(int* x) {
  if (threadIdx.x < 32) asm volatile("barrier.sync 0, 64;");
  x[threadIdx.x] = 1;
}
// 64 numbers that all live at a time.
template <int n>
__global__ void hungry(double* x) {
  double a[n], s = 0;
  for (int k = 0; k < n; ++k) a[k] = x[k * 1024 + static_cast<int>(threadIdx.x)];
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) a[k] = a[k] * a[(k + j) % n] + s;
    s += a[j];
  }
  for (int k = 0; k < n; ++k) x[k * 1024 + static_cast<int>(threadIdx.x)] = a[k] + s;
}
extern __shared__ double dynamic_memory[];
__global__ void dynamic(double* x) {
  dynamic_memory[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = dynamic_memory[threadIdx.x] + 1;
}

std::vector<int> counted_down(int from) {
  std::vector<int> v(32);
  for (int k = 0; k < 32; ++k) v[static_cast<std::size_t>(k)] = from - k;
  return v;
}

}  // namespace

const std::map<std::string, Bug> bugs_in_kernels = {
    {"past_the_end", [](Buffers& b) { past_the_end<<<8, 128>>>(b.thousand, 1000); }},
    {"shared_past_the_end", [](Buffers& b) { shared_past_the_end<<<1, 64>>>(b.doubles); }},
    {"no_barrier",
     [](Buffers& b) {
       no_barrier<<<1, 128>>>(b.ints);
       b.expected = counted_down(127);
     }},
    {"no_syncwarp",
     [](Buffers& b) {
       no_syncwarp<<<1, 32>>>(b.ints);
       b.expected = counted_down(31);
     }},
    {"wrong_mask", [](Buffers& b) { wrong_mask<<<1, 32>>>(b.ints); }},
    {"two_barriers", [](Buffers& b) { two_barriers<<<1, 32>>>(b.ints); }},
    {"barrier_for_some", [](Buffers& b) { barrier_for_some<<<1, 64>>>(b.ints); }},
    {"misaligned", [](Buffers& b) { misaligned<<<1, 1>>>(reinterpret_cast<char*>(b.thousand)); }},
    {"wait_for_ever", [](Buffers& b) { wait_for_ever<<<1, 1>>>(b.ints); }},
    {"add_without_atomic",
     [](Buffers& b) {
       add_without_atomic<<<8, 1>>>(b.ints);
       b.expected = {8};
     }},
    {"freed_memory",
     [](Buffers& b) {
       cudaFree(b.thousand);
       past_the_end<<<1, 128>>>(b.thousand, 100);
     }},
    {"host_memory",
     [](Buffers&) {
       std::vector<double> host(2000);
       past_the_end<<<1, 128>>>(host.data(), 100);
       cudaDeviceSynchronize();
     }},
    {"too_many_registers", [](Buffers& b) { hungry<64><<<1, 1024>>>(b.doubles); }},
    {"too_much_shared", [](Buffers& b) { dynamic<<<1, 128, 60000>>>(b.doubles); }},
    {"too_large_grid", [](Buffers& b) { fill<<<dim3(1, 70000), 128>>>(b.ints, 1); }},
    {"none",
     [](Buffers& b) {
       fill<<<1, 128>>>(b.ints, 3);
       b.expected = std::vector<int>(32, 3);
     }},
};
