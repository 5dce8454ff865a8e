// Tables 2 to 4: operations and bytes of the three kernels, counted as in the paper, and their speed relative to the
// machine's triad. Data in the paper's count: 7 n^2 | 8 n^2 + 3 n | 7 n^2 + 3 n values; what our kernels must move:
// measure.hpp.
#include <cstdio>

#include "tests/benchmarks/luo/luo.hpp"
#include "tests/benchmarks/luo/measure.hpp"
#include "tests/benchmarks/luo/sheet.hpp"

namespace weir::bench {
namespace {

constexpr double n = 6;

struct Kernel {
  const char* name;
  PointWork work;
  double paper_bytes;
  double KernelSeconds::*seconds;
  const char *paper_sequential_us, *paper_gpu_us;  // Table 3
};
const Kernel kernels[] = {
    {"factorisation", factorisation_work(n), 56 * n* n, &KernelSeconds::factor, "3.48", "0.122"},
    {"triangular solve", solve_work(n), 8 * (8 * n * n + 3 * n), &KernelSeconds::solve, "0.84", "0.0604"},
    {"residual", residual_work(n), 8 * (7 * n * n + 3 * n), &KernelSeconds::residual, "0.51", "0.0324"},
};

void work_table(const std::string& folder) {
  std::printf("\nTable 2: work of a point, n = 6\n");
  Sheet sheet(folder, "luo_table2", {"kernel", "FLOP", "bytes, paper", "bytes, ours", "B/F, ours"});
  for (const Kernel& k : kernels)
    sheet.row({k.name, number(k.work.flop), number(k.paper_bytes), number(k.work.bytes),
               number(k.work.bytes / k.work.flop, "%.2f")});
}

void time_table(const std::string& folder, double cells, const std::vector<Schedule>& schedules,
                const std::vector<KernelSeconds>& seconds) {
  std::printf("\nTable 3: microseconds a point; the paper: one core of a Xeon E5645 and an M2050\n");
  Sheet sheet(folder, "luo_table3", {"kernel", "schedule", "t_p us", "speed-up", "paper CPU us", "paper GPU us"});
  for (const Kernel& k : kernels)
    for (std::size_t q = 0; q < schedules.size(); ++q)
      sheet.row({k.name, schedules[q].name, number(1e6 * seconds[q].*k.seconds / cells),
                 number(seconds[0].*k.seconds / (seconds[q].*k.seconds), "%.2f"), k.paper_sequential_us,
                 k.paper_gpu_us});
}

void rate_table(const std::string& folder, double cells, double triad, const std::vector<Schedule>& schedules,
                const std::vector<KernelSeconds>& seconds) {
  std::printf("\nTable 4: rates; triad of one core, this run: %.3g GB/s\n", 1e-9 * triad);
  Sheet sheet(folder, "luo_table4", {"kernel", "schedule", "GFLOPS", "GB/s", "of triad"});
  for (const Kernel& k : kernels)
    for (std::size_t q = 0; q < schedules.size(); ++q) {
      const double a_second = cells / (seconds[q].*k.seconds);
      sheet.row({k.name, schedules[q].name, number(1e-9 * k.work.flop * a_second),
                 number(1e-9 * k.work.bytes * a_second), number(k.work.bytes * a_second / triad, "%.2f")});
    }
  sheet.draw();
}

}  // namespace

int luo_tables(const LuoOptions& options) {
  const int side = options.quick ? 9 : 65;
  std::printf("Luo et al. 2015, Tables 2 to 4: n = 6, %d^3 cells\n", side);
  if (const std::string missing = what_is_not_timed(); !missing.empty()) std::printf("%s\n", missing.c_str());
  const test::BlockSystem system = test::random_system({side, side, side}, static_cast<int>(n), 1);
  const std::vector<Schedule> schedules = schedules_to_time();
  const double triad = triad_bytes_per_second(1, true), cells = system.cells.count();
  const std::vector<KernelSeconds> seconds = kernel_seconds(system, schedules, options.quick);
  work_table(options.folder);
  time_table(options.folder, cells, schedules, seconds);
  rate_table(options.folder, cells, triad, schedules, seconds);
  return 0;
}

}  // namespace weir::bench
