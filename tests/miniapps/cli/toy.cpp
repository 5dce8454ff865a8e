// weir's command line around a miniapp that costs nothing: the heat equation on a ring, one explicit step after
// another. It uses the run shell as a flow code does, and can be set to blow up, to wait, to ask for too much
// memory, not to repeat, or to run out of memory on one rank; ranks do all the same.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <thread>

#include "base/hash.hpp"
#include "base/print.hpp"
#include "base/timer.hpp"
#include "miniapps/cli/command_line.hpp"
#include "postproc/fields/picture_series.hpp"
#include "postproc/fields/vtk.hpp"
#include "tests/support/file_trace.hpp"

namespace weir {
namespace {

struct Toy {
  int n;
  std::int64_t steps, blow_up_at, flicker_at, claims;
  double rate;
  int wait_ms, starved_rank, pictures_every;
  explicit Toy(const Table& config) {
    const Table t = config.table("toy");
    n = t.get<int>("n", 64);
    rate = t.get<double>("rate", 0.25);
    claims = t.get<std::int64_t>("claims", 0);  // bytes
    wait_ms = t.get<int>("wait_ms", 0);
    starved_rank = t.get<int>("starved_rank", -1);
    pictures_every = t.get<int>("pictures_every", 0);
    blow_up_at = t.get<std::int64_t>("blow_up_at", -1);
    flicker_at = t.get<std::int64_t>("flicker_at", -1);
    steps = config.table("time").get<std::int64_t>("max_steps", 20);
  }
};

void advance(std::vector<double>& u, std::vector<double>& next, double rate) {
  const std::size_t n = u.size();
  for (std::size_t i = 0; i < n; ++i) next[i] = u[i] + rate * (u[(i + n - 1) % n] - 2 * u[i] + u[(i + 1) % n]);
  std::swap(u, next);
}

Picture picture_of(const std::vector<double>& u, std::int64_t step) {
  static const std::vector<double> faces{0, 1};
  Picture picture;
  picture.time = static_cast<double>(step);
  picture.faces = {faces, faces, faces};
  picture.fields = {output_field("u", 1, std::span<const double>(u).first(1))};
  return picture;
}

int run_toy(Run& run, const Table& config) {
  const Toy c(config);
  run.require_memory(c.claims);
  std::vector<double> u(static_cast<std::size_t>(c.n)), next(u);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::sin(0.1 * static_cast<double>(i * i));
  std::int64_t step = 0;
  if (const Checkpoint* from = run.restart()) {
    u = from->doubles("u", c.n);
    step = from->header.step;
  }
  RunHeader header;
  header.miniapp = "toy";
  header.grid = "ring";
  header.cells = header.unknowns = c.n;
  header.memory_estimate = 16 * c.n;
  header.end_time = static_cast<double>(c.steps);
  header.history = {"top"};
  header.quantities = {"total"};
  header.systems = {{"heat", "explicit"}};
  const auto save_if_due = [&] {
    if (!run.checkpoint_due()) return;
    CheckpointState state;
    state.step = step;
    state.time = static_cast<double>(step);
    state.add("u", u);
    run.checkpoint(state);
  };
  bool done = step >= c.steps, is_finite = true;
  if (done) {
    if (const auto code = run.nothing_left()) return *code;
    run.reached("max_steps");
  }
  run.begin(header);
  const std::string vtk = run.directory() + "/vtk";
  PictureSeries pictures =
      run.restart() ? PictureSeries(vtk, "ring", run.restart()->header.time) : PictureSeries(vtk, "ring");

  while (!done && is_finite && !run.should_stop()) {
    {
      ScopedTimer timer(run.timings().at("heat", "advance"));
      advance(u, next, c.rate);
    }
    if (++step == c.blow_up_at) u[0] = NAN;
    if (step == c.steps / 2 && run.ranks().rank() == c.starved_rank) throw std::bad_alloc();
    if (step == c.flicker_at) u[0] += 1e-12 * static_cast<double>(getpid());  // another number in every run
    std::this_thread::sleep_for(std::chrono::milliseconds(c.wait_ms));
    double top = 0;
    for (const double v : u) top = std::isfinite(v) && std::isfinite(top) ? std::max(top, v) : NAN;
    is_finite = std::isfinite(top);
    done = step >= c.steps;
    SolveRecord solve;
    solve.step = step;
    solve.system = "heat";
    solve.solver = "explicit";
    solve.unknowns = c.n;
    solve.reason = "converged";
    solve.r0 = top;
    run.solve(solve);
    run.step({step, static_cast<double>(step), 1.0, {}, {top}});
    if (c.pictures_every > 0 && step % c.pictures_every == 0) pictures.write(step, picture_of(u, step));
    if (done && is_finite) run.reached("max_steps");
    if (is_finite) save_if_due();
  }
  if (is_finite) save_if_due();
  Outcome outcome;
  if (!is_finite) outcome.exit = Exit::not_finite;
  outcome.reason = !is_finite ? "top is not finite" : done ? "max_steps" : "";
  double total = 0;
  for (const double v : u) total += v;
  outcome.quantities["total"] = total;
  outcome.state_hash = hash_of(std::span<const double>(u));
  return run.finish(outcome);
}

void info_toy(const Table& config, int, std::ostream& out) { out << "ring of " << Toy(config).n << "\n"; }

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  weir::open_standard_streams();
  std::optional<weir::testing::FileTrace> trace;
  if (const char* folder = std::getenv("TOY_TRACE")) trace.emplace(folder);
  std::shared_ptr<weir::Communicator> ranks = weir::make_world();
  ranks->silence_others();
  return weir::run_command_line({{{"toy", weir::run_toy, weir::info_toy}}, ranks}, argc, argv);
}
