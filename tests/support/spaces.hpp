// Typed tests over the spaces of this build.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "solvers/device/space.hpp"

namespace weir::test {

#ifdef WEIR_HOST_ALONE
using Spaces = ::testing::Types<Host>;
#else
using Spaces = ::testing::Types<Host, Device>;
#endif
struct SpaceName {
  template <class Space>
  static std::string GetName(int) {
    return Space::name;
  }
};

}  // namespace weir::test
