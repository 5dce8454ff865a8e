// The device layer on a machine that has a compiler and CUDA and nothing else: checks without a test framework, and the
// speed of the memory. Built by tests/run_on_gpu.sh with one call of nvcc; exit code 0: all checks held.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "backend/grid_sync.hpp"
#include "base/error.hpp"
#include "solvers/device/array.hpp"
#include "solvers/device/block.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/device/space_timer.hpp"

namespace weir {
namespace {

int failures = 0;

void check(const char* what, bool holds) {
  std::printf("%-64s %s\n", what, holds ? "ok" : "FAILED");
  failures += holds ? 0 : 1;
}

__global__ void sum_blocks(View<const double> x, View<double> out) {
  const double v = block_reduce(x[blockIdx.x * blockDim.x + threadIdx.x], Plus{});
  if (threadIdx.x == 0) atomicAdd(&out[0], v);
}

__global__ void chain(View<int> x, View<int> done) {
  if (threadIdx.x != 0) return;
  const int b = static_cast<int>(blockIdx.x);
  if (b > 0)
    while (load_acquire(&done[b - 1]) == 0) {
    }
  x[b] = b > 0 ? x[b - 1] + 1 : 0;
  store_release(&done[b], 1);
}

__global__ void ring(View<int> x, View<int> y) {
  const int n = static_cast<int>(x.size()), i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  x[i] = i;
  grid_sync();
  y[i] = x[(i + 33) % n];
}

void iota(int n, View<double> x) {
  for_each<Device>(n, [=] WEIR_HD(int i) { x[i] = i; });
}
void fill_box(Extents e, View<double> x) {
  for_each<Device>(e, [=] WEIR_HD(int i, int j, int k) { x[e.index(i, j, k)] = i + 10 * j + 100 * k; });
}
double sum_of(int n, View<const double> x) {
  return sum<Device>(n, [=] WEIR_HD(int i) { return x[i]; });
}
void triad(int n, View<double> a, View<const double> b, View<const double> c) {
  for_each<Device>(n, [=] WEIR_HD(int i) { a[i] = b[i] + 3 * c[i]; });
}

void check_loops() {
  constexpr int n = 1000003;
  Array<double, Device> x(n);
  iota(n, x);
  const double exact = 0.5 * n * (n - 1.0);  // below 2^53: every partial sum is exact
  check("sum over a loop's result is exact", sum_of(n, x) == exact);
  check("empty sum is zero", sum_of(0, x) == 0);
  const Extents e{33, 7, 70};
  Array<double, Device> box(e.count());
  fill_box(e, box);
  check("3D loop visits every cell", box.to_vector()[static_cast<std::size_t>(e.index(32, 6, 69))] == 32 + 60 + 6900);
}

void check_kernels() {
  Array<double, Device> x(4096), out(std::vector<double>{0.0});
  iota(4096, x);
  launch({.grid = 16, .block = 256, .name = "sum blocks"}, sum_blocks, x.view(), out.view());
  check("block reductions and atomics", out.to_vector()[0] == 0.5 * 4096 * 4095);
  Array<int, Device> hop(64), done(std::vector<int>(64, 0));
  launch({.grid = 64, .block = 32, .name = "chain"}, chain, hop.view(), done.view());
  check("acquire and release from block to block", hop.to_vector()[63] == 63);
  Array<int, Device> from(256), to(256);
  launch({.grid = 8, .block = 32, .cooperative = true, .name = "ring"}, ring, from.view(), to.view());
  check("barrier of a cooperative grid", to.to_vector()[255] == 32);
}

void check_errors() {
  try {
    const Array<double, Device> a(std::int64_t{1} << 46);
    check("memory that does not fit is an error", false);
  } catch (const Error& e) {
    check("memory that does not fit is an error", e.code() == Exit::out_of_memory);
  }
}

__global__ void write_nowhere(double* x) { x[0] = 1; }

// The last of all: the process's context is lost with it.
void check_names_of_errors() {
  backend::waits_for_launches() = true;
  try {
    launch({.name = "write nowhere"}, write_nowhere, static_cast<double*>(nullptr));
    check("WEIR_CUDA_SYNC: an error names its kernel", false);
  } catch (const Error& e) {
    const std::string text = e.what();
    check("WEIR_CUDA_SYNC: an error names its kernel",
          text.find("write nowhere (") == 0 && text.find("write_nowhere") != std::string::npos);
  }
}

void measure() {
  const bool is_interpreted =
      std::string(backend::device_name()).find("interpreter") != std::string::npos;  // tests/ptx
  const int n = is_interpreted ? 1 << 14 : 1 << 25;
  constexpr int repeats = 20;
  Array<double, Device> a(n), b(n), c(n);
  iota(n, b);
  iota(n, c);
  triad(n, a, b, c);
  backend::synchronise();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < repeats; ++k) triad(n, a, b, c);
  backend::synchronise();
  const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
  double of_device = 0;
  {
    const SpaceTimer<Device> timer(of_device);
    for (int k = 0; k < repeats; ++k) triad(n, a, b, c);
  }
  check("a timer is 0 before its launches are done", of_device == 0);
  backend::complete_timers();
  check("the device's time is no more than the clock's",
        of_device > 0 && (is_interpreted || of_device < 1.5 * s * repeats));
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < repeats; ++k) sum_of(n, a);
  const double t = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repeats;
  std::printf("triad %.1f GB/s, sum %.1f GB/s (%d doubles an array)\n", 24e-9 * n / s, 8e-9 * n / t, n);
}

int run(bool with_faults) {
  std::printf("device: %s\n", backend::device_name());
  check_loops();
  check_kernels();
  check_errors();
  measure();
  if (with_faults) check_names_of_errors();
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weir

// `faults`: with what an error of a kernel says (compute-sanitizer would count it).
int main(int count, char** arguments) {
  try {
    return weir::run(count > 1 && std::string(arguments[1]) == "faults");
  } catch (const weir::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return static_cast<int>(e.code());
  }
}
