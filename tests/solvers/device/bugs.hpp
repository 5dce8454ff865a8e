// Planted bugs: each kernel of the bugs_*.cu has a template argument that repairs it. The emulator's errors are
// exceptions of the launch (or of the wait for its stream).
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "backend/options.hpp"
#include "base/error.hpp"
#include "solvers/device/array.hpp"
#include "solvers/device/launch.hpp"

namespace weir {

// Text of the error that f throws; empty: none.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// Restores the schedule that a test changes.
class KeepOptions {
 public:
  KeepOptions() : kept_(simt::options()) {}
  ~KeepOptions() { simt::options() = kept_; }
  KeepOptions(const KeepOptions&) = delete;
  KeepOptions& operator=(const KeepOptions&) = delete;

 private:
  simt::Options kept_;
};

// Whether f holds for any of the first 20 seeds: schedules that hide a bug exist.
inline bool for_some_seed(const std::function<bool()>& f) {
  const KeepOptions keep;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    simt::options().seed = seed;
    if (f()) return true;
  }
  return false;
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "said: '" << (text) << "'"

}  // namespace weir
