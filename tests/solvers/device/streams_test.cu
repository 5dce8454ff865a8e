// Streams, events and asynchronous copies.
#include <gtest/gtest.h>

#include "solvers/device/array.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/device/ledger.hpp"

namespace weir {
namespace {

__global__ void add(View<int> x, int v) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < x.size()) x[i] += v;
}
__global__ void times_three(View<int> x) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < x.size()) x[i] *= 3;
}

constexpr LaunchConfig config{.grid = 2, .block = 32, .collectives = false, .name = "add"};

// Pinned host memory for the length of a test.
class Pinned {
 public:
  explicit Pinned(int n) : data_(static_cast<int*>(pinned_allocate(n * static_cast<std::int64_t>(sizeof(int))))) {}
  ~Pinned() { pinned_release(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  int* data() const { return data_; }

 private:
  int* data_;
};

}  // namespace

TEST(Streams, RunTheirWorkInOrder) {
  Stream s;
  Array<int, Device> x(50);
  Pinned h(50);
  fill_bytes_async(s, x.data(), 0, 200);
  launch(s, config, add, x.view(), 5);
  launch(s, config, times_three, x.view());
  launch(s, config, add, x.view(), 1);
  copy_to_host_async(s, h.data(), x.data(), 200);
  s.synchronise();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(h.data()[i], 16);
}

TEST(Streams, WaitForEventsOfOthers) {
  for (int k = 0; k < 10; ++k) {
    Stream a, b;
    Event ready;
    Array<int, Device> x(50);
    Pinned h(50);
    fill_bytes_async(a, x.data(), 0, 200);
    launch(a, config, add, x.view(), k);
    a.record(ready);
    b.wait(ready);
    launch(b, config, times_three, x.view());
    copy_to_host_async(b, h.data(), x.data(), 200);
    b.synchronise();
    EXPECT_EQ(h.data()[49], 3 * k);
  }
}

TEST(Streams, AreWaitedForThroughAnEvent) {
  Stream s;
  Event done;
  Array<int, Device> x(std::vector<int>(50, 1));
  Pinned h(50);
  launch(s, config, times_three, x.view());
  copy_to_host_async(s, h.data(), x.data(), 200);
  s.record(done);
  done.synchronise();
  EXPECT_EQ(h.data()[0], 3);
}

TEST(Streams, AreAllDoneAfterWaitingForTheDevice) {
  Stream a, b;
  Array<int, Device> x(std::vector<int>(50, 1)), y(std::vector<int>(50, 1));
  launch(a, config, times_three, x.view());
  launch(b, config, add, y.view(), 1);
  backend::synchronise();
  EXPECT_EQ(x.to_vector()[0], 3);
  EXPECT_EQ(y.to_vector()[0], 2);
}

TEST(Streams, CountTheirCopies) {
  Stream s;
  Array<int, Device> x(50);
  Pinned h(50);
  for (int i = 0; i < 50; ++i) h.data()[i] = i;
  const Ledger before = ledger();
  copy_to_device_async(s, x.data(), h.data(), 200);
  copy_to_host_async(s, h.data(), x.data(), 200);
  s.synchronise();
  EXPECT_EQ(ledger().bytes_to_device - before.bytes_to_device, 200);
  EXPECT_EQ(ledger().bytes_to_host - before.bytes_to_host, 200);
  EXPECT_EQ(ledger().copies_to_host - before.copies_to_host, 1);
}

}  // namespace weir
