#include "tests/support/coupled_loop.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "inputs/case.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"

namespace weir::test {
namespace {

std::string text_of(double value, const char* format = "%.3g") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

const char* to_string(StepEnd end) {
  switch (end) {
    case StepEnd::advanced:
      return "advanced";
    case StepEnd::converged:
      return "converged";
    case StepEnd::linear_failed:
      return "the linear solve did not lower its residual";
    case StepEnd::not_converged:
      return "not converged";
    case StepEnd::not_finite:
      return "not finite";
  }
  return "unknown";
}

// The step is one of those that the breakdown is about.
template <class Space>
void require_whole(const ArtificialCompressibility<Space>& flow, StepEnd end, int solves) {
  const int wanted = flow.options().max_steps;
  if (end == StepEnd::advanced && solves == wanted && flow.sub_iterations == wanted) return;
  throw Error(Exit::solver_failed,
              "a step ended in sub-iteration " + std::to_string(solves) + " of " + std::to_string(wanted) + ": " +
                  to_string(end) + " (" + flow.solver().name() + ": " + to_string(flow.result.reason) + ", residual " +
                  text_of(flow.result.residual0) + " before, " + text_of(flow.result.true_residual) +
                  " after): a smaller [pseudo_time] cfl_start makes the systems easier");
}

}  // namespace

double CoupledLoop::solver_seconds() const {
  double sum = 0;
  for (const LoopPart& p : parts)
    if (std::string(p.paper).starts_with("BILU")) sum += p.seconds;
  return sum;
}

std::string CoupledLoop::describe() const {
  return std::to_string(steps) + (steps == 1 ? " step of " : " steps of ") +
         text_of(1.0 * sub_iterations / steps, "%.4g") + " sub-iterations, each " +
         text_of(1.0 * linear_iterations / sub_iterations) + " linear iterations";
}

template <class Space>
CoupledLoop coupled_loop(const std::string& case_text, int steps) {
  const Table config = read_case_text(case_text, "coupled loop");
  const IncompressibleCase c = read_incompressible_case(config);
  if (c.time.steady || c.coupled.tolerance > 0)
    throw Error(Exit::usage,
                "the number of sub-iterations is not fixed: [pseudo_time] tolerance = 0 is needed, in time");
  ArtificialCompressibility<Space> flow(c, config.table("linear"));
  flow.initialise();
  CoupledLoop loop;
  double factor = 0, solve = 0, correct = 0, rest = 0;
  int solves = 0;
  const auto add = [&] {
    ++solves;
    loop.linear_iterations += flow.result.iterations;
    factor += flow.setup_seconds;
    solve += flow.result.apply_seconds;
    correct += flow.result.spmv_seconds;
    rest += flow.result.reduce_seconds;
  };
  Timings timings, warm_up;
  const StepEnd first = flow.advance(c.time.dt, warm_up, [&] { ++solves; });
  require_whole(flow, first, solves);
  {
    ScopedTimer timer(loop.seconds);
    for (; loop.steps < steps; ++loop.steps) {
      solves = 0;
      const StepEnd end = flow.advance(c.time.dt, timings, add);
      require_whole(flow, end, solves);
      loop.sub_iterations += solves;
    }
  }
  const auto& seconds = timings.all().at("flow");
  const auto of = [&](const char* kernel) {
    const auto it = seconds.find(kernel);
    return it == seconds.end() ? 0.0 : it->second;
  };
  loop.parts = {{"RHS", "residual and boundary", of("residual") + of("boundary") + of("norms")},
                {"AFILL + TSD", "jacobian", of("jacobian")},
                {"RHS + TSD", "turbulence", of("turbulence")},
                {"BILU FACT", "factorisation", factor},
                {"BILU SOLV", "triangular solves", solve},
                {"BILU CORR", "linear residuals", correct},
                {"BILU CORR", "vector updates", rest}};
  double known = 0;
  for (const LoopPart& p : loop.parts) known += p.seconds;
  loop.parts.push_back({"", "all else", loop.seconds - known});
  return loop;
}

template CoupledLoop coupled_loop<Host>(const std::string&, int);
template CoupledLoop coupled_loop<Device>(const std::string&, int);

}  // namespace weir::test
