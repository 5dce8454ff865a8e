// Where device and shared memory lie: one reserved range of addresses, so that a pointer tells its space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace weir::simt {

struct Arena {
  char* begin = nullptr;  // shared memory of resident blocks first, then device memory
  char* device_begin = nullptr;
  char* end = nullptr;
  static constexpr std::size_t shared_slot = 256 * 1024;  // a block's
};
const Arena& arena();  // reserved at the first call; nothing is touched before it is allocated

inline bool in_arena(const void* p) {
  const auto* c = static_cast<const char*>(p);
  return c >= arena().begin && c < arena().end;
}

char* allocate(std::size_t bytes);  // device memory, poisoned; null where it does not fit
void release(char* p);
bool is_allocated(const void* p, std::size_t bytes);  // all of it inside of one allocation
char* shared_slot(std::size_t resident_block);

// Marks memory as accessible or not accessible for AddressSanitizer and the access checker.
void set_live(char* p, std::size_t bytes, bool live);
void poison(char* p, std::size_t bytes);

// "offset 800 of a device array of 800 bytes", or nothing.
std::string describe_address(const void* p);

}  // namespace weir::simt
