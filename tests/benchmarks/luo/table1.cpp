// Table 1: the sum of squares of R_l = b - A x_l over 20 steps of eq. (3), sequential compared with every schedule, on
// an n = 6 system of 51 x 97 x 63 cells from our own channel. The sums are all taken on the host in one order, so that
// they differ by what the schedules compute and nothing else.
#include <cmath>
#include <cstdio>

#include "solvers/device/array.hpp"
#include "tests/benchmarks/luo/channel.hpp"
#include "tests/benchmarks/luo/luo.hpp"
#include "tests/benchmarks/luo/measure.hpp"
#include "tests/benchmarks/luo/sequential.hpp"
#include "tests/benchmarks/luo/sheet.hpp"

namespace weir::bench {
namespace {

constexpr int steps = 20;

double sum_of_squares(const std::vector<double>& r) {
  double sum = 0;
  for (const double v : r) sum += v * v;
  return sum;
}

// x += z on the host: the vector update is no part of the schedule.
void add(const std::vector<double>& z, std::vector<double>& x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += z[i];
}

// R_0 .. R_19 with M^-1 and b - A x as given.
template <class Solve, class Residual>
std::vector<double> history(const std::vector<double>& b, const Solve& solve, const Residual& residual) {
  std::vector<double> x(b.size(), 0.0), r = b, sums;
  for (int l = 0; l < steps; ++l) {
    add(solve(r), x);
    r = residual(x);
    sums.push_back(sum_of_squares(r));
  }
  return sums;
}

std::vector<double> sequential_residual(const test::BlockSystem& system, const std::vector<double>& x) {
  std::vector<double> r = test::textbook_product(system, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = system.b[i] - r[i];
  return r;
}

template <class Space>
std::vector<double> history_in(const test::BlockSystem& system, const Schedule& schedule) {
  if (!schedule.on_device) set_threads(schedule.threads);
  BlockStencil<Space> A(system.cells, system.n, system.periodic);
  A.upload(system.values);
  BlockIlu0<Space> M({});
  M.setup(A);
  const Array<double, Space> b(system.b);
  Array<double, Space> in(b.size()), out(b.size());
  return history(
      system.b,
      [&](const std::vector<double>& r) {
        in.upload(r);
        M.apply(in, out);
        return out.to_vector();
      },
      [&](const std::vector<double>& x) {
        in.upload(x);
        A.residual(b, in, out);
        return out.to_vector();
      });
}

// As they come: an emulated device takes its time.
void say(const std::string& schedule, const std::vector<double>& sums) {
  std::printf("%-18s iteration 0 %.12E, 1 %.12E, 11 %.12E, 19 %.12E\n", schedule.c_str(), sums[0], sums[1], sums[11],
              sums[19]);
  std::fflush(stdout);
}

// Bytes and time of one iteration on the schedules that can be timed: a solve and a residual.
void work_table(const std::string& folder, const test::BlockSystem& system, bool quick) {
  std::printf("\nan iteration: a triangular solve and a residual; triad of one core, this run\n");
  const double triad = triad_bytes_per_second(1, true), cells = system.cells.count();
  const std::vector<Schedule> schedules = schedules_to_time();
  const std::vector<KernelSeconds> seconds = kernel_seconds(system, schedules, quick);
  const PointWork s = solve_work(system.n), r = residual_work(system.n);
  Sheet sheet(folder, "luo_table1_work", {"schedule", "ms per iteration", "MB", "Mflop", "GB/s", "of triad"});
  for (std::size_t q = 0; q < schedules.size(); ++q) {
    const double one = seconds[q].solve + seconds[q].residual;
    std::vector<std::string> row = {schedules[q].name, number(1e3 * one)};
    for (const std::string& rate : rates({cells * (s.flop + r.flop), cells * (s.bytes + r.bytes)}, one, triad))
      row.push_back(rate);
    sheet.row(row);
  }
}

}  // namespace

int luo_table1(const LuoOptions& options) {
  const Extents cells = options.quick ? Extents{7, 9, 6} : Extents{51, 97, 63};
  std::printf(
      "Luo et al. 2015, Table 1: sum of squares of the residual, n = 6, %d x %d x %d cells of a k-omega channel\n",
      cells.nx, cells.ny, cells.nz);
  const test::BlockSystem system = channel_system(cells, 6);
  std::printf("before: %.12E\n", sum_of_squares(system.b));
  const SequentialBlockIlu sequential(system);
  std::vector<std::string> names = {"sequential LU"};
  std::vector<std::vector<double>> sums = {history(
      system.b, [&](const std::vector<double>& r) { return sequential.solve(r); },
      [&](const std::vector<double>& x) { return sequential_residual(system, x); })};
  say(names.back(), sums.back());
  for (const Schedule& s : all_schedules()) {
    names.push_back(s.on_device ? s.name : s.threads == 1 ? "host 1 thread" : s.name);
    sums.push_back(s.on_device ? history_in<Device>(system, s) : history_in<Host>(system, s));
    say(names.back(), sums.back());
  }
  names.insert(names.begin(), "iteration");
  Sheet sheet(options.folder, "luo_table1", names);
  for (int l = 0; l < steps; ++l) {
    std::vector<std::string> row = {std::to_string(l)};
    for (const auto& s : sums) row.push_back(number(s[static_cast<std::size_t>(l)], "%.12E"));
    sheet.row(row);
  }
  double largest = 0;  // while the residual is far from round-off, as the paper's iterations 0 to 11
  for (std::size_t l = 0; l < steps && sums[0][l] > 1e-10 * sums[0][0]; ++l)
    for (const auto& s : sums) largest = std::max(largest, std::abs(s[l] / sums[0][l] - 1));
  std::printf("largest relative difference from sequential down to 1e-10 of iteration 0: %.2g\n", largest);
  sheet.draw();
  work_table(options.folder, system, options.quick);
  return 0;
}

}  // namespace weir::bench
