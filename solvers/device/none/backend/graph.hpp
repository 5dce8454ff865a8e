#pragma once
#include <cstdint>

#include "backend/launch.hpp"

namespace weir::backend {

class Graph {
 public:
  static bool is_recording() { return false; }
  [[noreturn]] void begin() { no_device(); }
  void end() {}
  void abandon() noexcept {}
  void forget() noexcept {}
  bool recorded() const { return false; }
  std::int64_t size() const { return 0; }
  void launch() const {}
};

}  // namespace weir::backend
