// Functions that code compiled with -fsanitize=thread calls before each access. The program is linked with these in the
// place of the sanitizer's own library: device code is checked against the emulated device, host code only for device
// pointers.
#include "checker.hpp"

using weir::simt::Access;
using weir::simt::check_access;

namespace {

constexpr unsigned atomic_access = Access::atomic | Access::acquire;
constexpr unsigned atomic_update = Access::atomic | Access::write | Access::acquire | Access::release | Access::modify;

// A read that may be part of a spin; host threads read volatile and atomic variables too.
void let_others_run() {
  if (weir::simt::in_device_code()) weir::simt::yield(false);
}

}  // namespace

#define PC __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

#define ACCESSES(n)                                                                                  \
  void __tsan_read##n(void* p) { check_access(p, n, Access::read, PC); }                             \
  void __tsan_write##n(void* p) { check_access(p, n, Access::write, PC); }                           \
  void __tsan_unaligned_read##n(void* p) { check_access(p, n, Access::read, PC); }                   \
  void __tsan_unaligned_write##n(void* p) { check_access(p, n, Access::write, PC); }                 \
  void __tsan_volatile_read##n(void* p) {                                                            \
    let_others_run();                                                                                \
    check_access(p, n, Access::atomic, PC);                                                          \
  }                                                                                                  \
  void __tsan_volatile_write##n(void* p) { check_access(p, n, Access::atomic | Access::write, PC); } \
  void __tsan_unaligned_volatile_read##n(void* p) { check_access(p, n, Access::atomic, PC); }        \
  void __tsan_unaligned_volatile_write##n(void* p) { check_access(p, n, Access::atomic | Access::write, PC); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void* p, unsigned long n) { check_access(p, n, Access::read, PC); }
void __tsan_write_range(void* p, unsigned long n) { check_access(p, n, Access::write, PC); }

#define UPDATE(bits, T, name, builtin)                             \
  T __tsan_atomic##bits##_##name(volatile T* p, T v, int) {        \
    check_access(const_cast<T*>(p), sizeof(T), atomic_update, PC); \
    return builtin(p, v, __ATOMIC_SEQ_CST);                        \
  }
#define EXCHANGE(bits, T, name)                                                                    \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile T* p, T* expected, T v, int, int) {   \
    check_access(const_cast<T*>(p), sizeof(T), atomic_update, PC);                                 \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define ATOMICS(bits, T)                                                                              \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                            \
    let_others_run();                                                                                 \
    check_access(const_cast<T*>(p), sizeof(T), atomic_access, PC);                                    \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                   \
  void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                                         \
    check_access(const_cast<T*>(p), sizeof(T), Access::atomic | Access::write | Access::release, PC); \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                         \
  }                                                                                                   \
  UPDATE(bits, T, exchange, __atomic_exchange_n)                                                      \
  UPDATE(bits, T, fetch_add, __atomic_fetch_add)                                                      \
  UPDATE(bits, T, fetch_sub, __atomic_fetch_sub)                                                      \
  UPDATE(bits, T, fetch_and, __atomic_fetch_and)                                                      \
  UPDATE(bits, T, fetch_or, __atomic_fetch_or)                                                        \
  UPDATE(bits, T, fetch_xor, __atomic_fetch_xor)                                                      \
  EXCHANGE(bits, T, strong)                                                                           \
  EXCHANGE(bits, T, weak)
ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned)
ATOMICS(64, unsigned long)

void __tsan_atomic_thread_fence(int) {
  if (weir::simt::in_device_code()) weir::simt::fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
