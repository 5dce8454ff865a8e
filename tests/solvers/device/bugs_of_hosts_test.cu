// Planted bugs of host code: pointers of the wrong space, work that nobody waited for.
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
    EXPECT_CONTAINS(error_of([&] { launch(default_stream(), config, copy_number, h.data(), to.data()); }),
                    "host memory");
    launch(default_stream(), config, copy_number, d.data(), to.data());
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

TEST(MissingSynchronisation, ShowsStaleData) {
  Stream s;
  Array<int, Device> x(std::vector<int>(32, 1));
  int h = 7;
  launch(s, {.block = 32}, add_one, x.view());
  copy_to_host_async(s, &h, x.data(), sizeof h);
  EXPECT_EQ(h, 7);                 // nobody waited
  EXPECT_EQ(x.to_vector()[0], 1);  // copies of Arrays wait for the default stream only
  s.synchronise();
  EXPECT_EQ(h, 2);
  EXPECT_EQ(x.to_vector()[0], 2);
}

TEST(MissingEvent, ShowsStaleDataUnderSomeSchedule) {
  const auto is_stale = [](bool with_event) {
    for (int k = 0; k < 30; ++k) {
      Stream a, b;
      Event written;
      Array<int, Device> x(std::vector<int>(32, 1));
      int h = 0;
      launch(a, {.block = 32}, add_one, x.view());
      a.record(written);
      if (with_event) b.wait(written);
      copy_to_host_async(b, &h, x.data(), sizeof h);
      b.synchronise();
      a.synchronise();
      if (h != 2) return true;
    }
    return false;
  };
  EXPECT_TRUE(is_stale(false));
  EXPECT_FALSE(is_stale(true));
}

TEST(FailedKernel, IsToldToWhoeverWaitsAndTheDeviceGoesOn) {
  Stream s;
  Array<int, Device> x(std::vector<int>(32, 1));
  launch(s, {.grid = 0, .block = 32, .name = "nothing"}, add_one, x.view());
  EXPECT_CONTAINS(error_of([&] { s.synchronise(); }), "nothing: invalid launch");
  launch(s, {.block = 32}, add_one, x.view());
  s.synchronise();
  EXPECT_EQ(x.to_vector()[0], 2);
}

}  // namespace weir
