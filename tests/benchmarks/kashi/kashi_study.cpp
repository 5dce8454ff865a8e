// The computations of the tables and figures of Kashi & Nadarajah 2020; tests/benchmarks/kashi/kashi.py knows
// which of them each table and figure needs, and draws it.
//   kashi_study sweeps CASE.toml -o table.csv   iterations for build x apply sweeps, on one matrix of the run
//   kashi_study march  CASE.toml -o steps.csv   second-order runs from one start, step by step
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "tests/benchmarks/kashi/march.hpp"
#include "tests/benchmarks/kashi/sweeps.hpp"

using namespace weir;
using namespace weir::kashi;

namespace {

struct Arguments {
  std::string path, output;
  std::vector<std::string> sets;
  std::vector<std::string> solvers{"async_block_ilu0"};
  std::vector<int> threads{1, 2, 4, 16};
  SweepOptions sweeps;
  std::int64_t most_iterations = 20000;
  int build = 1, apply = 3, repeats = 1;
  bool prescribed = false, scaled = false;
};

std::FILE* open(const std::string& path) {
  std::FILE* f = std::fopen(path.c_str(), "w");
  if (!f) throw Error(Exit::file_io, "cannot write " + path);
  return f;
}

// The exact corner of the table must need as many iterations as block_ilu0, to one that round-off may cost: else 1.
int run_sweeps(const Arguments& a) {
  const StudyCase study(a.path, a.sets);
  std::FILE* csv = open(a.output);
  std::fprintf(csv, "build_sweeps,apply_sweeps,iterations,relative_deviation,converged,repeats\n");
  const auto name = [](int sweeps) { return sweeps == 0 ? std::string("exact") : std::to_string(sweeps); };
  double corner = -1;
  const Captured captured = sweep_table(study, first_order_state(study), a.sweeps, [&](const Cell& c) {
    std::fprintf(csv, "%s,%s,%.6g,%.4g,%d,%d\n", name(c.build).c_str(), name(c.apply).c_str(), c.mean, c.deviation,
                 c.converged, c.repeats);
    std::fflush(csv);
    if (c.build == 0 && c.apply == 0) corner = c.mean;
    std::printf("build %5s  apply %5s  %8.1f iterations, deviation %.1f %%, %d of %d converged\n",
                name(c.build).c_str(), name(c.apply).c_str(), c.mean, 100 * c.deviation, c.converged, c.repeats);
    std::fflush(stdout);
  });
  std::fclose(csv);
  std::printf(
      "%d cells, ordering %s; matrix of second-order step %d: CFL %.0f, residual %.2g; block_ilu0: %d "
      "iterations\n",
      study.mesh.cells(), study.ordering.c_str(), captured.step, captured.cfl, captured.residual,
      captured.block_ilu0_iterations);
  return corner >= 0 && std::abs(corner - captured.block_ilu0_iterations) > 1 ? 1 : 0;
}

void run_march(const Arguments& a) {
  const StudyCase study(a.path, a.sets);
  const std::vector<double> start = first_order_state(study);
  std::FILE* csv = open(a.output);
  write_march_header(csv);
  for (const std::string& solver : a.solvers)
    for (int threads : a.threads) {
      if (solver == "block_ilu0" && threads != a.threads.front()) continue;  // the same for all
      for (int r = 0; r < a.repeats; ++r) {
        Variant v;
        v.type = solver;
        v.build_sweeps = a.build;
        v.apply_sweeps = a.apply;
        v.threads = threads;
        v.prescribed = a.prescribed;
        v.scaled = a.scaled;
        v.seed = 1 + r;
        const std::int64_t iterations = march(study, start, v, r, a.most_iterations, csv);
        std::fflush(csv);
        std::printf("%s, %s, %d %s, repeat %d: %lld iterations%s\n", study.ordering_type.c_str(), solver.c_str(),
                    threads, a.prescribed ? "lanes" : "threads", r, static_cast<long long>(std::abs(iterations)),
                    iterations < 0 ? ", not converged" : "");
        std::fflush(stdout);
      }
    }
  std::fclose(csv);
}

void common_options(CLI::App* app, Arguments& a) {
  app->add_option("CASE", a.path)->required();
  app->add_option("--set", a.sets, "key.path=value");
  app->add_option("-o,--output", a.output)->required();
  app->add_flag("--prescribed", a.prescribed,
                "lanes of a seeded delay model in the place of threads: repeats bit for bit");
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  CLI::App app("The computations of the tables and figures of Kashi & Nadarajah 2020");
  app.require_subcommand(1);
  CLI::App* sweeps = app.add_subcommand("sweeps", "iterations for build x apply sweeps");
  common_options(sweeps, a);
  sweeps->add_option("--threads", a.sweeps.threads);
  sweeps->add_option("--repeats", a.sweeps.repeats);
  sweeps->add_option("--sweeps", a.sweeps.sweeps, "0: exact")->delimiter(',');
  sweeps->add_option("--capture-cfl", a.sweeps.capture_cfl);
  sweeps->add_option("--most-iterations", a.sweeps.most_iterations);
  CLI::App* march = app.add_subcommand("march", "second-order runs, step by step");
  common_options(march, a);
  march->add_option("--solver", a.solvers, "block_ilu0, async_block_ilu0, async_ilu0")->delimiter(',');
  march->add_option("--threads", a.threads)->delimiter(',');
  march->add_option("--repeats", a.repeats);
  march->add_option("--build", a.build);
  march->add_option("--apply", a.apply);
  march->add_flag("--scaled", a.scaled, "symmetric scaling to a unit diagonal first");
  march->add_option("--most-iterations", a.most_iterations);
  CLI11_PARSE(app, argc, argv);
  try {
    a.sweeps.prescribed = a.prescribed;
    if (sweeps->parsed()) return run_sweeps(a);
    run_march(a);
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return static_cast<int>(e.code());
  }
  return 0;
}
