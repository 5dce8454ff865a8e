// Fig. 8: where the time of the main loop goes. A turbulent channel in time, n = 6, seven sub-iterations a time step, each
// one factorisation and 4 solves with 3 corrections between them, as the paper's run has.
#include <cstdio>

#include "inputs/case.hpp"
#include "miniapps/incompressible/coupled/scheme.hpp"
#include "solvers/timer.hpp"
#include "tests/benchmarks/luo/channel.hpp"
#include "tests/benchmarks/luo/luo.hpp"
#include "tests/benchmarks/luo/measure.hpp"
#include "tests/benchmarks/luo/sheet.hpp"

namespace weir::bench {
namespace {

struct Part {
  const char *paper, *ours;
  double seconds;
};

const char* in_time =
    "end = 1000.0\ndt = 0.002\n[pseudo_time]\nspeed = 15.0\ntolerance = 0.0\nmax_steps = 7\n"
    "[linear.flow]\nmethod = \"correction\"\ntolerance = 0.0\nmax_iterations = 4\n";

template <class Space>
std::vector<Part> main_loop(const std::string& text, int steps, double& whole) {
  const weir::Table config = read_case_text(text, "channel");
  const IncompressibleCase c = read_incompressible_case(config);
  ArtificialCompressibility<Space> flow(c, config.table("linear"));
  flow.initialise();
  Timings timings, warm_up;
  double factor = 0, solve = 0, correct = 0, rest = 0;
  const auto add = [&] {
    factor += flow.setup_seconds;
    solve += flow.result.apply_seconds;
    correct += flow.result.spmv_seconds;
    rest += flow.result.reduce_seconds;
  };
  flow.advance(c.time.dt, warm_up, [] {});
  whole = 0;
  {
    ScopedTimer timer(whole);
    for (int s = 0; s < steps; ++s) flow.advance(c.time.dt, timings, add);
  }
  const auto& flow_seconds = timings.all().at("flow");
  const auto of = [&](const char* kernel) {
    const auto it = flow_seconds.find(kernel);
    return it == flow_seconds.end() ? 0.0 : it->second;
  };
  std::vector<Part> parts = {{"RHS", "residual and boundary", of("residual") + of("boundary") + of("norms")},
                             {"AFILL + TSD", "jacobian", of("jacobian")},
                             {"RHS + TSD", "turbulence", of("turbulence")},
                             {"BILU FACT", "factorisation", factor},
                             {"BILU SOLV", "triangular solves", solve},
                             {"BILU CORR", "linear residuals", correct},
                             {"BILU CORR", "vector updates", rest}};
  double known = 0;
  for (const Part& p : parts) known += p.seconds;
  parts.push_back({"", "all else", whole - known});
  return parts;
}

void add_rows(Sheet& sheet, const std::string& schedule, const std::vector<Part>& parts, double whole, int steps) {
  double solver = 0;
  for (const Part& p : parts) {
    sheet.row({p.ours, p.paper, schedule, number(1e3 * p.seconds / steps), number(100 * p.seconds / whole, "%.1f")});
    if (std::string(p.paper).starts_with("BILU")) solver += p.seconds;
  }
  std::printf("%s: %.4g ms a time step, %.0f %% of it in the linear solver\n", schedule.c_str(), 1e3 * whole / steps,
              100 * solver / whole);
}

}  // namespace

int luo_fig8(const LuoOptions& options) {
  const int side = options.quick ? 7 : 41, steps = options.quick ? 1 : 10;
  std::printf("Luo et al. 2015, Fig. 8: main loop of a k-omega channel of %d^3 cells, n = 6, 7 sub-iterations a step\n",
              side);
  if (const std::string missing = what_is_not_timed(); !missing.empty()) std::printf("%s\n", missing.c_str());
  const std::string text = channel_text({side, side, side}, 6, in_time);
  Sheet sheet(options.folder, "luo_fig8", {"part", "in the paper", "schedule", "ms a step", "per cent"});
  for (const Schedule& s : schedules_to_time()) {
    if (s.on_device && s.form != BlockIluForm::one_launch) continue;
    if (!s.on_device) set_threads(s.threads);
    double whole = 0;
    const std::vector<Part> parts =
        s.on_device ? main_loop<Device>(text, steps, whole) : main_loop<Host>(text, steps, whole);
    add_rows(sheet, s.name, parts, whole, steps);
  }
  sheet.draw();
  return 0;
}

}  // namespace weir::bench
