// Work that is launched as one: what it may hold, and that it does what its launches do.
#include "solvers/device/asynchronous/recorded_work.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solvers/device/array.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace recorded_work_test {

__global__ void shift_left(int n, const double* from, double* to) {
  WEIR_SHARED(double, tile, [64]);
  const int i = static_cast<int>(threadIdx.x);
  tile[i] = i < n ? from[i] : 0;
  __syncthreads();
  if (i < n) to[i] = i + 1 < n ? tile[i + 1] : 0;
}

// y = 2 x in a loop, shifted to the left in a kernel, its sum left in place[0]; a fill of data that is not read.
void steps(View<const double> x, View<double> y, double* place, View<double> cleared) {
  for_each<Device>(x.size(), [=] WEIR_HD(int i) { y[i] = 2 * x[i]; });
  launch({.block = 64, .name = "shift left"}, shift_left, static_cast<int>(y.size()), y.data(), y.data());
  leave_sum(
      y.size(), [=] WEIR_HD(int i) { return y[i]; }, place);
  backend::set_zero(cleared.data(), cleared.size() * 8);
}

double sum_of(View<const double> x) {
  return sum<Device>(x.size(), [=] WEIR_HD(int i) { return x[i]; });
}

struct Fields {
  Array<double, Device> x{std::vector<double>{1, 2, 3, 4, 5}}, y{std::vector<double>(5)}, sum{std::vector<double>(1)},
      cleared{std::vector<double>(3, 7.0)};
  void run(RecordedWork<Device>& work) {
    work.run([&] { steps(x, y, sum.data(), cleared); });
  }
};

// With WEIR_CUDA_SYNC=1 nothing is recorded.
#define SKIP_UNLESS_RECORDED() \
  if (backend::waits_for_launches()) GTEST_SKIP() << "WEIR_CUDA_SYNC: each launch is waited for"

TEST(RecordedWork, RunsInItsOrderAsOneLaunch) {
  SKIP_UNLESS_RECORDED();
  Fields f;
  RecordedWork<Device> work;
  for (const double first : {1.0, 10.0, 20.0}) {
    f.x.upload(std::vector<double>{first, 2, 3, 4, 5});
    f.cleared.upload(std::vector<double>(3, 7.0));
    const Ledger before = ledger();
    f.run(work);
    EXPECT_EQ(ledger().launches - before.launches, 1);
    EXPECT_EQ(ledger().synchronisations, before.synchronisations);
    EXPECT_EQ(f.y.to_vector(), (std::vector<double>{4, 6, 8, 10, 0}));
    EXPECT_EQ(f.sum.to_vector(), (std::vector<double>{28}));
    EXPECT_EQ(f.cleared.to_vector(), std::vector<double>(3));
  }
}

TEST(RecordedWork, WithinAnotherIsAPartOfThat) {
  SKIP_UNLESS_RECORDED();
  Fields f;
  RecordedWork<Device> outer, inner;
  const Ledger before = ledger();
  outer.run([&] { f.run(inner); });
  EXPECT_EQ(ledger().launches - before.launches, 1);
  EXPECT_EQ(f.sum.to_vector(), (std::vector<double>{28}));
}

TEST(RecordedWork, ThatIsForgottenIsRecordedAnew) {
  Fields f;
  RecordedWork<Device> work;
  f.run(work);
  Fields other;
  work.forget();
  other.run(work);
  EXPECT_EQ(other.sum.to_vector(), (std::vector<double>{28}));
}

// The host would wait for what has not run.
TEST(RecordedWork, RefusesWhatTheHostWaitsFor) {
  SKIP_UNLESS_RECORDED();
  Fields f;
  RecordedWork<Device> work;
  EXPECT_THROW(work.run([&] { sum_of(f.x); }), Error);
  EXPECT_THROW(work.run([&] { f.x.to_vector(); }), Error);
  EXPECT_THROW(work.run([&] { f.x.upload(std::vector<double>(5)); }), Error);
  f.run(work);  // and can be used after that
  EXPECT_EQ(f.sum.to_vector(), (std::vector<double>{28}));
}

TEST(RecordedWork, OnTheHostIsRunEachTime) {
  int calls = 0;
  RecordedWork<Host> work;
  for (int k = 0; k < 3; ++k) work.run([&] { ++calls; });
  EXPECT_EQ(calls, 3);
}

}  // namespace recorded_work_test
}  // namespace weir
