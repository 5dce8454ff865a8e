// The words of device code, emulated: kernels are ordinary C++ functions, each CUDA thread a fiber (or a turn of a
// plain loop, where a launch says that it needs no collectives). Barriers and collectives know the place they are
// called from, so that a divergent one is reported with both places. solvers/device/README.md
// lists what is modelled. In namespace weir, so that kernels must be, too: another library may have these names.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <source_location>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

// WEIR_SHARED(double, tile, [4][33]);            one array a block
// WEIR_DYNAMIC_SHARED(double, work);             a pointer to the dynamic bytes of the launch
#define WEIR_SHARED(T, name, ...)           \
  static char name##_tag_;                  \
  typedef T name##_type_ __VA_ARGS__;       \
  auto& name = *static_cast<name##_type_*>( \
      ::weir::simt::shared_array(&name##_tag_, sizeof(name##_type_), alignof(name##_type_), #name))
#define WEIR_DYNAMIC_SHARED(T, name) T* name = static_cast<T*>(::weir::simt::dynamic_shared())

// For accesses that are reported by hand: in the race build a function of its own, without the build's instrumentation.
#if defined(__SANITIZE_THREAD__)
#define WEIR_SIMT_RAW __attribute__((noinline, no_sanitize("thread")))
#else
#define WEIR_SIMT_RAW inline
#endif

namespace weir {

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Of the thread that runs now; the scheduler sets them.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

template <class T>
struct Same {
  using type = T;
};

namespace simt {

using Where = std::source_location;

void* shared_array(const void* tag, std::size_t bytes, std::size_t align, const char* name);
void* dynamic_shared();

void block_barrier(const Where& at);
void grid_barrier(const Where& at);
enum class Collective : std::uint8_t { sync, exchange, ballot };
std::uint64_t warp_collective(unsigned mask, Collective kind, std::uint64_t payload, int source_lane, const Where& at);
int lane();
void fence();

// Another thread's turn; without progress it counts against the step budget. Plain loops have no turns.
extern bool fibers_running;
void next_turn(bool progress);
inline void yield(bool progress) {
  if (fibers_running) next_turn(progress);
}

// Bits of an access that instrumentation cannot see for what it is.
struct Access {
  static constexpr unsigned read = 0, write = 1, atomic = 2, acquire = 4, release = 8, modify = 16;
};
void check_access(const void* p, std::size_t bytes, unsigned access, const void* program_counter);
#if defined(__SANITIZE_THREAD__)
inline __attribute__((always_inline)) void note_access(const void* p, std::size_t bytes, unsigned access,
                                                       const void* pc) {
  check_access(p, bytes, access, pc);
}
#else
inline void note_access(const void*, std::size_t, unsigned, const void*) {}
#endif

template <class T>
T exchange(unsigned mask, T v, int source_lane, const Where& at) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &v, sizeof v);
  bits = warp_collective(mask, Collective::exchange, bits, source_lane, at);
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}

template <class T, class F>
WEIR_SIMT_RAW T read_modify_write(T* p, F f) {
  note_access(p, sizeof *p, Access::atomic | Access::write | Access::modify, __builtin_return_address(0));
  const T old = *p, next = f(old);
  *p = next;
  if (next == old) yield(false);  // a lock that is taken: another thread must run
  return old;
}

}  // namespace simt

// Flags and values that other threads read or write meanwhile. An acquire that reads what a release wrote sees all that
// went before the release; a relaxed pair only promises whole values.
template <class T>
WEIR_SIMT_RAW T load_relaxed(const T* p) {
  simt::yield(false);
  simt::note_access(p, sizeof *p, simt::Access::atomic, __builtin_return_address(0));
  return *p;
}
template <class T>
WEIR_SIMT_RAW T load_acquire(const T* p) {
  simt::yield(false);
  simt::note_access(p, sizeof *p, simt::Access::atomic | simt::Access::acquire, __builtin_return_address(0));
  return *p;
}
template <class T>
WEIR_SIMT_RAW void store_relaxed(T* p, typename Same<T>::type v) {
  simt::note_access(p, sizeof *p, simt::Access::atomic | simt::Access::write, __builtin_return_address(0));
  *p = v;
  simt::yield(true);
}
template <class T>
WEIR_SIMT_RAW void store_release(T* p, typename Same<T>::type v) {
  simt::note_access(p, sizeof *p, simt::Access::atomic | simt::Access::write | simt::Access::release,
                    __builtin_return_address(0));
  *p = v;
  simt::yield(true);
}
template <class T>
WEIR_SIMT_RAW void wait_until(const T* p, typename Same<T>::type value) {
  while (load_acquire(p) != value) {
  }
}

// Barriers and fences.
inline void __syncthreads(simt::Where at = simt::Where::current()) { simt::block_barrier(at); }
inline void __syncwarp(unsigned mask = 0xffffffffu, simt::Where at = simt::Where::current()) {
  simt::warp_collective(mask, simt::Collective::sync, 0, 0, at);
}
inline void __threadfence() { simt::fence(); }
inline void __nanosleep(unsigned) {}

// Shuffles and votes.
template <class T>
T __shfl_sync(unsigned m, T v, int source, int width = 32, simt::Where at = simt::Where::current()) {
  const int base = simt::lane() & ~(width - 1);
  return simt::exchange(m, v, base + (source & (width - 1)), at);
}
template <class T>
T __shfl_up_sync(unsigned m, T v, unsigned d, int width = 32, simt::Where at = simt::Where::current()) {
  const int lane = simt::lane(), base = lane & ~(width - 1), s = lane - static_cast<int>(d);
  return simt::exchange(m, v, s < base ? lane : s, at);
}
template <class T>
T __shfl_down_sync(unsigned m, T v, unsigned d, int width = 32, simt::Where at = simt::Where::current()) {
  const int lane = simt::lane(), base = lane & ~(width - 1), s = lane + static_cast<int>(d);
  return simt::exchange(m, v, s >= base + width ? lane : s, at);
}
template <class T>
T __shfl_xor_sync(unsigned m, T v, int x, int width = 32, simt::Where at = simt::Where::current()) {
  const int lane = simt::lane(), base = lane & ~(width - 1), s = lane ^ x;
  return simt::exchange(m, v, s >= base + width ? lane : s, at);
}
inline unsigned __ballot_sync(unsigned m, int p, simt::Where at = simt::Where::current()) {
  return static_cast<unsigned>(simt::warp_collective(m, simt::Collective::ballot, p != 0, 0, at));
}
inline int __any_sync(unsigned m, int p, simt::Where at = simt::Where::current()) {
  return __ballot_sync(m, p, at) != 0;
}
inline int __all_sync(unsigned m, int p, simt::Where at = simt::Where::current()) {
  return __ballot_sync(m, !p, at) == 0;
}

// Bits that are set.
inline int __popc(unsigned v) { return __builtin_popcount(v); }

// Atomics: relaxed, as in CUDA; the old value comes back.
template <class T>
__forceinline__ T atomicAdd(T* p, typename Same<T>::type v) {
  return simt::read_modify_write(p, [v](T old) { return static_cast<T>(old + v); });
}
template <class T>
__forceinline__ T atomicExch(T* p, typename Same<T>::type v) {
  return simt::read_modify_write(p, [v](T) { return v; });
}
template <class T>
__forceinline__ T atomicCAS(T* p, typename Same<T>::type expected, typename Same<T>::type v) {
  return simt::read_modify_write(p, [expected, v](T old) { return old == expected ? v : old; });
}

}  // namespace weir
