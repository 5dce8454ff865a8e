// Figs. 9 and 10: time per point and sweep (t_p = T / I J K) of the whole run and of each kernel.
#include <cmath>
#include <cstdio>

#include "tests/benchmarks/luo/luo.hpp"
#include "tests/benchmarks/luo/measure.hpp"
#include "tests/benchmarks/luo/sheet.hpp"
#include "tests/support/systems/augment.hpp"

namespace weir::bench {
namespace {

const std::vector<std::string> columns = {"schedule",    "side",   "n",         "cells",     "factor_us", "solve_us",
                                          "residual_us", "run_us", "run_bytes", "run_flops", "GB/s",      "of triad"};

// Least bytes and operations of a run, per point: as in Tables 2 and 4 (tables.cpp), where a multiplication with its
// addition is one.
double bytes_of_run(double n) { return 64 * n * n + 4 * 8 * (8 * n * n + 4 * n) + 3 * 8 * (7 * n * n + 3 * n); }
double flops_of_run(double n) { return 8 * n * n * n + (4 * 8 + 3 * 7) * n * n; }

void add_rows(Sheet& sheet, const test::BlockSystem& system, double triad, bool quick) {
  const std::vector<Schedule> schedules = schedules_to_time();
  const std::vector<KernelSeconds> seconds = kernel_seconds(system, schedules, quick);
  const double cells = system.cells.count();
  const auto us = [&](double s) { return number(1e6 * s / cells); };
  for (std::size_t q = 0; q < schedules.size(); ++q) {
    const KernelSeconds& s = seconds[q];
    sheet.row({schedules[q].name, std::to_string(system.cells.nx), std::to_string(system.n),
               std::to_string(system.cells.count()), us(s.factor), us(s.solve), us(s.residual), us(s.run()),
               number(bytes_of_run(system.n)), number(flops_of_run(system.n)),
               number(1e-9 * bytes_of_run(system.n) * cells / s.run()),
               number(bytes_of_run(system.n) * cells / s.run() / triad, "%.2f")});
  }
}

void say_what_this_is(const char* what) {
  std::printf("%s\nmicroseconds a point; run = 1 factorisation + 4 solves + 3 residuals (3 correction steps)\n", what);
  if (const std::string missing = what_is_not_timed(); !missing.empty()) std::printf("%s\n", missing.c_str());
}

double triad_of_one_core() {
  const double triad = triad_bytes_per_second(1, true);
  std::printf("bytes and flops: a point and run; of triad: of one core's, %.3g GB/s\n", 1e-9 * triad);
  return triad;
}

Extents cube(int side) { return {side, side, side}; }

}  // namespace

int luo_fig9(const LuoOptions& options) {
  say_what_this_is("Luo et al. 2015, Fig. 9: n = 6, cubes of 15^3 to 65^3 cells");
  const double triad = triad_of_one_core();
  Sheet sheet(options.folder, "luo_fig9", columns);
  const std::vector<int> sides =
      options.quick ? std::vector<int>{5, 9} : std::vector<int>{15, 21, 27, 33, 41, 49, 57, 65};
  for (const int side : sides) add_rows(sheet, test::random_system(cube(side), 6, 1), triad, options.quick);
  sheet.draw();
  return 0;
}

int luo_fig10(const LuoOptions& options) {
  say_what_this_is("Luo et al. 2015, Fig. 10: n up to 32 at constant n^2 I J K, augmented from n = 4 and n = 6");
  const double entries = options.quick ? 1e5 : 1.8e7;  // n^2 I J K; the paper's is 1.8e7
  const double triad = triad_of_one_core();
  Sheet sheet(options.folder, "luo_fig10", columns);
  for (const int n : {4, 6, 8, 10, 12, 16, 20, 24, 28, 32}) {
    const int side = static_cast<int>(std::lround(std::cbrt(entries / (n * n))));
    const test::BlockSystem four = test::random_system(cube(side), 4, 1), six = test::random_system(cube(side), 6, 2);
    add_rows(sheet, test::augmented_to(n, four, six), triad, options.quick);
  }
  sheet.draw();
  return 0;
}

}  // namespace weir::bench
