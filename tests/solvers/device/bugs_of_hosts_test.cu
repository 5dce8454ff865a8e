// Planted bugs of host code: pointers of the wrong space, work that was not waited for.
#include "solvers/device/for_each.hpp"
#include "tests/solvers/device/bugs.hpp"

namespace weir {
namespace {

__global__ void copy_number(const double* from, double* to) { *to = *from; }

__global__ void add_one(View<int> x) {
  const unsigned i = threadIdx.x;
  x[i] += 1;
}

void double_all(int n, double* x) {
  for_each<Device>(n, [=](int i) { x[i] *= 2; });
}

void by_reference(int n, View<double> x, const double& factor) {
  for_each<Device>(n, [=, &factor](int i) { x[i] *= factor; });
}

void on_the_host(const double* x, volatile double* y) { *y = *x; }

class Protected {
 public:
  Protected() { simt::protect_device_memory(!simt::checks_accesses()); }
  ~Protected() { simt::protect_device_memory(false); }
};

}  // namespace

TEST(HostPointer, InAKernelIsReported) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  const Array<double, Host> h(std::vector<double>{3});
  const Array<double, Device> d(std::vector<double>{4});
  Array<double, Device> to(1);
  for (const bool collectives : {true, false}) {
    const LaunchConfig config{.collectives = collectives, .name = "copy"};
    EXPECT_CONTAINS(error_of([&] { launch(config, copy_number, h.data(), to.data()); }), "host memory");
    launch(config, copy_number, d.data(), to.data());
    EXPECT_EQ(to.to_vector()[0], 4);
  }
}

TEST(HostPointer, InALoopIsReported) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  Array<double, Host> h(std::vector<double>(5, 1.0));
  Array<double, Device> d(std::vector<double>(5, 1.0));
  EXPECT_CONTAINS(error_of([&] { double_all(5, h.data()); }), "host memory");
  double_all(5, d.data());
  EXPECT_EQ(d.to_vector(), std::vector<double>(5, 2.0));
}

TEST(HostPointer, CapturedByReferenceIsReported) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  Array<double, Device> d(std::vector<double>(5, 1.0));
  const double factor = 2;
  EXPECT_CONTAINS(error_of([&] { by_reference(5, d, factor); }), "host memory");
}

TEST(HostPointer, InACopyIsReported) {
  const Array<double, Host> h(std::vector<double>(5, 1.0));
  double target[5];
  EXPECT_CONTAINS(error_of([&] { backend::copy_to_host(target, h.data(), 40); }), "host pointer");
  EXPECT_CONTAINS(error_of([&] { backend::copy_to_device(h.data(), target, 40); }), "host pointer");
}

TEST(CopyThatIsTooLong, IsReported) {
  const Array<double, Device> d(4);
  const double h[8] = {};
  EXPECT_CONTAINS(error_of([&] { backend::copy_to_device(d.data(), h, 40); }), "leave the device array");
  backend::copy_to_device(d.data(), h, 32);
}

TEST(DevicePointerDeathTest, OnTheHostEndsTheProgram) {
  const Protected scope;
  Array<double, Device> d(std::vector<double>(5, 1.0));
  volatile double h = 0;
  EXPECT_DEATH(on_the_host(d.data(), &h), "host code dereferences a device pointer");
  double_all(5, d.data());  // device code may
  EXPECT_EQ(d.to_vector(), std::vector<double>(5, 2.0));
}

TEST(FailedKernel, IsToldAtOnceAndTheDeviceGoesOn) {
  Array<int, Device> x(std::vector<int>(32, 1));
  EXPECT_CONTAINS(error_of([&] { launch({.grid = 0, .block = 32, .name = "nothing"}, add_one, x.view()); }),
                  "nothing: invalid launch");
  launch({.block = 32}, add_one, x.view());
  EXPECT_EQ(x.to_vector()[0], 2);
}

}  // namespace weir
