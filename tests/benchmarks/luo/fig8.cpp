// Fig. 8: where the time of the main loop goes. A turbulent channel in time, n = 6, seven sub-iterations a time step,
// each one factorisation and 4 solves with the residuals between them, as the paper's run has. The pseudo-time step has
// CFL number 10: eq. (3) is a stationary iteration, which four times lowers the residual of such systems 75-fold and
// more; from CFL number 30 on it diverges.
#include <cstdio>

#include "tests/benchmarks/luo/channel.hpp"
#include "tests/benchmarks/luo/luo.hpp"
#include "tests/benchmarks/luo/measure.hpp"
#include "tests/benchmarks/luo/sheet.hpp"
#include "tests/support/coupled_loop.hpp"

namespace weir::bench {
namespace {

constexpr int sub_iterations = 7;

std::string in_time() {
  return "end = 1000.0\ndt = 0.002\n[pseudo_time]\nspeed = 15.0\ncfl_start = 10.0\ntolerance = 0.0\nmax_steps = " +
         std::to_string(sub_iterations) +
         "\n[linear.flow]\nmethod = \"correction\"\ntolerance = 0.0\nmax_iterations = 4\n";
}

constexpr double n = 6;

// Of the linear solver's parts, a point and a step: a solve of k iterations computes k + 1 residuals. Of the others no
// count is stated.
PointWork work_of(const std::string& part, const test::CoupledLoop& loop) {
  const double solves = 1.0 * loop.sub_iterations / loop.steps, iterations = 1.0 * loop.linear_iterations / loop.steps;
  const auto times = [](double calls, PointWork w) { return PointWork{calls * w.flop, calls * w.bytes}; };
  if (part == "factorisation") return times(solves, factorisation_work(n));
  if (part == "triangular solves") return times(iterations, solve_work(n));
  if (part == "linear residuals") return times(iterations + solves, residual_work(n));
  if (part == "vector updates") return times(iterations, {2 * n, 24 * n});
  return {};
}

void add_rows(Sheet& sheet, const std::string& schedule, const test::CoupledLoop& loop, double cells, double triad) {
  for (const test::LoopPart& p : loop.parts) {
    std::vector<std::string> row = {p.ours,
                                    p.paper,
                                    schedule,
                                    number(1e3 * p.seconds / loop.steps),
                                    number(100 * p.seconds / loop.seconds, "%.1f"),
                                    number(1.0 * loop.sub_iterations / loop.steps)};
    const PointWork w = work_of(p.ours, loop);
    for (const std::string& rate : rates({cells * w.flop, cells * w.bytes}, p.seconds / loop.steps, triad))
      row.push_back(w.bytes > 0 ? rate : "");
    sheet.row(row);
  }
  std::printf("%s: %s; %.4g ms a time step, %.0f %% of it in the linear solver\n", schedule.c_str(),
              loop.describe().c_str(), 1e3 * loop.seconds / loop.steps, 100 * loop.solver_seconds() / loop.seconds);
}

}  // namespace

int luo_fig8(const LuoOptions& options) {
  const int side = options.quick ? 7 : 41, steps = options.quick ? 1 : 10;
  std::printf(
      "Luo et al. 2015, Fig. 8: main loop of a k-omega channel of %d^3 cells, n = 6, %d sub-iterations per step\n",
      side, sub_iterations);
  if (const std::string missing = what_is_not_timed(); !missing.empty()) std::printf("%s\n", missing.c_str());
  const std::string text = channel_text({side, side, side}, 6, in_time());
  Sheet sheet(options.folder, "luo_fig8",
              {"part", "in the paper", "schedule", "ms per step", "per cent", "sub-iterations per step", "MB per step",
               "Mflop a step", "GB/s", "of triad"});
  for (const Schedule& s : schedules_to_time()) {
    if (!s.on_device) set_threads(s.threads);
    add_rows(sheet, s.name,
             s.on_device ? test::coupled_loop<Device>(text, steps) : test::coupled_loop<Host>(text, steps),
             1.0 * side * side * side, triad_bytes_per_second(s.threads));
  }
  sheet.draw();
  return 0;
}

}  // namespace weir::bench
