// Arrays, copies and loops in both spaces, and the ledger that counts them.
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"
#include "solvers/device/array.hpp"
#include "solvers/device/cuda/driver_version.hpp"
#include "solvers/device/cuda/launch_limits.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

template <class Space>
class Arrays : public testing::Test {};
using Spaces = testing::Types<Host, Device>;
TYPED_TEST_SUITE(Arrays, Spaces);

constexpr int sizes[] = {0, 1, 31, 32, 33, 1000, 100003};

std::vector<double> numbers(int n) {
  std::vector<double> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 1.0);
  return v;
}

template <class Space>
void scale(int n, double factor, View<const double> x, View<double> y) {
  for_each<Space>(n, [=] WEIR_HD(int i) { y[i] = factor * x[i]; });
}

template <class Space>
void write_indices(Extents e, View<int> v) {
  for_each<Space>(e, [=] WEIR_HD(int i, int j, int k) { v[e.index(i, j, k)] += 1 + i + 100 * j + 10000 * k; });
}

}  // namespace

TYPED_TEST(Arrays, GiveBackWhatWasUploaded) {
  for (const int n : sizes) {
    const auto v = numbers(n);
    const Array<double, TypeParam> a(v);
    EXPECT_EQ(a.size(), n);
    EXPECT_EQ(a.to_vector(), v);
  }
}

TYPED_TEST(Arrays, MoveWithTheirMemory) {
  Array<double, TypeParam> a(numbers(100));
  const double* p = a.data();
  Array<double, TypeParam> b(std::move(a));
  EXPECT_EQ(b.data(), p);
  Array<double, TypeParam> c;
  c = std::move(b);
  EXPECT_EQ(c.data(), p);
  EXPECT_EQ(c.to_vector(), numbers(100));
}

TYPED_TEST(Arrays, AreCopiedBetweenSpaces) {
  Array<double, TypeParam> d(77);
  d.upload(numbers(77));
  std::vector<double> back(77);
  d.download(back);
  EXPECT_EQ(back, numbers(77));
}

TYPED_TEST(Arrays, AreVisitedOnceAnIndex) {
  for (const int n : sizes) {
    const Array<double, TypeParam> x(numbers(n));
    Array<double, TypeParam> y(n);
    scale<TypeParam>(n, 2, x, y);
    const auto got = y.to_vector();
    for (int i = 0; i < n; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], 2.0 * (i + 1)) << n;
  }
}

TYPED_TEST(Arrays, AreVisitedOnceACellOfABox) {
  for (const Extents e : {Extents{1, 1, 1}, Extents{33, 1, 1}, Extents{1, 31, 2}, Extents{5, 7, 3}, Extents{40, 41, 30},
                          Extents{1, 1, 70}}) {
    Array<int, TypeParam> v(std::vector<int>(static_cast<std::size_t>(e.count()), 0));
    write_indices<TypeParam>(e, v);
    const auto got = v.to_vector();
    for (int k = 0; k < e.nz; ++k)
      for (int j = 0; j < e.ny; ++j)
        for (int i = 0; i < e.nx; ++i)
          ASSERT_EQ(got[static_cast<std::size_t>(e.index(i, j, k))], 1 + i + 100 * j + 10000 * k);
  }
}

TEST(Ledger, CountsAllocationsOfBothSpaces) {
  const Ledger before = ledger();
  {
    const Array<double, Host> h(10);
    const Array<double, Device> d(20), e(0);
    EXPECT_EQ(ledger().host_allocations - before.host_allocations, 1);
    EXPECT_EQ(ledger().device_allocations - before.device_allocations, 1);  // an empty array allocates nothing
    EXPECT_EQ(ledger().host_bytes - before.host_bytes, 80);
    EXPECT_EQ(ledger().device_bytes - before.device_bytes, 160);
    EXPECT_GE(ledger().device_peak_bytes, ledger().device_bytes);
  }
  EXPECT_EQ(ledger().host_bytes, before.host_bytes);
  EXPECT_EQ(ledger().device_bytes, before.device_bytes);
}

TEST(Ledger, CountsCopies) {
  const Ledger before = ledger();
  const Array<double, Device> d(numbers(10));
  d.to_vector();
  EXPECT_EQ(ledger().copies_to_device - before.copies_to_device, 1);
  EXPECT_EQ(ledger().bytes_to_device - before.bytes_to_device, 80);
  EXPECT_EQ(ledger().copies_to_host - before.copies_to_host, 1);
  EXPECT_EQ(ledger().bytes_to_host - before.bytes_to_host, 80);
}

TEST(DeviceMemory, ThatDoesNotFitIsAnErrorOfItsOwnExitCode) {
  const auto too_many = std::int64_t{1} << 50;
  try {
    const Array<double, Device> a(too_many);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::out_of_memory);
  }
  const Array<double, Device> small(numbers(5));  // the device is still usable
  EXPECT_EQ(small.to_vector(), numbers(5));
}

namespace {

template <class Space>
void loop_over(std::int64_t n) {
  for_each<Space>(n, [=] WEIR_HD(int) {});
}
template <class Space>
double sum_over(std::int64_t n) {
  return sum<Space>(n, [=] WEIR_HD(int) { return 0.0; });
}

}  // namespace

TEST(LoopsOf, MoreIndicesThanAnIntCountsAreAnErrorAndNotNothing) {
  const auto count = std::int64_t{1} << 32;  // 0 as an int
  EXPECT_THROW(loop_over<Host>(count), Error);
  EXPECT_THROW(loop_over<Device>(count), Error);
  EXPECT_THROW(sum_over<Host>(count), Error);
  EXPECT_THROW(sum_over<Device>(count), Error);
}

TEST(LoopsOf, ThreeDimensionsLeaveFewThreadsIdleAtTheEndsOfRows) {
  for (unsigned nx = 1; nx <= 2000; ++nx) {
    const backend::LoopBlock b = backend::loop_block(nx, nx, nx);
    EXPECT_LT((nx + b.x - 1) / b.x * b.x - nx, 16 + nx / 8) << nx;
    EXPECT_LE(b.x * b.y * b.z, nx < 51 ? 128U : 256U) << nx;
  }
  const auto expect_block = [](backend::LoopBlock b, unsigned x, unsigned y, unsigned z) {
    EXPECT_EQ(b.x, x);
    EXPECT_EQ(b.y, y);
    EXPECT_EQ(b.z, z);
  };
  expect_block(backend::loop_block(128, 128, 128), 32, 4, 2);
  expect_block(backend::loop_block(33, 32, 32), 16, 8, 1);
  expect_block(backend::loop_block(1000, 1000, 1), 32, 4, 1);
  expect_block(backend::loop_block(1, 1000, 1000), 1, 64, 2);
  expect_block(backend::loop_block(1, 1, 1), 1, 1, 1);
}

TEST(Zeros, AreWrittenInTheDevicesMemory) {
  Array<double, Device> x(numbers(9));
  backend::set_zero(x.data(), 8 * 4);
  const std::vector<double> now = x.to_vector(), before = numbers(9);
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i], i < 4 ? 0 : before[i]);
}

TEST(ADriver, ThatIsTooOldIsToldWithBothVersions) {
  const std::string text = too_old_driver(12040, 13000);
  EXPECT_NE(text.find("the driver supports CUDA 12.4, but this build was made with CUDA 13.0"), std::string::npos)
      << text;
}

}  // namespace weir
