// The words of device code, as CUDA has them. Indices, barriers, shuffles, ballots, fences and atomics keep CUDA's own
// names; what CUDA has no portable word for (shared memory, flags between threads) is named here and in simt/backend
// alike.
#pragma once
#include "backend/host_device.hpp"

// WEIR_SHARED(double, tile, [4][33]);            one array a block
// WEIR_DYNAMIC_SHARED(double, work);             a pointer to the dynamic bytes of the launch
#define WEIR_SHARED(T, name, ...) __shared__ T name __VA_ARGS__
#define WEIR_DYNAMIC_SHARED(T, name)                             \
  extern __shared__ __align__(16) unsigned char weir_dynamic_[]; \
  T* name = reinterpret_cast<T*>(weir_dynamic_)

namespace weir {

template <class T>
struct Same {
  using type = T;
};

#if defined(__CUDACC__)

// Flags and values that other threads read or write meanwhile. An acquire that reads what a release wrote sees all that
// went before the release; a relaxed pair only promises whole values.
template <class T>
WEIR_HD __forceinline__ T load_relaxed(const T* p) {
  T v;
#if defined(__CUDA_ARCH__)
  __nv_atomic_load(const_cast<T*>(p), &v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#else
  __atomic_load(const_cast<T*>(p), &v, __ATOMIC_RELAXED);
#endif
  return v;
}
template <class T>
__device__ __forceinline__ T load_acquire(const T* p) {
  T v;
  __nv_atomic_load(const_cast<T*>(p), &v, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  return v;
}
template <class T>
WEIR_HD __forceinline__ void store_relaxed(T* p, typename Same<T>::type v) {
#if defined(__CUDA_ARCH__)
  __nv_atomic_store(p, &v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#else
  __atomic_store(p, &v, __ATOMIC_RELAXED);
#endif
}
template <class T>
__device__ __forceinline__ void store_release(T* p, typename Same<T>::type v) {
  __nv_atomic_store(p, &v, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}
// Waits until *p equals `value`; the last read has acquire order. The pause keeps the waiting threads' loads from
// filling L2.
template <class T>
__device__ __forceinline__ void wait_until(const T* p, typename Same<T>::type value) {
  while (load_acquire(p) != value) __nanosleep(40);
}

#endif

}  // namespace weir
