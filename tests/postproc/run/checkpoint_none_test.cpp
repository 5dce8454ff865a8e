#include <gtest/gtest.h>

#include "base/error.hpp"
#include "postproc/run/checkpoint.hpp"

namespace weir::checkpoint_none_test {
namespace {

TEST(CheckpointWithoutHdf5, SaysWhyItCannot) {
  EXPECT_FALSE(checkpoints_available());
  try {
    read_checkpoint("c.h5");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::file_io);
    EXPECT_STREQ(e.what(),
                 "cannot read c.h5: this build lacks HDF5 (Debian package libhdf5-dev), which checkpoints need");
  }
  EXPECT_THROW(write_checkpoint("c.h5", {}, {}), Error);
}

}  // namespace
}  // namespace weir::checkpoint_none_test
