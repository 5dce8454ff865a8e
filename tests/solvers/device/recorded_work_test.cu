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

// y = 2 x in a loop, shifted to the left in a kernel, its sum left in place[0]; a fill of what is not read.
void steps(View<const double> x, View<double> y, double* place, View<double> cleared) {
  for_each<Device>(x.size(), [=] WEIR_HD(int i) { y[i] = 2 * x[i]; });
  launch({.block = 64, .name = "shift left"}, shift_left, static_cast<int>(y.size()), y.data(), y.data());
  sum_then(
      y.size(), [=] WEIR_HD(int i) { return y[i]; }, [=] WEIR_HD(double s) { *place = s; });
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

// A loop, a reduction with what follows from it, and a sum that stays.
void guarded(const double* flag, View<double> y, double* place) {
  const SkipWhere skip(flag);
  for_each<Device>(y.size(), [=] WEIR_HD(int i) { y[i] += 1; });
  sum_then(
      y.size(), [=] WEIR_HD(int i) { return y[i] += 1; }, [=] WEIR_HD(double s) { place[0] = s; });
  leave_sum<Device>(place + 1, [&] { return sum_of(y); });
}

TEST(SkipWhere, LoopsAndReductionsDoNothingOnceTheFlagIsSet) {
  const std::vector<double> ones(1000, 1.0), places{-1, -1};
  Array<double, Device> flag(std::vector<double>{0}), y(ones), place(places);
  guarded(flag.data(), y, place.data());
  EXPECT_EQ(y.to_vector(), std::vector<double>(1000, 3.0));
  EXPECT_EQ(place.to_vector(), (std::vector<double>{3000, 3000}));
  flag.upload(std::vector<double>{2});
  place.upload(places);
  guarded(flag.data(), y, place.data());
  EXPECT_EQ(y.to_vector(), std::vector<double>(1000, 3.0));
  EXPECT_EQ(place.to_vector(), places);
  EXPECT_EQ(sum_of(y), 3000);  // outside of it nothing is skipped
}

// The flag is read when the work runs, not when it is recorded.
TEST(SkipWhere, HoldsForRecordedWork) {
  Array<double, Device> flag(std::vector<double>{0}), y(std::vector<double>(1000, 0.0)),
      place(std::vector<double>{0, 0});
  RecordedWork<Device> work;
  for (const double stop : {0.0, 1.0, 0.0}) {
    flag.upload(std::vector<double>{stop});
    work.run([&] { guarded(flag.data(), y, place.data()); });
  }
  EXPECT_EQ(y.to_vector(), std::vector<double>(1000, 4.0));
}

// A recording holds the flag and the places of the sums; with others the work is recorded again.
TEST(RecordedWork, FollowsTheFlagAndThePlaceOfSums) {
  Array<double, Device> set(std::vector<double>{1}), y(std::vector<double>(1000, 1.0)),
      places(std::vector<double>{-1, -1, -1});
  RecordedWork<Device> work;
  const auto sum_twice = [&](double* place) {
    const SumsStay here(place, 2);
    work.run([&] { sum_of(y); });
    sum_of(y);  // goes to the place after the recorded one
  };
  sum_twice(places.data());
  sum_twice(places.data() + 1);
  EXPECT_EQ(places.to_vector(), (std::vector<double>{1000, 1000, 1000}));
  places.upload(std::vector<double>{-1, -1, -1});
  {
    const SkipWhere skip(set.data());
    sum_twice(places.data());
  }
  EXPECT_EQ(places.to_vector(), (std::vector<double>{-1, -1, -1}));
  sum_twice(places.data());
  sum_twice(places.data());  // the same places: not recorded again, and the next place is still the one after it
  EXPECT_EQ(places.to_vector(), (std::vector<double>{1000, 1000, -1}));
}

TEST(SkipWhere, RefusesSumsForTheHost) {
  Array<double, Device> flag(std::vector<double>{0}), y(std::vector<double>(10, 1.0));
  const SkipWhere skip(flag.data());
  EXPECT_THROW(sum_of(y), Error);
}

void add_to(View<double> y, double value) {
  for_each<Device>(y.size(), [=] WEIR_HD(int i) { y[i] += value; });
}

// Not the first time, and not with other arguments.
TEST(RepeatedWork, IsRecordedWhereItsArgumentsAreThoseOfTheTimeBefore) {
  SKIP_UNLESS_RECORDED();
  Array<double, Device> y(std::vector<double>(3, 0.0));
  RepeatedWork<Device, double> work;
  const auto add = [&](double value) {
    work.run(value, [&] {
      for (int k = 0; k < 2; ++k) add_to(y, value);
    });
  };
  std::vector<std::int64_t> launches;
  for (const double value : {1.0, 1.0, 1.0, 5.0, 5.0}) {
    const std::int64_t before = ledger().launches;
    add(value);
    launches.push_back(ledger().launches - before);
  }
  EXPECT_EQ(launches, (std::vector<std::int64_t>{2, 1, 1, 2, 1}));
  EXPECT_EQ(y.to_vector(), std::vector<double>(3, 26.0));
}

TEST(RecordedWork, OnTheHostIsRunEachTime) {
  int calls = 0;
  RecordedWork<Host> work;
  for (int k = 0; k < 3; ++k) work.run([&] { ++calls; });
  EXPECT_EQ(calls, 3);
}

}  // namespace recorded_work_test
}  // namespace weir
