// cudaMalloc and its kin, copies and fills.
#include <cstring>

#include "tests/ptx/machine/memory.hpp"
#include "tests/ptx/runtime/runtime.hpp"

namespace weir::ptx {
namespace {

u64 address_of(const void* p) { return reinterpret_cast<u64>(p); }

// cudaMemcpyDefault tells spaces apart by the addresses, as unified addressing does.
int check_copy(u64 to, u64 from, u64 bytes, cudaMemcpyKind kind) {
  const bool device_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool device_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool spaces = kind == cudaMemcpyDefault || (is_device(to) == device_to && is_device(from) == device_from);
  if (spaces && in_live_allocation(to, bytes) && in_live_allocation(from, bytes)) return cudaSuccess;
  report("FAULT: a copy of " + std::to_string(bytes) +
         (spaces ? " bytes leaves an allocation" : " bytes has a pointer of the wrong space"));
  return cudaErrorInvalidValue;
}

// Between host and device; what is on the device alone is work of its memory.
void count_copy(u64 to, u64 from, u64 bytes) {
  constexpr u64 small = 4096;
  if (!counting().on || bytes == 0 || (is_device(to) && is_device(from))) return;
  ProgramCounts& p = counting().program;
  ++(bytes < small ? p.small_copies : p.large_copies);
  if (bytes >= small) p.copied_bytes += bytes;
}

}  // namespace
}  // namespace weir::ptx

using namespace weir::ptx;

extern "C" {

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  const Guard guard(runtime_lock());
  if (context_error()) return result(context_error());
  *p = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (any_captured()) return result(cudaErrorStreamCaptureUnsupported);
  if (bytes > device_bytes || live_bytes() + bytes > device_bytes) return result(cudaErrorMemoryAllocation);
  *p = reinterpret_cast<void*>(allocate(bytes));
  counting().program.allocations += counting().on;
  count_live(static_cast<s64>(bytes));
  return cudaSuccess;
}
cudaError_t cudaFree(void* p) {  // waits for the device
  const Guard guard(runtime_lock());
  if (!p) return cudaSuccess;
  finish_all();
  const Allocation* a = allocation_of(address_of(p));
  const s64 bytes = a ? static_cast<s64>(a->size) : 0;
  if (!release(address_of(p))) {
    report("FAULT: cudaFree of what is not allocated");
    return result(cudaErrorInvalidValue);
  }
  count_live(-bytes);
  return result(context_error());
}
cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t) { return cudaMalloc(p, bytes); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return cudaFree(p); }

cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
  const Guard guard(runtime_lock());
  *p = allocate_pinned(bytes);
  return *p ? cudaSuccess : result(cudaErrorMemoryAllocation);
}
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) { return cudaMallocHost(p, bytes); }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  const Guard guard(runtime_lock());
  *device = host;  // unified addressing
  return is_pinned(address_of(host)) ? cudaSuccess : result(cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void* p) {
  const Guard guard(runtime_lock());
  if (!p) return cudaSuccess;
  finish_all();
  return release_pinned(p) ? cudaSuccess : result(cudaErrorInvalidValue);
}

// From pageable memory the bytes are taken at once; from pinned memory when the stream gets there, so a host that
// changes them meanwhile is found out. To pageable memory a copy waits.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Guard guard(runtime_lock());
  if (context_error()) return result(context_error());
  const u64 target = address_of(to), source = address_of(from);
  if (const int error = check_copy(target, source, bytes, kind)) return result(error);
  count_copy(target, source, bytes);
  Stream* s = stream_of(stream);
  if (captured(s)) unsupported("a copy in a graph");
  if (!is_device(source) && !is_pinned(source)) {
    const char* begin = static_cast<const char*>(from);
    submit(s, [target, copy = std::vector<char>(begin, begin + bytes)] {
      std::memcpy(real(target), copy.data(), copy.size());
      return 0;
    });
  } else {
    submit(s, [=] {
      std::memmove(real(target), real(source), bytes);
      return 0;
    });
  }
  if (is_device(target) || is_pinned(target)) return cudaSuccess;
  finish(s);
  return result(context_error());
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Guard guard(runtime_lock());
  if (any_captured()) return result(cudaErrorStreamCaptureUnsupported);
  if (const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr)) return error;
  finish(default_stream());
  return result(context_error());
}

cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t stream) {
  const Guard guard(runtime_lock());
  if (context_error()) return result(context_error());
  const u64 target = address_of(p);
  if (bytes && (!is_device(target) || !in_live_allocation(target, bytes))) {
    report("FAULT: cudaMemset leaves an allocation");
    return result(cudaErrorInvalidValue);
  }
  submit(stream_of(stream), [=] {
    counting().program.fills += counting().on;
    if (bytes) std::memset(real(target), value, bytes);
    return 0;
  });
  return cudaSuccess;
}
cudaError_t cudaMemset(void* p, int value, std::size_t bytes) { return cudaMemsetAsync(p, value, bytes, nullptr); }

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  const Guard guard(runtime_lock());
  *total = device_bytes;
  *free_bytes = device_bytes - live_bytes();
  return cudaSuccess;
}

// For the stand-in of cuBLAS: work in the order of a stream, on memory as the device sees it. nullptr: not all there.
void weir_ptx_submit(cudaStream_t stream, void (*work)(void*), void* data) {
  const Guard guard(runtime_lock());
  if (any_captured()) unsupported("cuBLAS while a stream is captured");  // its work is run once
  submit(stream_of(stream), [=] {
    work(data);
    return 0;
  });
}
char* weir_ptx_memory(const void* p, u64 bytes) {
  return is_device(address_of(p)) && in_live_allocation(address_of(p), bytes) ? real(address_of(p)) : nullptr;
}
void weir_ptx_report(const char* what) { report(what); }

}  // extern "C"
