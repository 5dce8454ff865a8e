// All ranks run all tests; rank 0 tells, the others only what fails.
#include "tests/solvers/distributed/world.hpp"

#include <gtest/gtest.h>

namespace weir::test {

namespace {
std::unique_ptr<Communicator> the_world;  // of the test program alone
}  // namespace

Communicator& world() { return *the_world; }

}  // namespace weir::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  weir::test::the_world = weir::make_world();
  if (!weir::test::world().is_root()) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    class Failures : public ::testing::EmptyTestEventListener {
      void OnTestPartResult(const ::testing::TestPartResult& r) override {
        if (r.failed())
          fprintf(stderr, "rank %d: %s:%d: %s\n", weir::test::world().rank(), r.file_name() ? r.file_name() : "?",
                  r.line_number(), r.message());
      }
    };
    listeners.Append(new Failures);
  }
  const int failed = RUN_ALL_TESTS();
  weir::test::the_world.reset();
  return failed;
}
