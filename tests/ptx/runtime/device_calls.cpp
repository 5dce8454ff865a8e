// Devices, streams, events, errors.
#include <algorithm>
#include <cstring>

#include "tests/ptx/machine/memory.hpp"
#include "tests/ptx/runtime/limits.hpp"
#include "tests/ptx/runtime/runtime.hpp"

namespace weir::ptx {
namespace {
int remembered = 0;
int current_device = 0;
Event* event_of(cudaEvent_t event) { return reinterpret_cast<Event*>(event); }
}  // namespace

std::recursive_mutex& runtime_lock() {
  static std::recursive_mutex lock;
  return lock;
}
cudaError_t result(int error) {
  if (error) remembered = error;
  return static_cast<cudaError_t>(error);
}
int last_error() { return remembered; }
void forget_last_error() { remembered = context_error(); }

Stream* stream_of(cudaStream_t stream) {
  const bool is_default = stream == nullptr || stream == cudaStreamLegacy;
  return is_default ? default_stream() : reinterpret_cast<Stream*>(stream);
}

}  // namespace weir::ptx

using namespace weir::ptx;

extern "C" {

cudaError_t cudaDeviceSynchronize() {
  const Guard guard(runtime_lock());
  if (any_captured()) return result(cudaErrorStreamCaptureUnsupported);
  counting().program.synchronisations += counting().on;
  finish_all();
  return result(context_error());
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Guard guard(runtime_lock());
  counting().program.synchronisations += counting().on;
  finish(stream_of(stream));
  return result(context_error());
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Guard guard(runtime_lock());
  *stream = reinterpret_cast<cudaStream_t>(new_stream(!(flags & cudaStreamNonBlocking)));
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Guard guard(runtime_lock());
  destroy(stream_of(stream));
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Guard guard(runtime_lock());
  if (!in_use(*event_of(event))) delete event_of(event);  // else it stays, for the queue that names it
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Guard guard(runtime_lock());
  record(*event_of(event), stream_of(stream));
  return result(context_error());
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Guard guard(runtime_lock());
  wait_for(stream_of(stream), *event_of(event));
  return result(context_error());
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Guard guard(runtime_lock());
  const Event& e = *event_of(event);
  counting().program.synchronisations += counting().on && e.pending.contains(e.last);  // no wait for finished work
  finish(e);
  return result(context_error());
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Guard guard(runtime_lock());
  const Event& e = *event_of(event);
  return e.pending.contains(e.last) ? cudaErrorNotReady : cudaSuccess;
}
// The interpreter's time, not a GPU's: more than nothing where work was done.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const Guard guard(runtime_lock());
  for (const cudaEvent_t e : {begin, end}) {
    if (event_of(e)->last == 0) return result(cudaErrorInvalidResourceHandle);
    if (cudaEventQuery(e) != cudaSuccess) return result(cudaErrorNotReady);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(event_of(end)->happened - event_of(begin)->happened).count();
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  const Guard guard(runtime_lock());
  if (device < 0 || device >= options.devices) return result(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = options.devices;
  return options.devices > 0 ? cudaSuccess : result(cudaErrorNoDevice);
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  *p = {};
  std::strcpy(p->name, "PTX interpreter (as an H100)");
  p->totalGlobalMem = device_bytes;
  p->multiProcessorCount = multiprocessors;
  p->major = 9;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsPerMultiProcessor = 2048;
  p->sharedMemPerBlock = shared_default;
  p->sharedMemPerBlockOptin = shared_opt_in;
  p->regsPerBlock = p->regsPerMultiprocessor = registers_per_multiprocessor;
  p->unifiedAddressing = p->canMapHostMemory = p->cooperativeLaunch = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = multiprocessors;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = shared_opt_in;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = shared_default;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = shared_per_multiprocessor;
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    default:
      unsupported("device attribute " + std::to_string(static_cast<int>(attribute)));
  }
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  const Guard guard(runtime_lock());
  const int error = last_error();
  forget_last_error();
  return static_cast<cudaError_t>(error);
}
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(last_error()); }
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchOutOfResources:
      return "too many resources requested for launch";
    case cudaErrorAssert:
      return "device-side assert triggered";
    case cudaErrorMisalignedAddress:
      return "misaligned address";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorCooperativeLaunchTooLarge:
      return "too many blocks in cooperative launch";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorIllegalState:
      return "the operation cannot be performed in the present state";
    default:
      return "unknown error";
  }
}
const char* cudaGetErrorName(cudaError_t error) { return cudaGetErrorString(error); }

}  // extern "C"
