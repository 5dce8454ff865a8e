// The error message for a driver that is too old for the CUDA version of this build. Versions as CUDA counts them:
// 12040 is 12.4.
#pragma once
#include <string>

namespace weir {

inline std::string too_old_driver(int driver, int toolkit) {
  const auto text = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return "the driver supports CUDA " + text(driver) + ", but this build was made with CUDA " + text(toolkit) +
         ": update the driver, or build with a CUDA toolkit that the driver supports (12.8 or newer)";
}

}  // namespace weir
