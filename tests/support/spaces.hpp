// Typed tests over the spaces of this build.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "solvers/device/space.hpp"

namespace weir::test {

using Spaces = std::conditional_t<WEIR_HOST_ALONE, ::testing::Types<Host>, ::testing::Types<Host, Device>>;
struct SpaceName {
  template <class Space>
  static std::string GetName(int) {
    return Space::name;
  }
};

}  // namespace weir::test
