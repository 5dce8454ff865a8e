#include "tests/benchmarks/luo/measure.hpp"

#include <omp.h>

#include "backend/traits.hpp"
#include "solvers/device/array.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {
namespace {

template <class Space>
KernelSeconds in_space(const test::BlockSystem& system, const Schedule& schedule, const BlockStencil<Space>& A,
                       bool quick) {
  constexpr bool on_device = std::is_same_v<Space, Device>;
  if (!on_device) set_threads(schedule.threads);
  BlockIlu0<Space> M({});
  M.setup(A);
  const Array<double, Space> b(system.b);
  Array<double, Space> x(b.size()), r(b.size());
  const int repeats = quick ? 1 : 3;
  const double least = quick ? 0 : 0.3;
  const auto seconds = [&](const std::function<void()>& kernel) {
    if (!on_device && schedule.threads == 1) return best_processor_seconds(kernel, repeats, least);
    return best_seconds(
        [&] {
          kernel();
          if (on_device) backend::synchronise();
        },
        repeats, least);
  };
  KernelSeconds s;
  s.factor = seconds([&] { M.update(A); });
  s.solve = seconds([&] { M.apply(b, x); });
  s.residual = seconds([&] { A.residual(b, x, r); });
  return s;
}

template <class Space>
void measure(const test::BlockSystem& system, const std::vector<Schedule>& schedules, bool quick,
             std::vector<KernelSeconds>& out) {
  constexpr bool on_device = std::is_same_v<Space, Device>;
  bool wanted = false;
  for (const Schedule& s : schedules) wanted = wanted || s.on_device == on_device;
  if (!wanted) return;
  BlockStencil<Space> A(system.cells, system.n, system.periodic);
  A.upload(system.values);
  for (std::size_t q = 0; q < schedules.size(); ++q)
    if (schedules[q].on_device == on_device) out[q] = in_space<Space>(system, schedules[q], A, quick);
}

const int all_threads = omp_get_max_threads();

}  // namespace

std::vector<std::string> rates(PointWork work, double seconds, double triad) {
  return {number(1e-6 * work.bytes), number(1e-6 * work.flop), number(1e-9 * work.bytes / seconds),
          number(work.bytes / seconds / triad, "%.2f")};
}

std::vector<Schedule> all_schedules() {
  std::vector<Schedule> all = {{"sequential"}};
  if (all_threads > 1) all.push_back({"host " + std::to_string(all_threads) + " threads", false, all_threads});
  if (backend::device_available()) all.push_back({"device", true, 1});
  return all;
}

std::vector<Schedule> schedules_to_time() {
  std::vector<Schedule> timed = all_schedules();
  if (!backend::asynchronous) std::erase_if(timed, [](const Schedule& s) { return s.on_device; });
  return timed;
}

std::string what_is_not_timed() {
  if (!backend::device_available())
    return "This build computes on the host alone: the device's schedules are not timed.";
  return backend::asynchronous ? "" : "The device of this build is emulated: its schedules are not timed.";
}

std::vector<KernelSeconds> kernel_seconds(const test::BlockSystem& system, const std::vector<Schedule>& schedules,
                                          bool quick) {
  std::vector<KernelSeconds> seconds(schedules.size());
  measure<Host>(system, schedules, quick, seconds);
  if (backend::device_available()) measure<Device>(system, schedules, quick, seconds);
  set_threads(all_threads);
  return seconds;
}

}  // namespace weir::bench
