// Typed tests over both spaces.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "solvers/device/space.hpp"

namespace weir::test {

using Spaces = ::testing::Types<Host, Device>;
struct SpaceName {
  template <class Space>
  static std::string GetName(int) {
    return Space::name;
  }
};

}  // namespace weir::test
