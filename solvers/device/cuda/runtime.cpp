// Memory and errors of a CUDA device.
#include "solvers/device/cuda/backend/runtime.hpp"
#include "solvers/device/cuda/backend/reduction.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "solvers/device/cuda/driver_version.hpp"
#include "solvers/device/ledger.hpp"

namespace weir {
namespace backend {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const std::string text = std::string(what) + ": " + cudaGetErrorString(status);
  cudaGetLastError();  // an error that leaves the context usable must not be met again by the next check
  switch (status) {
    case cudaErrorMemoryAllocation:
      throw Error(Exit::out_of_memory, text);
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorInitializationError:
    case cudaErrorDevicesUnavailable:
      throw Error(Exit::no_device, text);
    default:
      throw Error(Exit::internal, text);
  }
}

void allow_shared_bytes(const void* kernel, std::size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "shared memory");
}

bool& waits_for_launches() {
  static bool waits = [] {
    const char* s = std::getenv("WEIR_CUDA_SYNC");
    return s && s[0] == '1';
  }();
  return waits;
}

void wait_for_launch(const void* kernel, const char* name) {
  const char* symbol = nullptr;  // requested first: after an illegal access the context answers nothing
  const bool has_symbol = cudaFuncGetName(&symbol, kernel) == cudaSuccess && symbol;
  const cudaError_t status = cudaDeviceSynchronize();
  if (status == cudaSuccess) return;
  std::string text = name;
  if (has_symbol) {
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(symbol, nullptr, nullptr, &failed),
                                                          std::free);
    text += std::string(" (") + (failed == 0 ? readable.get() : symbol) + ")";
  }
  check(status, text.c_str());
}

void refuse_recording(const char* what) {
  if (launch_stream)
    throw Error(Exit::internal, std::string(what) + " is not allowed while work is recorded as a graph");
}

void* device_allocate(std::int64_t bytes) {
  refuse_recording("an allocation");
  void* p = nullptr;
  check(cudaMalloc(&p, static_cast<std::size_t>(bytes)), "device memory");
  Ledger& l = ledger();
  ++l.device_allocations;
  l.device_bytes += bytes;
  l.device_peak_bytes = std::max(l.device_peak_bytes, l.device_bytes);
  return p;
}

void device_release(void* p, std::int64_t bytes) noexcept {
  ledger().device_bytes -= bytes;
  cudaFree(p);  // a failure here belongs to an earlier kernel and is reported by the next wait
}

void copy_to_device(void* device, const void* host, std::int64_t bytes) {
  if (bytes == 0) return;
  refuse_recording("a copy");
  check(cudaMemcpy(device, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice), "copy to the device");
  ++ledger().copies_to_device;
  ++ledger().synchronisations;
  ledger().bytes_to_device += bytes;
}

void copy_to_host(void* host, const void* device, std::int64_t bytes) {
  if (bytes == 0) return;
  refuse_recording("a copy");
  check(cudaMemcpy(host, device, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost), "copy to the host");
  ++ledger().copies_to_host;
  ++ledger().synchronisations;
  ledger().bytes_to_host += bytes;
}

void set_zero(void* device, std::int64_t bytes) {
  if (bytes <= 0) return;
  check(cudaMemsetAsync(device, 0, static_cast<std::size_t>(bytes), launch_stream), "zeros");
  ++ledger().launches;
}

// Less what kernels with arrays of their own (at most 2.5 KB per thread) reserve for all threads that fit on the
// device.
std::int64_t free_memory() {
  constexpr std::int64_t most_stack = 2560;
  std::size_t free = 0, total = 0;
  int number = 0, multiprocessors = 0, threads = 0;
  check(cudaMemGetInfo(&free, &total), "free memory of the device");
  check(cudaGetDevice(&number), "the device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number), "the device");
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, number), "the device");
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(free) - most_stack * multiprocessors * threads);
}

void synchronise() {
  refuse_recording("a synchronisation");
  check(cudaDeviceSynchronize(), "waiting for the device");
  ++ledger().synchronisations;
}

const char* device_name() {
  static const std::string name = [] {
    cudaDeviceProp p{};
    int number = 0;
    cudaGetDevice(&number);
    return cudaGetDeviceProperties(&p, number) == cudaSuccess ? std::string(p.name) : std::string("no CUDA device");
  }();
  return name.c_str();
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
bool device_available() { return device_count() > 0; }

std::string why_no_device() {
  int count = 0, driver = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return "";
  cudaGetLastError();
  cudaDriverGetVersion(&driver);  // 0 without a driver
  if (status == cudaErrorInsufficientDriver && driver > 0) return too_old_driver(driver, CUDART_VERSION);
  return status == cudaSuccess ? "CUDA finds no GPU" : std::string("CUDA finds no GPU: ") + cudaGetErrorString(status);
}

void select_device(int number) { check(cudaSetDevice(number), "choosing the device"); }

double* reduction_partials() {
  static auto* const partials = static_cast<double*>(
      device_allocate(2 * std::int64_t{most_reduction_blocks} * static_cast<std::int64_t>(sizeof(double))));
  return partials;
}

unsigned resident_blocks(const void* kernel, unsigned threads) {
  int number = 0, multiprocessors = 0, blocks = 0;
  check(cudaGetDevice(&number), "the device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number), "the device");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), 0), "occupancy");
  return static_cast<unsigned>(std::max(1, blocks * multiprocessors));
}

unsigned* reduction_arrivals() {
  static unsigned* const count = [] {
    void* p = device_allocate(sizeof(unsigned));
    check(cudaMemset(p, 0, sizeof(unsigned)), "zeros");
    return static_cast<unsigned*>(p);
  }();
  return count;
}

double* reduction_result() {
  static thread_local const std::unique_ptr<void, void (*)(void*)> result(pinned_allocate(64), pinned_release);
  return static_cast<double*>(result.get());
}

}  // namespace backend

void* pinned_allocate(std::int64_t bytes) {
  void* p = nullptr;
  backend::check(cudaMallocHost(&p, static_cast<std::size_t>(bytes)), "pinned memory");
  return p;
}
void pinned_release(void* p) noexcept { cudaFreeHost(p); }

}  // namespace weir
